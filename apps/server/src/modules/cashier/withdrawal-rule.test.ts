import { HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, describe, expect, it } from "vitest";
import { taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness } from "../../../../../tests/server/cashier-harness.ts";
import type { Session } from "../identity/identity.ts";

const WAIT_MINUTES = 60;
const harness = await openCashierHarness("withdrawal rule", {
  openMax: 30,
  autoApproveMaxMinor: "500000",
  autoApproveDaily: { playerMinor: "300000", destinationMinor: "300000", deviceMinor: "300000" },
  newDestinationWaitMinutes: WAIT_MINUTES,
});
const { act, cashier, clock, db, elsewhere, ledger, payouts, player, runJobs, sweep } = harness;
const { withdraw, withdrawal } = harness;

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

let numbers = 0;

/** A number to which the player was paid before, so long ago that no sum counts it. */
async function knownNumber(...sessions: readonly Session[]): Promise<string> {
  numbers += 1;
  const destination = `0918${2_000_001 + numbers}`;
  for (const session of sessions) {
    const { id } = taken(await withdraw(session, 10_000n, { destination }));
    await cashier.withdrawals.approve(id, act);
  }
  await runJobs();
  clock.advance(25 * HOUR_MS);
  return destination;
}

/** Reviews all at once, in two processes, and answers how many the rule let out. */
async function letOut(ids: readonly string[]): Promise<number> {
  await Promise.all(ids.map((id, i) => (i % 2 ? cashier : elsewhere).withdrawals.review(id)));
  const { rows } = await db.pool.query<{ out: number }>(
    "SELECT count(*)::int AS out FROM withdrawals WHERE id = ANY ($1) AND approved_at IS NOT NULL",
    [ids],
  );
  await runJobs();
  return rows[0]?.out ?? 0;
}

async function reasonsOf(session: Session, id: string) {
  return (await withdrawal(session, id)).wait_reasons;
}

describe("the rule that lets withdrawals out", () => {
  it("stops at a player's sum per day, even if many are requested at once to any number", async () => {
    const session = await player(2_000_000n);
    const known = [await knownNumber(session), await knownNumber(session)];
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) {
      const destination = known[i % 2];
      ids.push(taken(await withdraw(session, 49_000n, { destination })).id);
    }
    expect(await letOut(ids)).toBe(6);
    const waiting = await Promise.all(ids.map((id) => reasonsOf(session, id)));
    expect(waiting.filter((reasons) => reasons.includes("player_day"))).toHaveLength(14);
  });

  it("stops at a destination's sum per day, for any players", async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => player(500_000n)));
    const destination = await knownNumber(...sessions);
    const asked = await Promise.all(
      sessions.map(async (one) => taken(await withdraw(one, 100_000n, { destination })).id),
    );
    expect(await letOut(asked)).toBe(3);
    const [last = "", session] = [asked.at(-1), sessions.at(-1)];
    expect(session).toBeDefined();
    const all = await Promise.all(sessions.map((one, i) => reasonsOf(one, asked[i] ?? last)));
    expect(all.filter((reasons) => reasons.join() === "destination_day")).toHaveLength(2);
  });

  it("stops at a device's sum per day, for any players and destinations", async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => player(500_000n)));
    const numbersOf: string[] = [];
    for (const one of sessions) numbersOf.push(await knownNumber(one));
    const asked = await Promise.all(
      sessions.map(async (one, i) => {
        const change = { destination: numbersOf[i], device: "one browser of many names" };
        return taken(await withdraw(one, 100_000n, change)).id;
      }),
    );
    expect(await letOut(asked)).toBe(3);
    const all = await Promise.all(sessions.map((one, i) => reasonsOf(one, asked[i] ?? "")));
    expect(all.filter((reasons) => reasons.join() === "device_day")).toHaveLength(2);
  });

  it("stops at sixteen devices' sum per day in a wide block of addresses, however many it has", async () => {
    const sessions = await Promise.all(Array.from({ length: 18 }, () => player(500_000n)));
    const numbersOf: string[] = [];
    for (const one of sessions) numbersOf.push(await knownNumber(one));
    const network = "2001:db8:1::/48";
    const asked = await Promise.all(
      sessions.map(async (one, i) => {
        const device = `2001:db8:1:${i}::/64`;
        return taken(await withdraw(one, 300_000n, { destination: numbersOf[i], device, network }))
          .id;
      }),
    );
    expect(await letOut(asked)).toBe(16);
    const all = await Promise.all(sessions.map((one, i) => reasonsOf(one, asked[i] ?? "")));
    expect(all.filter((reasons) => reasons.join() === "device_day")).toHaveLength(2);
  });

  it("counts what went out within a day, and no longer than that", async () => {
    const session = await player(2_000_000n);
    const destination = await knownNumber(session);
    const first = taken(await withdraw(session, 300_000n, { destination }));
    await runJobs();
    const second = taken(await withdraw(session, 10_000n, { destination }));
    await runJobs();
    expect((await withdrawal(session, first.id)).state).toBe("paid");
    expect(await withdrawal(session, second.id)).toMatchObject({
      state: "held",
      wait_reasons: ["player_day", "destination_day", "device_day"],
    });
    clock.advance(24 * HOUR_MS + 1);
    const third = taken(await withdraw(session, 300_000n, { destination }));
    await runJobs();
    expect((await withdrawal(session, third.id)).state).toBe("paid");
  });

  it("makes a new destination wait, and goes on by itself once it is known for long enough", async () => {
    const session = await player(500_000n);
    const row = taken(await withdraw(session, 20_000n));
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({
      state: "held",
      wait_reasons: ["new_destination"],
    });
    clock.advance(WAIT_MINUTES * MINUTE_MS - 1);
    await sweep();
    expect((await withdrawal(session, row.id)).state).toBe("held");
    clock.advance(MINUTE_MS);
    await sweep();
    await runJobs();
    expect((await withdrawal(session, row.id)).state).toBe("paid");
    // Known to this player, and to nobody else.
    const again = taken(await withdraw(session, 20_000n));
    const { destination } = again;
    const neighbour = await player(500_000n);
    const theirs = taken(await withdraw(neighbour, 20_000n, { destination }));
    await runJobs();
    expect((await withdrawal(session, again.id)).state).toBe("paid");
    expect(await reasonsOf(neighbour, theirs.id)).toEqual(["new_destination"]);
  });

  it("does not treat a number as known that was named in a rejected withdrawal", async () => {
    const session = await player(500_000n);
    const { id } = taken(await withdraw(session, 20_000n));
    await cashier.withdrawals.reject(id, { act, reason: "Ask support" });
    clock.advance(2 * WAIT_MINUTES * MINUTE_MS);
    const again = taken(await withdraw(session, 20_000n));
    await runJobs();
    expect(await reasonsOf(session, again.id)).toEqual(["new_destination"]);
  });

  it("stores every reason together and then leaves the withdrawal to an operator", async () => {
    const session = await player(2_000_000n);
    const row = taken(await withdraw(session, 600_000n));
    await db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [session.memberId]);
    await runJobs();
    clock.advance(100 * HOUR_MS);
    await sweep();
    expect(await withdrawal(session, row.id)).toMatchObject({
      state: "held",
      wait_reasons: [
        ...["member_blocked", "amount", "player_day", "destination_day", "device_day"],
        "new_destination",
      ],
    });
    expect(await payouts(row.id)).toBe(0);
    expect(await cashier.withdrawals.approve(row.id, act)).toBe(true);
    await runJobs();
  });
});
