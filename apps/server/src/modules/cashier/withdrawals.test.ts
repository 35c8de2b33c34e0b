import { HOUR_MS } from "@perya/kernel/instant";
import { money } from "@perya/kernel/money";
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import type { Session } from "../identity/identity.ts";
import { ProviderUnavailable } from "./provider.ts";
import { listDestinations } from "./withdrawals.store.ts";

const harness = await openCashierHarness("withdrawals");
const { act, available, callBack, cashier, clock, db, elsewhere, event, fresh, ledger } = harness;
const { merchant, payouts, player, runJobs, setOutage, walletOf, withdraw, withdrawal } = harness;

beforeEach(() => {
  setOutage(null);
});

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

describe("a withdrawal", () => {
  it("is held at once, approved by the brand's rule, sent and paid", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    expect(row.state).toBe("held");
    expect(await available(session)).toBe(80_000n);
    await runJobs();
    const paid = await withdrawal(session, row.id);
    expect(paid.history.map(({ state }) => state)).toEqual(["held", "approved", "sent", "paid"]);
    expect(await available(session)).toBe(80_000n);
    const books = await ledger.balance(walletOf(session));
    expect(books).toMatchObject({ balance: 80_000n, held: 0n });
    expect(await payouts(row.id)).toBe(1);
  });

  it("is checked by the database's clock, even if a process's clock is ahead of it", async () => {
    const session = await player(100_000n);
    harness.clock.advance(Math.max(0, Date.now() + HOUR_MS - harness.clock.now()));
    taken(await withdraw(session, 20_000n));
    const { rows } = await harness.db.pool.query(
      "SELECT task_identifier, run_at <= clock_timestamp() AS due FROM graphile_worker.jobs",
    );
    expect(rows).toContainEqual({ task_identifier: "cashier_review_withdrawal", due: true });
    await runJobs();
  });

  it("that its provider is asked to pay twice gets the same call-back both times, soon", async () => {
    const session = await player(100_000n);
    const { id } = taken(await withdraw(session, 20_000n));
    await runJobs();
    const payout = {
      ...{ id, merchant: harness.merchant, method: "gcash", amount: money(20_000n, "PHP") },
      ...{ destination: "09171234567", origin: "https://perya.test", letOutAt: 0 },
    };
    const told = async () => {
      await harness.sandbox.sendPayout(payout);
      const { rows } = await harness.db.pool.query(
        "SELECT payload FROM graphile_worker._private_jobs WHERE key LIKE 'sandbox_send_callback%'",
      );
      return rows;
    };
    const first = await told();
    harness.clock.advance(HOUR_MS);
    expect(await told()).toEqual(first);
    const { rows } = await harness.db.pool.query(
      "SELECT run_at - clock_timestamp() < interval '1 minute' AS soon FROM graphile_worker.jobs WHERE task_identifier = 'sandbox_send_callback'",
    );
    expect(rows).toEqual([{ soon: true }]);
    await runJobs();
  });

  it("that the provider cannot pay gives the money back", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n, { destination: "09170000000" }));
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "failed" });
    expect(await available(session)).toBe(100_000n);
    expect(await callBack(event("withdrawal", row.id, "paid", 20_000n))).toBe(409);
    expect(await available(session)).toBe(100_000n);
  });

  it("above the rule waits for an operator, who approves it once", async () => {
    const session = await player(2_000_000n);
    const row = taken(await withdraw(session, 600_000n));
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "held" });
    expect(await cashier.withdrawals.approve(row.id, act)).toBe(true);
    expect(await cashier.withdrawals.approve(row.id, act)).toBe(false);
    expect(await cashier.withdrawals.reject(row.id, { act, reason: "Ask support" })).toBe(false);
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "paid" });
    expect(await payouts(row.id)).toBe(1);
    expect(await available(session)).toBe(1_400_000n);
  });

  it("that an operator rejects gives the money back, and can no longer be approved", async () => {
    const session = await player(2_000_000n);
    const row = taken(await withdraw(session, 600_000n));
    expect(await cashier.withdrawals.reject(row.id, { act, reason: "Ask support" })).toBe(true);
    expect(await cashier.withdrawals.approve(row.id, act)).toBe(false);
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "rejected" });
    expect(await available(session)).toBe(2_000_000n);
    await runJobs();
    expect(await payouts(row.id)).toBe(0);
  });

  it("approved and rejected at once ends in one way, and is paid out only if approved", async () => {
    const session = await player(20_000_000n);
    for (let i = 0; i < 6; i++) {
      const before = await available(session);
      const row = taken(await withdraw(session, 600_000n));
      const [approved, rejected] = await Promise.all([
        cashier.withdrawals.approve(row.id, act),
        cashier.withdrawals.reject(row.id, { act, reason: "Ask support" }),
      ]);
      expect(approved).not.toBe(rejected);
      await runJobs();
      const { state } = await withdrawal(session, row.id);
      expect(state).toBe(approved ? "paid" : "rejected");
      expect(await payouts(row.id)).toBe(approved ? 1 : 0);
      expect(await available(session)).toBe(approved ? before - 600_000n : before);
    }
  });

  it("above the balance is refused, and nothing is written", async () => {
    const session = await player(30_000n);
    const id = fresh("withdrawal");
    expect(codeOf(await withdraw(session, 30_001n, { id }))).toBe("insufficient_funds");
    expect(await cashier.withdrawals.find(session, id)).toBeNull();
    // It leaves nothing, not even the claim on its id: anybody may send any number of these.
    const { rowCount } = await db.pool.query("SELECT FROM payment_ids WHERE id = $1", [id]);
    expect(rowCount).toBe(0);
    taken(await withdraw(session, 20_000n));
    // Held money can no longer be taken.
    expect(codeOf(await withdraw(session, 10_001n))).toBe("insufficient_funds");
    expect(await available(session)).toBe(10_000n);
    await runJobs();
  });

  it("sent again answers the same; with other content, or from another player, it is refused", async () => {
    const session = await player(100_000n);
    const given = { id: fresh("withdrawal") };
    const sent = Array.from({ length: 8 }, () => withdraw(session, 20_000n, given));
    for (const answer of await Promise.all(sent)) expect(taken(answer).id).toBe(given.id);
    expect(await available(session)).toBe(80_000n);
    expect(codeOf(await withdraw(session, 20_001n, given))).toBe("id_reused");
    const elsewhere = { ...given, destination: "09179999999" };
    expect(codeOf(await withdraw(session, 20_000n, elsewhere))).toBe("id_reused");
    const neighbour = await player(100_000n);
    expect(codeOf(await withdraw(neighbour, 20_000n, given))).toBe("id_reused");
    expect(await available(neighbour)).toBe(100_000n);
    await runJobs();
    expect(taken(await withdraw(session, 20_000n, given)).state).toBe("paid");
  });

  it("with one id from two players at the same moment is one player's payment only", async () => {
    const players = await Promise.all([1, 2, 3, 4].map(() => player(100_000n)));
    const id = fresh("withdrawal");
    const codes = await Promise.all(
      players.map(async (one, i) =>
        codeOf(await withdraw(one, 20_000n, { id }, i % 2 ? cashier : elsewhere)),
      ),
    );
    expect(codes.sort()).toEqual(["id_reused", "id_reused", "id_reused", "ok"]);
    const left = await Promise.all(players.map((one) => available(one)));
    expect(left.sort()).toEqual([100_000n, 100_000n, 100_000n, 80_000n]);
    await runJobs();
  });

  it("must fit the number of open ones, whole methods and players who are not blocked", async () => {
    const session = await player(10_000_000n);
    const { openMax } = merchant.settings.cashier;
    for (let i = 0; i < openMax; i++) taken(await withdraw(session, 600_000n));
    expect(codeOf(await withdraw(session, 600_000n))).toBe("too_many_open");
    const other = await player(100_000n);
    expect(codeOf(await withdraw(other, 20_000n, { method: "mwallet" }))).toBe(
      "method not_allowed",
    );
    const blocked = { ...other, blocked: true };
    expect(codeOf(await withdraw(blocked, 20_000n))).toBe("member_blocked");
    expect(await available(other)).toBe(100_000n);
  });

  it("is never one too many if many are requested at once in two processes", async () => {
    const session = await player(10_000_000n);
    const { openMax } = merchant.settings.cashier;
    const neighbour = await player(1_000_000n);
    const [codes, besides] = await Promise.all([
      Promise.all(
        Array.from({ length: 20 }, async (_, i) =>
          codeOf(await withdraw(session, 600_000n, {}, i % 2 ? cashier : elsewhere)),
        ),
      ),
      withdraw(neighbour, 600_000n),
    ]);
    expect(codes.filter((code) => code === "ok")).toHaveLength(openMax);
    expect(codes.filter((code) => code === "too_many_open")).toHaveLength(20 - openMax);
    // The refused have nothing held, and a neighbour of the same batch is not undone.
    expect(await available(session)).toBe(10_000_000n - BigInt(openMax) * 600_000n);
    expect(taken(besides).state).toBe("held");
  });

  it("that fills the limit and is sent many times at once is answered each time", async () => {
    const session = await player(10_000_000n);
    const { openMax } = merchant.settings.cashier;
    for (let i = 1; i < openMax; i++) taken(await withdraw(session, 600_000n));
    const last = { id: fresh("withdrawal") };
    const sent = Array.from({ length: 8 }, (_, i) =>
      withdraw(session, 600_000n, last, i % 2 ? cashier : elsewhere),
    );
    for (const answer of await Promise.all(sent)) expect(taken(answer).id).toBe(last.id);
    expect(await available(session)).toBe(10_000_000n - BigInt(openMax) * 600_000n);
  });

  it("whose provider did not answer is sent when the job runs again, and paid once", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    setOutage(() => {
      throw new ProviderUnavailable("no answer");
    });
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "approved" });
    setOutage(null);
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "paid" });
    expect(await payouts(row.id)).toBe(1);
  });

  it("that an operator approved while the provider was away is sent by its job", async () => {
    const session = await player(2_000_000n);
    const row = taken(await withdraw(session, 600_000n));
    await runJobs();
    setOutage(() => {
      throw new ProviderUnavailable("no answer");
    });
    expect(await cashier.withdrawals.approve(row.id, act)).toBe(true);
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "approved" });
    setOutage(null);
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "paid" });
    expect(await available(session)).toBe(1_400_000n);
  });

  it("whose process died after the provider had it is not sent twice", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    await cashier.withdrawals.review(row.id);
    await db.pool.query("UPDATE withdrawals SET state = 'approved' WHERE id = $1", [row.id]);
    await cashier.withdrawals.review(row.id);
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "sent" });
    expect(await payouts(row.id)).toBe(1);
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "paid" });
    expect(await available(session)).toBe(80_000n);
  });

  it("that was not approved cannot be ended by a call-back", async () => {
    const session = await player(2_000_000n);
    const row = taken(await withdraw(session, 600_000n));
    for (const status of ["paid", "failed"] as const) {
      expect(await callBack(event("withdrawal", row.id, status, 600_000n))).toBe(409);
    }
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "held" });
    expect(await available(session)).toBe(1_400_000n);
  });

  it("that is paid stays paid: a repeat is accepted, a late failure refused", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    await runJobs();
    expect(await callBack(event("withdrawal", row.id, "paid", 20_000n))).toBe(200);
    expect(await callBack(event("withdrawal", row.id, "failed", 20_000n))).toBe(409);
    expect(await callBack(event("withdrawal", row.id, "pending", 20_000n))).toBe(200);
    expect(await available(session)).toBe(80_000n);
  });
});

describe("the transaction records", () => {
  it("page newest first without a gap or a repeat, also within one millisecond", async () => {
    const session = await player(1_000_000n);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      if (i === 3) clock.advance(1_000);
      ids.push(taken(await withdraw(session, 10_000n)).id);
    }
    const seen: string[] = [];
    for (let before: { at: number; id: string } | null = null; ; ) {
      const page = await cashier.withdrawals.list(session, { before, limit: 2 });
      seen.push(...page.map((row) => row.id));
      const last = page.at(-1);
      if (last === undefined) break;
      before = { at: last.created_at.getTime(), id: last.id };
    }
    expect([...seen].sort()).toEqual([...ids].sort());
    expect(new Set(seen.slice(0, 2))).toEqual(new Set(ids.slice(3)));
    await runJobs();
  });
});

describe("the list of where a player's money has gone", () => {
  it("names each place where it was paid to once, and nobody else's", async () => {
    const [session, stranger] = [await player(500_000n), await player(500_000n)];
    const places = ["09170000021", "09170000022", "09170000021"];
    for (const destination of places) taken(await withdraw(session, 10_000n, { destination }));
    taken(await withdraw(stranger, 10_000n, { destination: "09170000023" }));
    expect(await cashier.withdrawals.payoutAccountsOf(session)).toEqual([]);
    await runJobs();
    expect(await cashier.withdrawals.payoutAccountsOf(session)).toEqual([
      { destination: "09170000021", isOwn: true },
      { destination: "09170000022", isOwn: true },
    ]);
    expect(await elsewhere.withdrawals.payoutAccountsOf(stranger)).toEqual([
      { destination: "09170000023", isOwn: true },
    ]);
  });

  it("gives a place to the player who was paid most there, and to the first of two who were paid alike", async () => {
    const [first, more, less] = [
      await player(500_000n),
      await player(500_000n),
      await player(500_000n),
    ];
    const destination = "09170000031";
    const pay = async (one: Session, minor: bigint) => {
      taken(await withdraw(one, minor, { destination }));
      await runJobs();
    };
    const owners = async () => {
      const told = await Promise.all(
        [first, more, less].map((one) => cashier.withdrawals.payoutAccountsOf(one)),
      );
      return told.map((accounts) => accounts.map(({ isOwn }) => isOwn));
    };
    await pay(first, 20_000n);
    clock.advance(1);
    await pay(more, 20_000n);
    await pay(less, 10_000n);
    expect(await owners()).toEqual([[true], [false], [false]]);
    await pay(more, 10_000n);
    expect(await owners()).toEqual([[false], [true], [false]]);
  });

  it("omits a payment while it is held, and after it was rejected or failed", async () => {
    const session = await player(2_000_000n);
    const held = taken(await withdraw(session, 600_000n, { destination: "09170000024" }));
    taken(await withdraw(session, 20_000n, { destination: "09170000000" }));
    await runJobs();
    expect(await withdrawal(session, held.id)).toMatchObject({ state: "held" });
    expect(await cashier.withdrawals.payoutAccountsOf(session)).toEqual([]);
    expect(await cashier.withdrawals.reject(held.id, { act, reason: "Ask support" })).toBe(true);
    expect(await cashier.withdrawals.payoutAccountsOf(session)).toEqual([]);
    expect(await available(session)).toBe(2_000_000n);
  });

  it("names the fifty places that it went to most: smaller payments to others hide none", async () => {
    const session = await player(100_000n);
    const real = "09179990001";
    const row = taken(await withdraw(session, 20_000n, { destination: real }));
    await runJobs();
    await undone(async (client) => {
      // To fifty others before it and to fifty after it, each less by a centavo.
      await client.query(
        `INSERT INTO withdrawals SELECT (jsonb_populate_record(w, jsonb_build_object(
           'id', w.id || n, 'destination', '0917888' || n, 'amount_minor', w.amount_minor - 1,
           'created_at', w.created_at + n * interval '1 minute', 'look_at', NULL))).*
         FROM withdrawals w, generate_series(-50, 50) AS n WHERE w.id = $1 AND n <> 0`,
        [row.id],
      );
      const told = await listDestinations(client, walletOf(session));
      expect(told).toHaveLength(50);
      expect(told[0]).toEqual({ destination: real, isOwn: true });
    });
  });
});

/** Rolls back rows afterwards that the books know nothing of. */
async function undone(work: (client: pg.ClientBase) => Promise<void>): Promise<void> {
  const client = await db.pool.connect();
  try {
    await client.query("BEGIN");
    await work(client);
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

describe("a withdrawal of a player with a payment password", () => {
  it("is refused without a proof, by the server itself, and holds nothing", async () => {
    const session = await careful();
    expect(await cashier.withdrawals.needsProof(merchant, session)).toBe(true);
    expect(codeOf(await withdraw(session, 20_000n))).toBe("payment_proof_needed");
    await proveTo(session, "09170000001", 20_000n);
    const elsewhere = { destination: "09170000002" };
    expect(codeOf(await withdraw(session, 20_000n, elsewhere))).toBe("payment_proof_needed");
    expect(codeOf(await withdraw(session, 20_001n, { destination: "09170000001" }))).toBe(
      "payment_proof_needed",
    );
    expect(await available(session)).toBe(500_000n);
    taken(await withdraw(session, 20_000n, { destination: "09170000001" }));
    expect(await available(session)).toBe(480_000n);
  });

  it("takes its proof once, if fifty come at once in two processes", async () => {
    const session = await careful();
    const destination = "09170000003";
    await proveTo(session, destination, 10_000n);
    const sent = Array.from({ length: 50 }, (_, i) =>
      withdraw(session, 10_000n, { destination }, i % 2 === 0 ? cashier : elsewhere),
    );
    const codes = (await Promise.all(sent)).map(codeOf);
    expect(codes.filter((code) => code === "ok")).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(["ok", "payment_proof_needed"]));
    expect(await available(session)).toBe(490_000n);
  });

  it("answers as it is if it is requested again, at once, later and after a change", async () => {
    const session = await careful();
    const same = { id: fresh("withdrawal"), destination: "09170000004" };
    await proveTo(session, same.destination, 10_000n);
    const both = Array.from({ length: 10 }, (_, i) =>
      withdraw(session, 10_000n, same, i % 2 === 0 ? cashier : elsewhere),
    );
    expect((await Promise.all(both)).map(codeOf)).toEqual(Array(10).fill("ok"));
    clock.advance(3_600_000);
    expect(codeOf(await withdraw(session, 10_000n, same))).toBe("ok");
    expect(await available(session)).toBe(490_000n);
    expect(codeOf(await withdraw(session, 10_000n, { destination: same.destination }))).toBe(
      "payment_proof_needed",
    );
  });

  async function careful() {
    const session = await player(500_000n);
    const hash = await harness.passwords.hash("739254");
    const set = "UPDATE members SET payment_password_hash = $2 WHERE id = $1";
    await db.pool.query(set, [session.memberId, hash]);
    return session;
  }

  async function proveTo(session: Awaited<ReturnType<typeof player>>, to: string, minor: bigint) {
    const amount = php(minor);
    const wish = { method: "gwallet", destination: to, amount };
    const given = { paymentPassword: "739254" };
    taken(await harness.paymentProofs.prove(merchant, session, wish, given));
  }
});
