import { mintId } from "@perya/kernel/ids";
import { expect, it } from "vitest";
import { linkedBuses } from "../../../../../tests/server/linked-buses.ts";
import { systemEntropy } from "../../platform/entropy.ts";
import { KiteView, type SharedFlight } from "./kite-view.ts";

const BRAND = "mer_1";

it("what every process shows gives way to an earlier number once the database goes on from before it", () => {
  const { one, other } = linkedBuses();
  const views = [new KiteView(one, () => 0), new KiteView(other, () => 0)];
  const [teller, watcher] = views as [KiteView, KiteView];
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
  // From then on none gives way to an earlier one.
  teller.phase({ number: 100, flight: flight() }, { [BRAND]: [] });
  expect(shown()).toEqual([stands.roundId, stands.roundId]);
});

function flight(): SharedFlight {
  const roundId = mintId("round", 1_000, systemEntropy.bytes(16));
  const when = { now: 1_000, startsAt: 2_000, crashedAt: null };
  return { roundId, phase: "waiting", seedHash: "", ...when, history: [] };
}
