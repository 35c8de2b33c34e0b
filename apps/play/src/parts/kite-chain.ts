import type { KiteChain } from "@perya/contract/rounds";

/** What was published of a chain, and when this device was first shown it. */
export interface KeptChain {
  readonly chain: KiteChain;
  readonly at: number;
}

/** The same for the same chain, whatever the order in which it came. */
export function chainText(chain: KiteChain): string {
  const { chainId, form, firstIndex, firstHash, salt, length } = chain;
  const { committedAt, publicKey, signature } = chain;
  return JSON.stringify({
    ...{ chainId, form, firstIndex, firstHash, salt, length },
    ...{ committedAt, publicKey, signature },
  });
}

export function flightText(chainId: string, index: number, seedHash: string): string {
  return `${chainId} ${index} ${seedHash}`;
}
