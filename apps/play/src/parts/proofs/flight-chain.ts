import type { FlightChain } from "@perya/contract/saranggola";
import type { ShownChain } from "@perya/games/verify-round";

/** The data that fixes a flight, as it was shown while it could be bet on. */
export interface ShownFlight extends ShownChain {
  readonly chainId: string;
  readonly chainIndex: number;
  readonly seedHash: string;
}

/** The same for the same chain, whatever the order of its fields. */
export function chainText(chain: FlightChain): string {
  const { chainId, form, firstIndex, firstHash, salt, length } = chain;
  const { committedAt, publicKey, signature } = chain;
  return JSON.stringify({
    ...{ chainId, form, firstIndex, firstHash, salt, length },
    ...{ committedAt, publicKey, signature },
  });
}

/** All that fixes a flight: no chain that the server names later changes any of it. */
export function flightText(flight: ShownFlight): string {
  const { chainId, chainIndex, seedHash, form, firstIndex, firstHash, salt, length } = flight;
  return JSON.stringify({
    ...{ chainId, chainIndex, seedHash },
    ...{ form, firstIndex, firstHash, salt, length },
  });
}

/** Null for data that an earlier build kept, perhaps of a flight that flew already. */
export function readFlight(text: string): ShownFlight | null {
  try {
    // Written by `flightText` alone, except for texts of earlier builds, which are not JSON.
    return JSON.parse(text) as ShownFlight;
  } catch {
    return null;
  }
}
