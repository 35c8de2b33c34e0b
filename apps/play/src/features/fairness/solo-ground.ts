import { mintedAt } from "@perya/kernel/ids";
import type { Shown } from "../../parts/proofs/shown-before.ts";
import type { OwnSeed } from "../../parts/proofs/shown-here.ts";

/**
 * The evidence for a solo round. `before`: this phone was shown the hash and then chose the client
 * seed, before the round. `told`: it was shown the hash, and the house supplies the client seed.
 * `later`: both came with the round or after it.
 */
export type SoloGround = "before" | "told" | "later";

/**
 * @param id the id under which this device asked for the round: its time is this device's own,
 *   while the times of the answer are still to be proved
 */
export function soloGround(id: string, pair: Shown | null, own: OwnSeed | null): SoloGround {
  const askedAt = mintedAt(id);
  const isBefore = (kept: { readonly at: number } | null) => kept !== null && kept.at <= askedAt;
  if (isBefore(own)) return "before";
  return isBefore(pair) ? "told" : "later";
}
