import type { Shown } from "../../parts/shown-before.ts";
import type { OwnSeed } from "../../parts/shown-here.ts";

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
  const mintedAt = timeIn(id);
  const isBefore = (kept: { readonly at: number } | null) => kept !== null && kept.at <= mintedAt;
  if (isBefore(own)) return "before";
  return isBefore(pair) ? "told" : "later";
}

const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

/** Milliseconds since 1970: the ten digits after `rnd_`, as `mintId` writes them. */
function timeIn(id: string): number {
  return Array.from(id.slice(4, 14)).reduce((ms, digit) => ms * 32 + DIGITS.indexOf(digit), 0);
}
