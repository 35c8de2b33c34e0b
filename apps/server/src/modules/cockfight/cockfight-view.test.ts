import { mintId } from "@perya/kernel/ids";
import { money, toWire } from "@perya/kernel/money";
import { expect, it, vi } from "vitest";
import { linkedBuses } from "../../../../../tests/server/linked-buses.ts";
import { localBus } from "../../platform/bus.ts";
import { systemEntropy } from "../../platform/entropy.ts";
import { GATHER_MS } from "../../platform/sockets/gathered.ts";
import type { Versioned } from "../../platform/sockets/live.ts";
import { CockfightView, type SharedMatch } from "./cockfight-view.ts";

const [BRAND, OTHER] = ["mer_1", "mer_2"];

it("every process replaces what it shows by an earlier number once the database goes on from an earlier moment", () => {
  const { one, other } = linkedBuses();
  const views = [new CockfightView(one, () => 0), new CockfightView(other, () => 0)];
  const [teller, watcher] = views as [CockfightView, CockfightView];
  const numbers = () => views.map((view) => view.snapshot(BRAND)?.data.number);
  teller.phase({ match: match(105) }, { [BRAND]: [] });
  watcher.read({ match: match(101) }, { [BRAND]: [] });
  teller.phase({ match: match(101) }, { [BRAND]: [] });
  expect(numbers()).toEqual([105, 105]);
  for (const view of views) view.giveWay();
  // Nobody sees an empty ring meanwhile.
  expect(numbers()).toEqual([105, 105]);
  expect(watcher.lacks({ ...match(101), bets: 0 })).toBe(true);
  watcher.read({ match: match(101) }, { [BRAND]: [] });
  teller.phase({ match: match(101) }, { [BRAND]: [] });
  expect(numbers()).toEqual([101, 101]);
  // From then on no match is replaced by an earlier one.
  teller.phase({ match: match(100) }, { [BRAND]: [] });
  expect(numbers()).toEqual([101, 101]);
});

it("a thousand stakes at once are one event to a brand's sockets, with the pools in their present state", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const told: (Versioned & { brand: string })[] = [];
  const view = new CockfightView(localBus(), (brand, event) => told.push({ brand, ...event }));
  const shown = match(1);
  view.phase({ match: shown }, { [BRAND]: [], [OTHER]: [] });
  const before = told.splice(0).at(-1)?.version ?? 0;
  const stakes = (times: number) => {
    for (let n = 0; n < times; n++) {
      const stake = money(100n, "PHP");
      view.staked({ matchId: shown.matchId, merchantId: BRAND, side: "meron", stake });
    }
  };
  stakes(1_000);
  expect(told).toEqual([]);
  // A page that comes meanwhile is shown all, and takes the next event.
  expect(view.snapshot(BRAND)).toMatchObject({
    version: before,
    data: { pools: [pool(100_000n)] },
  });
  vi.advanceTimersByTime(GATHER_MS);
  const event = { type: "pools", matchId: shown.matchId, pools: [pool(100_000n)] };
  expect(told).toEqual([{ brand: BRAND, version: before + 1, after: 0, event }]);
  expect(view.snapshot(BRAND)?.version).toBe(before + 1);
  // A phase is sent at once, and nothing of the pools after it.
  stakes(3);
  view.phase({ match: { ...shown, phase: "closed" } }, { [BRAND]: [pool(100_300n)], [OTHER]: [] });
  vi.advanceTimersByTime(60_000);
  expect(told.slice(1).map((one) => [one.brand, one.event])).toMatchObject([
    [BRAND, { type: "phase", state: { phase: "closed", pools: [pool(100_300n)] } }],
    [OTHER, { type: "phase" }],
  ]);
  vi.useRealTimers();
});

function pool(meronMinor: bigint) {
  const none = toWire(money(0n, "PHP"));
  return { meron: toWire(money(meronMinor, "PHP")), wala: none, draw: none };
}

function match(number: number): SharedMatch {
  const matchId = mintId("match", 1_000, systemEntropy.bytes(16));
  const when = { now: 1_000, closesAt: 2_000, fightsAt: null };
  const unknown = { exchanges: null, result: null };
  return { matchId, number, phase: "betting", seedHash: "", ...when, ...unknown, history: [] };
}
