import type { SportsFixture } from "@perya/contract/sports";
import { SPORTS_STAKE } from "@perya/games/sports";
import { money } from "@perya/kernel/money";
import { expect, test } from "vitest";
import { lapseSession, leaveSession, startSession, useSession } from "../../shell/session.ts";
import { boardAfter, oddsText, sectionsOf } from "./board.ts";
import {
  accepted,
  betsOfSlip,
  betsToSend,
  isWorse,
  LEGS_MAX,
  readSlip,
  repricedBy,
  type Slip,
  type SlipLeg,
  takeNext,
  tapped,
  toldOdds,
  totalsOf,
  useSlip,
  without,
} from "./slip.ts";

const EMPTY: Slip = { legs: [], multi: false };

function leg(n: number, more: Partial<SlipLeg> = {}): SlipLeg {
  return {
    ...{ fixtureId: `fix_${n}`, sport: "football", home: `H${n}`, away: `A${n}` },
    ...{ market: "result", selection: "home", odds: 2_000, now: 2_000 },
    ...more,
  };
}

function fixture(n: number, odds: number | null, more: Partial<SportsFixture> = {}): SportsFixture {
  const selections = [{ selection: "home" as const, odds: odds ?? 0 }];
  return {
    ...{ id: `fix_${n}`, sport: "football", home: `H${n}`, away: `A${n}`, startsAt: n },
    ...{ phase: "next", tick: 0, score: { home: 0, away: 0 }, suspended: odds === null },
    ...{ chances: { home: 1, away: 1 }, seedHash: "", serverSeed: null },
    markets: odds === null ? [] : [{ market: "result", selections }],
    ...more,
  };
}

function slipOf(...legs: SlipLeg[]): Slip {
  return legs.reduce<Slip>((slip, one) => {
    const next = tapped(slip, one);
    if (typeof next === "string") throw new Error(next);
    return next;
  }, EMPTY);
}

test("a tap puts a selection on the slip, another of the same match replaces it, and the same tap removes it", () => {
  const one = slipOf(leg(1));
  expect(one.legs).toHaveLength(1);
  expect(slipOf(leg(1), leg(1, { selection: "away" })).legs).toEqual([
    leg(1, { selection: "away" }),
  ]);
  expect(tapped(one, leg(1))).toEqual(EMPTY);
});

test("a second match makes a multi, and the last one left is a single again", () => {
  const two = slipOf(leg(1), leg(2));
  expect(two.multi).toBe(true);
  expect(betsOfSlip(two)).toHaveLength(1);
  expect(betsOfSlip({ ...two, multi: false })).toHaveLength(2);
  expect(without(two, "fix_2").multi).toBe(false);
  // A player who chose singles keeps them.
  expect(tapped({ ...two, multi: false }, leg(3))).toMatchObject({ multi: false });
});

test("a slip takes no more than its maximum of selections, and only of one sport", () => {
  const full = slipOf(...Array.from({ length: LEGS_MAX }, (_, i) => leg(i)));
  expect(tapped(full, leg(99))).toBe("slip_full");
  expect(tapped(slipOf(leg(1)), leg(2, { sport: "esports" }))).toBe("slip_one_sport");
});

test("odds that fell are worse until they are accepted, and better odds are accepted automatically", () => {
  const slip = slipOf(leg(1), leg(2), leg(3));
  const moved = repricedBy(slip, [fixture(1, 1_900), fixture(2, 2_100), fixture(3, null)]);
  expect(moved.legs.map(({ odds, now }) => [odds, now])).toEqual([
    [2_000, 1_900],
    [2_100, 2_100],
    [2_000, null],
  ]);
  expect(moved.legs.map(isWorse)).toEqual([true, false, false]);
  expect(accepted(moved).legs.map(({ odds }) => odds)).toEqual([1_900, 2_100, 2_000]);
  const still = repricedBy(moved, [fixture(1, 1_900), fixture(2, 2_100)]);
  expect(still).toBe(moved);
});

test("totals equal the server's: stakes of all bets, and payouts cut to the centavo", () => {
  const slip = slipOf(leg(1, { odds: 1_330, now: 1_330 }), leg(2, { odds: 1_330, now: 1_330 }));
  expect(totalsOf(slip, 100n)).toEqual({ stakeMinor: 100n, potentialMinor: 176n, odds: 1_768 });
  const singles = totalsOf({ ...slip, multi: false }, 100n);
  expect(singles).toEqual({ stakeMinor: 200n, potentialMinor: 266n, odds: null });
  expect(oddsText(1_768)).toBe("1.76");
});

test("an event replaces the matches that it names and keeps the rest, in order of the start", () => {
  const board = { now: 1, fixtures: [fixture(1, 2_000), fixture(2, 2_000), fixture(4, 2_000)] };
  const changed = [fixture(2, 2_500, { phase: "live" }), fixture(3, 2_000)];
  const after = boardAfter(board, { type: "fixtures", now: 2, changed, gone: ["fix_1"] });
  expect(after.fixtures.map(({ id }) => id)).toEqual(["fix_2", "fix_3", "fix_4"]);
  const { live, next } = sectionsOf(after.fixtures, "football");
  expect([live, next].map((part) => part.map(({ id }) => id))).toEqual([
    ["fix_2"],
    ["fix_3", "fix_4"],
  ]);
  expect(sectionsOf(after.fixtures, "esports")).toEqual({ live: [], next: [] });
});

test("a visitor keeps the slip in a log-in, the same player finds it again, and another player an empty one", () => {
  const MARIA = { token: "a", merchantCode: "perya", userName: "maria", type: 0 };
  const logIn = (more: object) => startSession({ ...MARIA, firstTimeLogin: false, ...more });
  const made = slipOf(leg(1));
  useSession.setState({ session: null, lapsed: false });
  useSlip.setState(made);
  logIn({});
  expect(useSlip.getState()).toEqual(made);
  lapseSession("a");
  logIn({ token: "b" });
  expect(useSlip.getState()).toEqual(made);
  lapseSession("b");
  logIn({ token: "c", userName: "boyet" });
  expect(useSlip.getState()).toEqual(EMPTY);
  useSlip.setState(made);
  // Like a log-in in another tab.
  logIn({ token: "d" });
  expect(useSlip.getState()).toEqual(EMPTY);
  useSlip.setState(made);
  leaveSession();
  expect(useSlip.getState()).toEqual(EMPTY);
});

test("the rest of a slip that was pressed long ago is not sent when an answer comes at last", () => {
  const batch = { left: ["second", "third"], pressedAt: 1_000 };
  expect(takeNext(batch, 31_000)).toEqual({
    next: "second",
    batch: { left: ["third"], pressedAt: 1_000 },
  });
  const aNight = 9 * 3_600_000;
  expect(takeNext(batch, aNight)).toEqual({ batch: { left: [], pressedAt: 1_000 } });
});

test("a slip is placed with a valid stake, where the balance covers it and every leg is offered", () => {
  const slip = { ...slipOf(leg(1), leg(2)), multi: false };
  const read = (minor: bigint | null, availableMinor: bigint | null = null, any = false) =>
    readSlip(slip, {
      stake: minor === null ? null : money(minor, "PHP"),
      available: availableMinor === null ? null : money(availableMinor, "PHP"),
      any,
    });
  const { minMinor } = SPORTS_STAKE;
  expect(read(minMinor)).toMatchObject({
    ...{ isGood: true, stakeMinor: minMinor, isShort: false, isWorse: false, isClosed: false },
    totals: { stakeMinor: 2n * minMinor, potentialMinor: 4n * minMinor },
  });
  for (const bad of [null, 0n, minMinor - 1n]) {
    expect(read(bad)).toMatchObject({ isGood: false, stakeMinor: 0n, totals: { stakeMinor: 0n } });
  }
  expect(read(minMinor, 2n * minMinor).isShort).toBe(false);
  expect(read(minMinor, 2n * minMinor - 1n).isShort).toBe(true);
});

test("a slip whose odds fell waits for the player's consent, unless any odds are accepted, and a closed leg bars it", () => {
  const stake = { stake: money(SPORTS_STAKE.minMinor, "PHP"), available: null };
  const fell = slipOf(leg(1), leg(2, { now: 1_900 }));
  expect(readSlip(fell, { ...stake, any: false })).toMatchObject({
    isWorse: true,
    isClosed: false,
  });
  expect(readSlip(fell, { ...stake, any: true })).toMatchObject({ isWorse: false });
  const shut = slipOf(leg(1), leg(2, { now: null }));
  expect(readSlip(shut, { ...stake, any: false })).toMatchObject({
    isWorse: false,
    isClosed: true,
  });
});

test("bets are sent at the odds that the player saw, without the page's own data", () => {
  const slip = { ...slipOf(leg(1, { now: 1_900 }), leg(2)), multi: false };
  const bet = (n: number) => ({
    legs: [{ fixtureId: `fix_${n}`, market: "result", selection: "home", odds: 2_000 }],
    stake: { minor: "500", currency: "PHP" },
    accept: "better",
  });
  expect(betsToSend(slip, money(500n, "PHP"), "better")).toEqual([bet(1), bet(2)]);
});

test("a refusal's odds replace those of the legs that it concerns, and close the legs without odds", () => {
  const slip = slipOf(leg(1), leg(2), leg(3));
  const sent = betsToSend(slipOf(leg(1), leg(2)), money(500n, "PHP"), "any")[0]?.legs ?? [];
  expect(toldOdds(slip, sent, undefined)).toBe(slip);
  expect(toldOdds(slip, sent, [1_800, null]).legs.map(({ now }) => now)).toEqual([
    ...[1_800, null, 2_000],
  ]);
});
