import type { Currency } from "@perya/kernel/money";

/** A wallet's name: enough to reach its row without a look-up. */
export interface Account {
  readonly lane: number;
  readonly id: string;
  readonly currency: Currency;
}

export const LANES = 64;

/** One wallet per owner and currency: the id is made from both, so nobody needs to look it up. */
export function accountOf(ownerId: string, currency: Currency): Account {
  const id = `${ownerId}.${currency}`;
  return { lane: laneOf(id), id, currency };
}

/** 32-bit FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), folded onto the lanes. */
export function laneOf(accountId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < accountId.length; i++) {
    hash = Math.imul(hash ^ accountId.charCodeAt(i), 0x01000193);
  }
  // The low bits of FNV-1a are its weakest; fold the high half in.
  return ((hash >>> 16) ^ hash) & (LANES - 1);
}
