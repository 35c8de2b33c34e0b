import type { ListedLottery } from "@perya/contract/lottery";
import type { KiteChain } from "@perya/contract/rounds";
import type { CockfightState, SaranggolaState } from "@perya/contract/socket";
import type { SportsFixture } from "@perya/contract/sports";
import { api } from "../shell/server.ts";
import { deviceStore } from "./kept-text.ts";
import { chainText, flightText, type KeptChain } from "./kite-chain.ts";
import { fixtureText, ShownBefore } from "./shown-before.ts";

/** What this device was shown. */
export const shownHere = new ShownBefore(deviceStore(), () => api.serverNow());

/** Keeps what is shown of a flight that can still be bet on, or flies, and of its chain. */
export function keepFlight(state: SaranggolaState): void {
  const { chain, chainIndex, roundId, seedHash, phase } = state;
  // A process of before says nothing of either.
  if (chain === undefined || chainIndex === undefined) return;
  if (chain !== null) keepChains([chain]);
  if (chain === null || (phase !== "waiting" && phase !== "flying")) return;
  shownHere.keep("flight", [[roundId, flightText(chain.chainId, chainIndex, seedHash)]]);
}

export function keepChains(chains: readonly KiteChain[]): void {
  shownHere.keep(
    "chain",
    chains.map((chain) => [chain.chainId, chainText(chain)]),
  );
  const first = chains.at(-1);
  if (first !== undefined) shownHere.keep("key", [["saranggola", first.publicKey]]);
}

export function keptChain(chainId: string): KeptChain | null {
  const kept = shownHere.find("chain", chainId);
  if (kept === null) return null;
  // Written by `chainText` alone.
  const chain = JSON.parse(kept.text) as KiteChain;
  return { chain, at: kept.at };
}

/** The key of the first chain that this device was shown. */
export function firstKey(): string | null {
  return shownHere.find("key", "saranggola")?.text ?? null;
}

/** Keeps what pairs that are secret still deal by: the one in use, and the next one's hash. */
export function keepPairs(inUse: {
  readonly seedId: string;
  readonly serverSeedHash: string;
  readonly clientSeed: string;
  readonly next?: { readonly seedId: string; readonly serverSeedHash: string } | undefined;
}): void {
  const { seedId, serverSeedHash, clientSeed, next } = inUse;
  const pairs = [{ seedId, serverSeedHash }, ...(next === undefined ? [] : [next])];
  shownHere.keep(
    "pair",
    pairs.map((pair) => [pair.seedId, pair.serverSeedHash]),
  );
  keepClientSeed(seedId, clientSeed);
}

/** Keeps the client seed of a pair: the player's own, where they chose it here. */
export function keepClientSeed(seedId: string, clientSeed: string): void {
  shownHere.keep("client", [[seedId, clientSeed]]);
}

/** Keeps the hash of a fight whose result is still to come. */
export function keepFight({ matchId, seedHash, result }: CockfightState): void {
  if (result === null) shownHere.keep("fight", [[matchId, seedHash]]);
}

/** Keeps the hashes of draws that are still to be held. */
export function keepDraws(lotteries: readonly ListedLottery[]): void {
  const next = lotteries.flatMap((one) => one.next ?? []);
  const open = next.filter(({ serverSeed }) => serverSeed === null);
  shownHere.keep(
    "draw",
    open.map(({ id, seedHash }) => [id, seedHash]),
  );
}

/** Keeps what matches that are still to end follow from. */
export function keepFixtures(fixtures: readonly SportsFixture[]): void {
  const open = fixtures.filter(({ phase }) => phase !== "over" && phase !== "voided");
  shownHere.keep(
    "fixture",
    open.map((one) => [one.id, fixtureText(one)]),
  );
}
