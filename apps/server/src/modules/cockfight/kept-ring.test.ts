import { setTimeout as realSleep } from "node:timers/promises";
import { present } from "@perya/kernel/assert";
import { HOUR_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { taken } from "../../../../../tests/server/answers.ts";
import { openCockpit } from "../../../../../tests/server/cockpit.ts";
import { isQuiet } from "../../../../../tests/server/fixtures.ts";
import { linkedBuses } from "../../../../../tests/server/linked-buses.ts";
import { localBus } from "../../platform/bus.ts";
import { KEEPER_LEASE_MS, Keeper } from "../../platform/keeper.ts";
import { createLease } from "../../platform/lease.ts";
import { createLogger } from "../../platform/log.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { currentMatch, findMatch } from "./cockfight.store.ts";
import { BETTING_MS, Cockfight } from "./cockfight.ts";
import { CockfightView } from "./cockfight-view.ts";

const world = await openCockpit("the keeper of the ring");
const { clock, entropy, db, ledger, otherLedger, merchant, player, available, process } = world;
const { open, bet } = world;
const log = createLogger({ level: "silent" });
let { ring, other, view } = world.opened();

beforeEach(() => {
  ({ ring, other, view } = world.opened());
});
afterEach(world.expectOver);

describe("the keeper of the ring", () => {
  beforeEach(() => {
    // Only the keeper waits by timers here; the database's sockets go on in real time.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });

  it("holds one match after another, and resumes what a dead one left", async () => {
    const match = await open("meron");
    const [ana, ben] = [await player(10_000n), await player(10_000n)];
    taken(await ring.bet(merchant, ana, bet(match, "meron", 1_000n)));
    taken(await ring.bet(merchant, ben, bet(match, "wala", 1_000n)));
    const dead = leaseOf("dead");
    expect(await dead.hold()).toBe(true);
    const keeper = keeperOf(other);
    keeper.start();
    await until(async () => (await findMatch(db.pool, match.id))?.settled_at != null);
    expect(await available(ana)).toBe(10_900n);
    await until(async () => {
      const next = await currentMatch(db.pool);
      return next !== null && next.id !== match.id;
    });
    await keeper.stop();
    const { rows } = await db.pool.query("SELECT holder FROM leases WHERE name = 'cockfight'");
    expect(rows).toEqual([]);
  });

  it("ends a match in the usual time that a clock an hour ahead had opened", async () => {
    clock.advance(HOUR_MS);
    const match = await open("meron");
    clock.advance(-HOUR_MS);
    const session = await player(10_000n);
    taken(await ring.bet(merchant, session, bet(match, "meron", 1_000n)));
    const begunAt = clock.now();
    const keeper = keeperOf(other);
    keeper.start();
    await until(async () => (await findMatch(db.pool, match.id))?.settled_at != null);
    expect(clock.now() - begunAt).toBeLessThan(4 * BETTING_MS);
    await keeper.stop();
  });

  it("ends a match in the usual time if the clock is set back an hour during it", async () => {
    for (const phase of ["betting", "fighting"]) {
      const match = await open("meron");
      const session = await player(10_000n);
      taken(await ring.bet(merchant, session, bet(match, "meron", 1_000n)));
      const keeper = keeperOf(other);
      keeper.start();
      await until(async () => {
        const { rowCount } = await db.pool.query("SELECT 1 FROM leases WHERE name = 'cockfight'");
        return rowCount === 1 && (await findMatch(db.pool, match.id))?.phase === phase;
      });
      // It waits for the end of this step.
      await realSleep(50);
      clock.set(clock.now() - HOUR_MS);
      const setBackAt = clock.now();
      await until(async () => (await findMatch(db.pool, match.id))?.settled_at != null);
      expect(clock.now() - setBackAt).toBeLessThan(3 * BETTING_MS);
      expect(await available(session)).toBe(10_000n);
      await keeper.stop();
    }
  });

  it("holds no match if no brand has the key", async () => {
    const nobody = new Cockfight({
      ...{ pool: db.pool, wallet: new VendorWallet(db.pool, ledger, clock), clock, entropy, view },
      brands: async () => [],
      ...{ playRefusal: async () => null, sure: async () => undefined },
    });
    expect(await nobody.prepare()).toBeNull();
    expect(await currentMatch(db.pool)).toBeNull();
  });

  function leaseOf(holder: string) {
    return createLease(db.pool, clock, "cockfight", holder, KEEPER_LEASE_MS);
  }

  function keeperOf(held: Cockfight): Keeper {
    const lease = leaseOf("heir");
    return new Keeper({
      ...{ kept: held.kept(), lease, clock, elapsed: clock.elapsed, log, trouble: "left" },
    });
  }

  /** Advances manual time and the timers together until the condition holds. */
  async function until(done: () => Promise<boolean>): Promise<void> {
    const look = async () => {
      if (await done()) return true;
      if (!isQuiet(db.pool)) return false;
      clock.advance(100);
      vi.advanceTimersByTime(100);
      return false;
    };
    await expect.poll(look, { interval: 1, timeout: 15_000 }).toBe(true);
  }
});

it("a match is shown in its present state by a process that started during it", async () => {
  const match = await open();
  taken(await ring.bet(merchant, await player(1_000n), bet(match, "wala", 300n)));
  const late = new CockfightView(localBus(), () => undefined);
  await process(otherLedger, late).watch();
  const shown = present(view.snapshot(merchant.id), "the picture").data;
  const seen = present(late.snapshot(merchant.id), "the late picture").data;
  expect({ ...seen, now: 0 }).toEqual({ ...shown, now: 0 });
});

it("a match is shown in its present state by another process while the bus is cut, and never taken back", async () => {
  const buses = linkedBuses();
  let times = 0;
  const here = new CockfightView(buses.one, () => undefined);
  const there = new CockfightView(buses.other, () => times++);
  const [holder, watcher] = [process(ledger, here), process(otherLedger, there)];
  const shownBy = (view: CockfightView) => ({ ...view.snapshot(merchant.id)?.data, now: 0 });
  const seenAlike = async () => {
    await watcher.watch();
    expect(shownBy(there)).toEqual(shownBy(here));
  };
  let match = present(await holder.prepare(), "a match");
  buses.cut();
  taken(await holder.bet(merchant, await player(1_000n), bet(match, "wala", 300n)));
  await seenAlike();
  clock.set(match.closes_at.getTime());
  while (match.settled_at === null) {
    match = await holder.advance(match);
    await seenAlike();
  }
  buses.mend();
  const [shown, told] = [shownBy(there), times];
  buses.bringLate();
  expect(shownBy(there)).toEqual(shown);
  expect(times).toBe(told);
});
