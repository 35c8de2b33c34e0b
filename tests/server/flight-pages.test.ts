import { channelEvents, type LiveBet, saranggolaState } from "@perya/contract/socket";
import type { OnWire } from "@perya/contract/wire";
import { present } from "@perya/kernel/assert";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  EMPTY_TABLE,
  type FlightTable,
  flightReducer,
} from "../../apps/play/src/games/saranggola/flight-table.ts";
import { SaranggolaView } from "../../apps/server/src/modules/saranggola/saranggola-view.ts";
import { localBus } from "../../apps/server/src/platform/bus.ts";
import { GATHER_MS } from "../../apps/server/src/platform/sockets/gathered.ts";
import type { Versioned } from "../../apps/server/src/platform/sockets/live.ts";
import { bet, flight } from "./shown-flight.ts";

const [BRAND, OTHER] = ["mer_1", "mer_2"];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
});

it("a page that joins between two events shows the same as a page that heard all, and no bet twice", () => {
  const step = fc.oneof(
    { weight: 30, arbitrary: fc.record({ do: fc.constant("bet" as const), pesos: fc.nat(60) }) },
    { weight: 15, arbitrary: fc.record({ do: fc.constant("again" as const), n: fc.nat(200) }) },
    { weight: 20, arbitrary: fc.record({ do: fc.constant("cash" as const), n: fc.nat(200) }) },
    { weight: 10, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(400) }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant("come" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("phase" as const) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 100, maxLength: 300 }), (steps) => {
      const pages: Page[] = [];
      const view = new SaranggolaView(localBus(), (brand, event) => {
        if (brand === BRAND) for (const page of pages) hear(page, event);
      });
      let shared = flight();
      let bets: OnWire<LiveBet>[] = [];
      let number = 1;
      const show = () => view.phase({ number, flight: shared }, { [BRAND]: bets, [OTHER]: [] });
      // Like the sockets: all pages that join while a version's snapshot is cached get that one.
      let kept: ReturnType<SaranggolaView["snapshot"]> = null;
      const come = () => {
        const fresh = present(view.snapshot(BRAND), "the picture");
        kept = kept?.version === fresh.version ? kept : fresh;
        const table = flightReducer(EMPTY_TABLE, { type: "snapshot", state: readState(kept.data) });
        pages.push({ version: kept.version, table });
      };
      show();
      come();
      for (const one of steps) {
        const known = bets.at(one.do === "again" || one.do === "cash" ? one.n % 100 : 0);
        if (one.do === "bet") {
          const placed = bet(BigInt(one.pesos), one.pesos % 3 === 0 ? "FUN" : "PHP");
          bets.push(placed);
          view.placed(shared.roundId, BRAND, placed);
          view.placed(shared.roundId, OTHER, bet(BigInt(one.pesos)));
        } else if (one.do === "again" && known !== undefined) {
          view.placed(shared.roundId, BRAND, known);
        } else if (one.do === "cash" && known !== undefined) {
          const cashed = { betId: known.betId, at: 200 + one.n, payout: known.stake };
          const out = { ...known, cashedOutAt: cashed.at, payout: cashed.payout };
          bets = bets.map((any) => (any.betId === known.betId ? out : any));
          view.cashed(shared.roundId, BRAND, cashed);
        } else if (one.do === "wait") vi.advanceTimersByTime(one.ms);
        else if (one.do === "come") come();
        else if (one.do === "phase" && shared.phase === "waiting") {
          shared = { ...shared, phase: "flying" };
          show();
        } else if (one.do === "phase") {
          [shared, bets, number] = [flight(), [], number + 1];
          show();
        }
      }
      vi.advanceTimersByTime(GATHER_MS);
      const { version, data } = present(view.snapshot(BRAND), "the picture");
      const isFree = ({ stake }: OnWire<LiveBet>) => Number(stake.currency === "FUN");
      const largestFirst = (a: OnWire<LiveBet>, b: OnWire<LiveBet>) =>
        isFree(a) - isFree(b) || Number(b.stake.minor) - Number(a.stake.minor);
      expect(data.bets).toEqual([...bets].sort(largestFirst).slice(0, 40));
      expect(data.betCount).toBe(bets.length);
      const shown = readState(data);
      for (const page of pages) {
        expect(page.version).toBe(version);
        expect(page.table.flight).toEqual(shown);
      }
    }),
    { numRuns: 100 },
  );
});

interface Page {
  version: number;
  table: FlightTable;
}

function readState(data: unknown) {
  return saranggolaState.parse(data);
}

/** Applies an event by the rules of `packages/client/src/live.ts`. */
function hear(page: Page, { version, after, event }: Versioned): void {
  if (version <= page.version) return;
  expect(after, "a page that missed nothing asks for nothing").toBeLessThanOrEqual(page.version);
  page.version = version;
  const told = channelEvents.saranggola.parse(event);
  page.table = flightReducer(page.table, { type: "live", event: told });
}
