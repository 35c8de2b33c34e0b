import { mintedAt } from "@perya/kernel/ids";
import type { Shown } from "../../parts/proofs/shown-before.ts";
import type { OwnSeed } from "../../parts/proofs/shown-here.ts";

/**
 * What a round of one's own was held against. `before`: the hash that this phone was shown, and the
 * client seed that it chose then, before the round. `told`: that hash, and a client seed that the
 * house tells. `later`: what came with the round or after it.
 */
export type SoloGround = "before" | "told" | "later";

/**
 * @param id under which this device asked for the round: its time is this device's own, where those
 *   of the answer are what is to be proved
 */
export function soloGround(id: string, pair: Shown | null, own: OwnSeed | null): SoloGround {
  const askedAt = mintedAt(id);
  const isBefore = (kept: { readonly at: number } | null) => kept !== null && kept.at <= askedAt;
  if (isBefore(own)) return "before";
  return isBefore(pair) ? "told" : "later";
}
