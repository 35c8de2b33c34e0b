import type { KiteChain } from "@perya/contract/rounds";
import type { ShownChain } from "@perya/games/verify-round";

/** What a flight follows from, as it was shown while it could be bet on. */
export interface ShownFlight extends ShownChain {
  readonly chainId: string;
  readonly chainIndex: number;
  readonly seedHash: string;
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

/** All that fixes a flight: no chain that is told of later changes any of it. */
export function flightText(flight: ShownFlight): string {
  const { chainId, chainIndex, seedHash, form, firstIndex, firstHash, salt, length } = flight;
  return JSON.stringify({
    ...{ chainId, chainIndex, seedHash },
    ...{ form, firstIndex, firstHash, salt, length },
  });
}

/** Null for what an earlier build kept, perhaps of a flight that flew already. */
export function readFlight(text: string): ShownFlight | null {
  try {
    // Written by `flightText` alone, but for texts of before, which are no JSON.
    return JSON.parse(text) as ShownFlight;
  } catch {
    return null;
  }
}
