import { mintId } from "@perya/kernel/ids";
import { expect, it } from "vitest";
import { linkedBuses } from "../../../../../tests/server/linked-buses.ts";
import { systemEntropy } from "../../platform/entropy.ts";
import { CockfightView, type SharedMatch } from "./cockfight-view.ts";

const BRAND = "mer_1";

it("what every process shows gives way to an earlier number once the database goes on from before it", () => {
  const { one, other } = linkedBuses();
  const views = [new CockfightView(one, () => 0), new CockfightView(other, () => 0)];
  const [teller, watcher] = views as [CockfightView, CockfightView];
  const numbers = () => views.map((view) => view.snapshot(BRAND)?.data.number);
  teller.phase(match(105), { [BRAND]: [] });
  watcher.read(match(101), { [BRAND]: [] });
  teller.phase(match(101), { [BRAND]: [] });
  expect(numbers()).toEqual([105, 105]);
  for (const view of views) view.giveWay();
  // Nobody sees an empty ring meanwhile.
  expect(numbers()).toEqual([105, 105]);
  expect(watcher.lacks({ ...match(101), bets: 0 })).toBe(true);
  watcher.read(match(101), { [BRAND]: [] });
  teller.phase(match(101), { [BRAND]: [] });
  expect(numbers()).toEqual([101, 101]);
  // From then on none gives way to an earlier one.
  teller.phase(match(100), { [BRAND]: [] });
  expect(numbers()).toEqual([101, 101]);
});

function match(number: number): SharedMatch {
  const matchId = mintId("match", 1_000, systemEntropy.bytes(16));
  const when = { now: 1_000, closesAt: 2_000, fightsAt: null };
  const unknown = { exchanges: null, result: null };
  return { matchId, number, phase: "betting", seedHash: "", ...when, ...unknown, history: [] };
}
