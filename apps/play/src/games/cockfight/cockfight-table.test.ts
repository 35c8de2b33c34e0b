import type { CockfightBet } from "@perya/contract/cockfight";
import type { CockfightState } from "@perya/contract/socket";
import { mintId } from "@perya/kernel/ids";
import { expect, it } from "vitest";
import {
  betsOn,
  EMPTY_RING,
  ownResult,
  paysMinor,
  poolIn,
  ringReducer,
} from "./cockfight-table.ts";

const seed = (n: number) => new Uint8Array(16).fill(n);
const matchId = mintId("match", 1, seed(1));
const otherMatch = mintId("match", 2, seed(2));
const betId = mintId("bet", 1, seed(3));
const of = (minor: string, currency: "PHP" | "FUN" = "PHP") => ({
  minor: BigInt(minor),
  currency,
});
const pool = (meron: string, wala: string, currency: "PHP" | "FUN" = "PHP") => ({
  meron: of(meron, currency),
  wala: of(wala, currency),
  draw: of("0", currency),
});

function match(change: Partial<CockfightState> = {}): CockfightState {
  return {
    matchId,
    number: 7,
    phase: "betting",
    seedHash: "h",
    now: 0,
    closesAt: 10_000,
    fightsAt: null,
    exchanges: null,
    result: null,
    pools: [],
    history: [],
    ...change,
  };
}

function bet(change: Partial<CockfightBet> = {}): CockfightBet {
  const stake = of("1000");
  const waiting = { stake, payout: of("0"), state: "placed" as const };
  return { id: betId, matchId, number: 7, side: "meron", ...waiting, ...change };
}

it("pools move with their events, and a pool event of an old match moves nothing", () => {
  const shown = ringReducer(EMPTY_RING, { type: "snapshot", state: match() });
  const pools = [pool("1000", "0")];
  const moved = ringReducer(shown, { type: "live", event: { type: "pools", matchId, pools } });
  expect(moved.match?.pools).toEqual(pools);
  const late = { type: "pools" as const, matchId: otherMatch, pools: [] };
  expect(ringReducer(moved, { type: "live", event: late })).toBe(moved);
});

it("a settled bet never waits again, whichever answer comes last", () => {
  const shown = ringReducer(EMPTY_RING, { type: "snapshot", state: match() });
  const won = bet({ state: "won", payout: of("1900") });
  const settled = ringReducer(shown, { type: "mine", bets: [won] });
  expect(betsOn(ringReducer(settled, { type: "bet", bet: bet() }))).toEqual([won]);
});

it("bets of other matches do not count as bets of this one", () => {
  const state = match();
  const shown = ringReducer(EMPTY_RING, { type: "snapshot", state });
  const past = bet({ id: mintId("bet", 2, seed(4)), matchId: otherMatch });
  expect(betsOn(ringReducer(shown, { type: "mine", bets: [bet(), past] }))).toEqual([bet()]);
});

it("a player sees the pool of their own currency and its payout per peso", () => {
  const state = match({ pools: [pool("100000", "70000"), pool("100", "0", "FUN")] });
  const pesos = poolIn(state, "PHP");
  expect([paysMinor(pesos, "meron"), paysMinor(pesos, "wala"), paysMinor(pesos, "draw")]).toEqual([
    161n,
    230n,
    800n,
  ]);
  expect(paysMinor(poolIn(state, "FUN"), "wala")).toBeNull();
  expect(poolIn(null, "PHP").meronMinor).toBe(0n);
});

it.each([
  ["nothing yet", [bet()], null],
  ["a win", [bet({ state: "won", payout: of("1610") })], { kind: "won", backMinor: 1_610n }],
  ["a loss", [bet({ state: "lost" })], { kind: "lost", backMinor: 0n }],
  [
    "a return",
    [bet({ state: "returned", payout: of("1000") })],
    { kind: "returned", backMinor: 1_000n },
  ],
  // A return of no more than the cost is not celebrated.
  [
    "both sides of an even pool",
    [bet({ state: "won", payout: of("1900") }), bet({ state: "lost" })],
    { kind: "returned", backMinor: 1_900n },
  ],
] as const)("a player's bets give the result of a match: %s", (_what, bets, result) => {
  expect(ownResult(bets)).toEqual(result);
});
