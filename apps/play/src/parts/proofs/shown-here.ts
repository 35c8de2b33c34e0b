import { deviceStore } from "@perya/client/browser-storage";
import type { ListedLottery } from "@perya/contract/lottery";
import type { SeedInUse } from "@perya/contract/rounds";
import type { FlightChain } from "@perya/contract/saranggola";
import type { CockfightState, SaranggolaState } from "@perya/contract/socket";
import type { SportsFixture } from "@perya/contract/sports";
import { api } from "../../shell/server.ts";
import { chainText, flightText, readFlight, type ShownFlight } from "./flight-chain.ts";
import { fixtureText, ShownBefore } from "./shown-before.ts";

/** What this device was shown. */
export const shownHere = new ShownBefore(deviceStore(), () => api.serverNow());

/**
 * Keeps the data that fixes a flight while it can be bet on, and the published data of its chain.
 * At any other time nothing is kept: made-up chains would push the real ones out.
 */
export function keepFlight(state: SaranggolaState): void {
  const { chain, chainIndex, roundId, seedHash, phase } = state;
  // A process of an earlier version sends neither.
  if (chain == null || chainIndex === undefined || phase !== "waiting") return;
  shownHere.keep("flight", [[roundId, flightText({ ...chain, chainIndex, seedHash })]]);
  shownHere.keep("chain", [[chain.chainId, chainText(chain)]]);
  shownHere.keep("key", [["saranggola", chain.publicKey]]);
}

/** The data that fixed a flight, as this device was shown it while it could be bet on. */
export function keptFlight(roundId: string): ShownFlight | null {
  const kept = shownHere.find("flight", roundId);
  return kept === null ? null : readFlight(kept.text);
}

export function keptChain(chainId: string): FlightChain | null {
  const kept = shownHere.find("chain", chainId);
  // Written by `chainText` alone.
  return kept === null ? null : (JSON.parse(kept.text) as FlightChain);
}

/** The key of the first chain that this device was shown. */
export function firstKey(): string | null {
  return shownHere.find("key", "saranggola")?.text ?? null;
}

type HashedPair = Pick<SeedInUse, "seedId" | "serverSeedHash">;

/** Keeps the hashes of pairs that are still secret: the one in use, and the next. */
export function keepPairs(inUse: HashedPair & Pick<SeedInUse, "next">): void {
  const pairs = inUse.next === undefined ? [inUse] : [inUse, inUse.next];
  shownHere.keep(
    "pair",
    pairs.map((pair) => [pair.seedId, pair.serverSeedHash]),
  );
}

/** The client seed that this device chose for a pair, and the pair's hash as shown by then. */
export interface OwnSeed {
  readonly clientSeed: string;
  readonly serverSeedHash: string;
  readonly at: number;
}

/**
 * Keeps the client seed that this device is about to send for the next pair. The first one sent
 * stays: the house could choose between two.
 * @returns the client seed to send
 */
export function keepOwnSeed(next: HashedPair, clientSeed: string): string {
  const hash = shownHere.find("pair", next.seedId)?.text ?? next.serverSeedHash;
  shownHere.keep("client", [[next.seedId, `${clientSeed} ${hash}`]]);
  return ownSeed(next.seedId)?.clientSeed ?? clientSeed;
}

/** Null where this device sent none: a seed that the house names is not the player's choice. */
export function ownSeed(seedId: string): OwnSeed | null {
  const kept = shownHere.find("client", seedId);
  // A client seed has no space. An earlier build kept no hash, and kept the house's statement.
  const end = kept?.text.indexOf(" ") ?? -1;
  if (kept === null || end < 0) return null;
  const { text, at } = kept;
  return { clientSeed: text.slice(0, end), serverSeedHash: text.slice(end + 1), at };
}

/** Keeps the hash of a fight while it can be bet on. */
export function keepFight({ matchId, seedHash, phase }: CockfightState): void {
  if (phase === "betting") shownHere.keep("fight", [[matchId, seedHash]]);
}

/** Keeps the hashes of draws while they can be bet on. */
export function keepDraws(lotteries: readonly ListedLottery[]): void {
  const next = lotteries.flatMap((one) => one.next ?? []);
  const now = api.serverNow();
  const open = next.filter(({ state, drawsAt }) => state === "open" && now < drawsAt);
  shownHere.keep(
    "draw",
    open.map(({ id, seedHash }) => [id, seedHash]),
  );
}

/** Keeps the inputs of matches while anything of them can be bet on, before them or live. */
export function keepFixtures(fixtures: readonly SportsFixture[]): void {
  const open = fixtures.filter(
    ({ phase, markets }) => (phase === "next" || phase === "live") && markets.length > 0,
  );
  shownHere.keep(
    "fixture",
    open.map((one) => [one.id, fixtureText(one)]),
  );
}
