import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness } from "../../../../../tests/server/cashier-harness.ts";
import { takeDue } from "./due-payments.store.ts";
import { ProviderUnavailable } from "./provider.ts";

const harness = await openCashierHarness("cashier sweep");
const { alarms, available, cashier, clock, db, ledger, loseJobs, opened, payouts } = harness;
const { player } = harness;
const { runJobs, sandbox, setOutage, stored, sweep, withdraw, withdrawal } = harness;

beforeEach(() => {
  setOutage(null);
  alarms.length = 0;
});

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

function noAnswer(): never {
  throw new ProviderUnavailable("no answer");
}

/** In how many milliseconds each is looked at next; null for never. */
async function looksAfter(...payments: readonly (readonly [table: string, id: string])[]) {
  const after: (number | null)[] = [];
  for (const [table, id] of payments) {
    const { rows } = await db.pool.query(`SELECT look_at FROM ${table} WHERE id = $1`, [id]);
    const at: Date | null = rows[0].look_at;
    after.push(at === null ? null : at.getTime() - clock.now());
  }
  return after;
}

describe("the cashier's sweep", () => {
  it("takes a withdrawal from held to paid if all its jobs were lost", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    await loseJobs();
    await sweep();
    // It is new: its own job may still come.
    expect((await withdrawal(session, row.id)).state).toBe("held");
    clock.advance(MINUTE_MS);
    await sweep();
    expect((await withdrawal(session, row.id)).state).toBe("sent");
    await loseJobs();
    clock.advance(2 * MINUTE_MS);
    await sweep();
    expect((await withdrawal(session, row.id)).state).toBe("paid");
    expect(await payouts(row.id)).toBe(1);
    expect(await available(session)).toBe(80_000n);
  });

  it("sends what was approved and never sent, once the provider answers again", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    setOutage(noAnswer);
    await runJobs();
    await loseJobs();
    clock.advance(MINUTE_MS);
    await sweep();
    expect((await withdrawal(session, row.id)).state).toBe("approved");
    expect(alarms).toEqual(["a payment waits and could not be taken on"]);
    setOutage(null);
    clock.advance(2 * MINUTE_MS);
    await sweep();
    expect((await withdrawal(session, row.id)).state).toBe("sent");
    await runJobs();
    expect(await payouts(row.id)).toBe(1);
  });

  it("sends a pay-out again that its provider no longer knows", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    await cashier.withdrawals.review(row.id);
    await loseJobs();
    await db.pool.query("DELETE FROM sandbox_payments WHERE external_id = $1", [row.id]);
    for (let looks = 0; looks < 2; looks++) {
      clock.advance(5 * MINUTE_MS);
      await sweep();
    }
    expect((await withdrawal(session, row.id)).state).toBe("paid");
    expect(await payouts(row.id)).toBe(1);
  });

  it.each([
    ["paid", "paid", 50_000n],
    ["failed", "failed", 0n],
  ] as const)(
    "finds a deposit that is %s and whose call-back was lost",
    async (chosen, state, came) => {
      const session = await player(0n);
      const { id, payUrl } = await opened(session, 50_000n);
      await sandbox.decide(payUrl?.split("/").at(-1) ?? "", chosen);
      await loseJobs();
      clock.advance(MINUTE_MS);
      await sweep();
      expect((await stored(session, id)).state).toBe(state);
      expect(await available(session)).toBe(came);
    },
  );

  it("finds a payment that came after the page had closed", async () => {
    const session = await player(0n);
    const { id, payUrl } = await opened(session, 50_000n);
    clock.advance(HOUR_MS);
    await cashier.deposits.expire();
    await sweep();
    expect((await stored(session, id)).state).toBe("expired");
    await sandbox.decide(payUrl?.split("/").at(-1) ?? "", "paid");
    await loseJobs();
    clock.advance(HOUR_MS);
    await sweep();
    expect((await stored(session, id)).state).toBe("paid");
  });

  it("takes more than a page at once, and two processes take nothing twice", async () => {
    const sessions = await Promise.all(Array.from({ length: 30 }, () => player(100_000n)));
    const asked = await Promise.all(
      sessions.flatMap((one) => [1, 2].map(() => withdraw(one, 10_000n))),
    );
    const ids = asked.map((one) => taken(one).id);
    await loseJobs();
    clock.advance(MINUTE_MS);
    await Promise.all([sweep(), sweep()]);
    const { rows } = await db.pool.query(
      "SELECT state, count(*)::int AS n FROM withdrawals WHERE id = ANY ($1) GROUP BY state",
      [ids],
    );
    expect(rows).toEqual([{ state: "sent", n: 60 }]);
    await runJobs();
  });

  it("takes what a clock that was an hour ahead left, and leaves what the rule makes wait", async () => {
    const session = await player(100_000n);
    const [sent, waits] = [
      taken(await withdraw(session, 20_000n)),
      taken(await withdraw(session, 10_000n)),
    ];
    const { id, payUrl } = await opened(session, 50_000n);
    await sandbox.decide(payUrl?.split("/").at(-1) ?? "", "paid");
    await loseJobs();
    for (const table of ["withdrawals", "deposits"]) {
      await db.pool.query(
        `UPDATE ${table} SET created_at = created_at + interval '1 hour',
           look_at = look_at + interval '1 hour' WHERE id = ANY ($1)`,
        [[sent.id, waits.id, id]],
      );
    }
    await db.pool.query("UPDATE withdrawals SET wait_reasons = '{new_destination}' WHERE id = $1", [
      waits.id,
    ]);
    await sweep();
    expect((await withdrawal(session, sent.id)).state).toBe("sent");
    expect((await withdrawal(session, waits.id)).state).toBe("held");
    expect((await stored(session, id)).state).toBe("paid");
    clock.advance(2 * HOUR_MS);
    await sweep();
    await runJobs();
    expect((await withdrawal(session, waits.id)).state).toBe("paid");
  });

  it("that dies with what it has taken leaves it to the next one, a minute later", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    const { id, payUrl } = await opened(session, 50_000n);
    await sandbox.decide(payUrl?.split("/").at(-1) ?? "", "paid");
    await loseJobs();
    // This is the deposit's last check.
    clock.advance(4 * DAY_MS);
    await cashier.deposits.expire();
    expect(await takeDue(db.pool, "withdrawals", clock.now(), 1_000)).not.toEqual([]);
    expect(await takeDue(db.pool, "deposits", clock.now(), 1_000)).not.toEqual([]);
    await sweep();
    expect((await withdrawal(session, row.id)).state).toBe("held");
    expect((await stored(session, id)).state).toBe("expired");
    clock.advance(MINUTE_MS);
    await sweep();
    expect((await withdrawal(session, row.id)).state).toBe("sent");
    expect((await stored(session, id)).state).toBe("paid");
  });

  it("checks again a minute later what failed, and everything else after its pause", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    const { id } = await opened(session, 50_000n);
    await loseJobs();
    clock.advance(4 * HOUR_MS);
    setOutage(noAnswer);
    await sweep();
    expect((await withdrawal(session, row.id)).state).toBe("approved");
    clock.advance(MINUTE_MS);
    await sweep();
    expect(await looksAfter(["withdrawals", row.id], ["deposits", id])).toEqual([
      MINUTE_MS,
      HOUR_MS,
    ]);
    // About the withdrawal only, each time.
    expect(alarms).toHaveLength(2);
    setOutage(null);
    clock.advance(MINUTE_MS);
    await sweep();
    expect((await withdrawal(session, row.id)).state).toBe("sent");
    clock.advance(3 * DAY_MS);
    await cashier.deposits.expire();
    await sweep();
    // It is paid by now, and this is its last check.
    expect(await looksAfter(["withdrawals", row.id], ["deposits", id])).toEqual([null, null]);
  });

  it("reads what waits by an index, however much has ended", async () => {
    const client = await db.pool.connect();
    try {
      await client.query("SET enable_seqscan = off");
      for (const table of ["withdrawals", "deposits"]) {
        const { rows } = await client.query(
          `EXPLAIN SELECT id FROM ${table}
           WHERE look_at <= now() OR look_at > now() + least(now() - created_at, interval '1 hour')
           ORDER BY look_at LIMIT 50`,
        );
        expect(JSON.stringify(rows)).toContain(`${table}_look`);
      }
    } finally {
      client.release(true);
    }
  });
});
