import { channelEvents, saranggolaState } from "@perya/contract/socket";
import { present } from "@perya/kernel/assert";
import { moneyReplacer } from "@perya/kernel/money";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { linkedBuses } from "../../../../../tests/server/linked-buses.ts";
import { bet, flight } from "../../../../../tests/server/shown-flight.ts";
import { localBus } from "../../platform/bus.ts";
import { GATHER_MS } from "../../platform/sockets/gathered.ts";
import type { Versioned } from "../../platform/sockets/live.ts";
import { SaranggolaView } from "./saranggola-view.ts";

const BRAND = "mer_1";
const OTHER = "mer_2";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
});

it("every process replaces what it shows by an earlier number once the database goes on from an earlier moment", () => {
  const { one, other } = linkedBuses();
  const views = [new SaranggolaView(one, () => 0), new SaranggolaView(other, () => 0)];
  const [teller, watcher] = views as [SaranggolaView, SaranggolaView];
  const [lost, stands] = [flight(), flight()];
  teller.phase({ number: 105, flight: lost }, { [BRAND]: [] });
  const shown = () => views.map((view) => view.snapshot(BRAND)?.data.roundId);
  const waiting = { number: 101, phase: stands.phase, startsAt: stands.startsAt, bets: "" };
  watcher.read({ number: 101, flight: stands }, { [BRAND]: [] });
  teller.phase({ number: 101, flight: stands }, { [BRAND]: [] });
  expect(shown()).toEqual([lost.roundId, lost.roundId]);
  for (const view of views) view.giveWay();
  // Nobody sees an empty sky meanwhile.
  expect(shown()).toEqual([lost.roundId, lost.roundId]);
  expect(watcher.lacks(waiting)).toBe(true);
  watcher.read({ number: 101, flight: stands }, { [BRAND]: [] });
  teller.phase({ number: 101, flight: stands }, { [BRAND]: [] });
  expect(shown()).toEqual([stands.roundId, stands.roundId]);
  // From then on no flight is replaced by an earlier one.
  teller.phase({ number: 100, flight: flight() }, { [BRAND]: [] });
  expect(shown()).toEqual([stands.roundId, stands.roundId]);
});

it("a thousand bets and cash-outs at once are one event to a brand's sockets, and none to another's", () => {
  const told: [brand: string, event: Versioned][] = [];
  const view = new SaranggolaView(localBus(), (brand, event) => told.push([brand, event]));
  const { shared, bets } = crowd(view, 1_000);
  told.length = 0;
  for (const { betId, stake } of bets.slice(0, 500)) {
    view.cashed(shared.roundId, BRAND, { betId, at: 210, payout: stake });
  }
  expect(told).toEqual([]);
  vi.advanceTimersByTime(GATHER_MS);
  expect(told.map(([brand]) => brand)).toEqual([BRAND]);
  // Nothing new, nothing sent; and earlier events do not delay the next.
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(1);
  view.placed(shared.roundId, BRAND, bet(1n));
  vi.advanceTimersByTime(GATHER_MS);
  expect(told).toHaveLength(2);
});

it("gathered changes delay no phase, and are not sent after it", () => {
  const told: Versioned[] = [];
  const view = new SaranggolaView(localBus(), (_, event) => told.push(event));
  const { shared, bets } = crowd(view, 3);
  told.length = 0;
  view.phase({ number: 1, flight: { ...shared, phase: "flying" } }, { [BRAND]: bets });
  expect(told).toMatchObject([{ after: 0, event: { type: "phase", state: { betCount: 3 } } }]);
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(1);
});

it("a cash-out of a bet that is not listed changes nothing, and causes no event", () => {
  const told: Versioned[] = [];
  const view = new SaranggolaView(localBus(), (_, event) => told.push(event));
  const { shared, bets } = crowd(view, 2);
  vi.advanceTimersByTime(GATHER_MS);
  told.length = 0;
  const before = view.snapshot(BRAND);
  const [{ stake: payout }] = bets as [(typeof bets)[number]];
  view.cashed(shared.roundId, BRAND, { betId: "bet_unknown", at: 210, payout });
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
  expect(view.snapshot(BRAND)).toEqual(before);
});

it("events about a flight of ten thousand bets stay small, in each phase and between two", () => {
  const told: Versioned[] = [];
  const view = new SaranggolaView(localBus(), (_, event) => told.push(event));
  const { shared, bets } = crowd(view, 10_000);
  vi.advanceTimersByTime(GATHER_MS);
  view.phase({ number: 1, flight: { ...shared, phase: "flying" } }, { [BRAND]: bets });
  const { data } = present(view.snapshot(BRAND), "the picture");
  // A socket is closed if it is behind by 512 KB, which are sixty of these.
  for (const one of [...told, data]) expect(JSON.stringify(one).length).toBeLessThan(8_192);
  expect(data).toMatchObject({ betCount: 10_000, bets: { length: 40 } });
  expect(onWire(saranggolaState.parse(data))).toEqual(data);
  for (const { event } of told) {
    expect(onWire(channelEvents.saranggola.parse(event))).toEqual(event);
  }
  // The largest of all, in any order of arrival.
  const least = Math.min(...data.bets.map(({ stake }) => Number(stake.minor)));
  expect(bets.filter(({ stake }) => Number(stake.minor) > least).length).toBeLessThan(40);
});

it("bets for money are listed before free play, whatever its stakes, and all are counted", () => {
  const view = new SaranggolaView(localBus(), () => undefined);
  const shared = flight();
  view.phase({ number: 1, flight: shared }, { [BRAND]: [] });
  for (let n = 0; n < 60; n++) view.placed(shared.roundId, BRAND, bet(500_000n, "FUN"));
  const real = [bet(400n), bet(300_000n), bet(400n)];
  for (const one of real) view.placed(shared.roundId, BRAND, one);
  const { bets, betCount } = present(view.snapshot(BRAND), "the picture").data;
  expect(bets.slice(0, 3)).toEqual([real[1], real[0], real[2]]);
  expect([bets.length, betCount]).toEqual([40, 63]);
});

/** So many bets on a flight that waits, with stakes in any order. */
function crowd(view: SaranggolaView, size: number) {
  const shared = flight();
  view.phase({ number: 1, flight: shared }, { [BRAND]: [], [OTHER]: [] });
  const bets = Array.from({ length: size }, (_, n) => bet(BigInt((n * 7_919) % size)));
  for (const one of bets) view.placed(shared.roundId, BRAND, one);
  return { shared, bets };
}

/** What was read, as it was sent: a field that the contract does not have is missing. */
function onWire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, moneyReplacer));
}
