import type { Entropy } from "@perya/kernel/instant";

/** A secret server seed, from which results are drawn: 32 bytes in hex. */
export function mintServerSeed(entropy: Entropy): string {
  return Buffer.from(entropy.bytes(32)).toString("hex");
}
