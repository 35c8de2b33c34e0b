import type pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import { addJob } from "../../apps/server/src/platform/jobs.ts";
import { freshId, logIn, startServer } from "../api/running-server.ts";
import { startPaymentGateway } from "./payment-gateway-process.ts";

/** A whole server whose payment provider answers late, or accepts connections and never answers. */
const SECRET = "a secret that the provider and the house share";
const WITHDRAWALS = 40;
/** Well within the time-out of a call, so that every call is answered. */
const SLOW_MS = 2_000;
const SLOW = 30;
/** Much less than the time that a call waits for the provider. */
const USUAL_MS = 3_000;
/** As many deposits as one player may have open. */
const deposits = Array.from({ length: 3 }, () => freshId("deposit"));

const gateway = await startPaymentGateway(SECRET);
const paymentGateway = { url: gateway.url, merchantId: "house-1", secret: SECRET };
const server = await startServer({ paymentGateway }, { prepare: payByGateway });
const maria = await logIn(server, "maria");
const dado = await logIn(server, "dado");

afterAll(async () => {
  await server.stop();
  await gateway.stop();
});

describe("a payment provider that answers late", () => {
  it("delays neither another provider's pay-outs, nor those that operators pay, nor the cashier's sweep", async () => {
    await gateway.fault({ calls: 1_000_000, how: "slow", slowMs: SLOW_MS });
    const { pool } = server.database;
    // Some are requested and wait for the rule; others were sent long ago without an answer.
    for (const id of await insertMany(pool, SLOW, "held", null)) {
      const task = "cashier_review_withdrawal";
      await addJob(pool, { task, payload: { id }, key: `held ${id}`, runAt: 0 });
    }
    const silent = await insertMany(pool, SLOW, "sent", "2020-01-01");
    await addJob(pool, { task: "cashier_sweep", payload: {}, key: "sweep", runAt: 0 });
    const [byHand, sandbox] = [await withdraw("bank"), await withdraw("gwallet")];
    const most = { timeout: SLOW * SLOW_MS };
    await expect.poll(() => stateOf(byHand), most).toBe("sent");
    await expect.poll(() => stateOf(sandbox), most).toBe("paid");
    await expect.poll(() => jobsLeft("sweep"), most).toBe(0);
    const { rowCount } = await pool.query(
      "SELECT FROM manual_payouts WHERE withdrawal_id = $1 AND state = 'queued'",
      [byHand],
    );
    expect(rowCount).toBe(1);
    // All of that is done while nearly all payments at the late provider still wait for it.
    expect(await waitingFor("cashier_send:gateway")).toBeGreaterThan(SLOW / 2);
    expect(await waitingFor("cashier_ask:gateway")).toBeGreaterThan(SLOW / 2);
    expect(await count("locked_at IS NOT NULL AND task_identifier LIKE '%:gateway'")).toBe(2);

    // Those payments finish as soon as the provider is quick again.
    await gateway.fault({ calls: 0, how: "slow" });
    await expect.poll(() => waitingFor("cashier_send:gateway"), { timeout: 20_000 }).toBe(0);
    await expect.poll(() => waitingFor("cashier_ask:gateway"), { timeout: 20_000 }).toBe(0);
    // The provider did not know the ones that were sent long ago, so they are sent again, once.
    const books = await gateway.books();
    expect(books).toHaveLength(2 * SLOW);
    expect(books.filter(({ id, calls }) => silent.includes(id) && calls === 1)).toHaveLength(SLOW);
  }, 200_000);
});

describe("a payment provider that has fallen silent", () => {
  it("delays only its own jobs, and players who pay soon get the answer at once", async () => {
    gateway.signal("SIGSTOP");
    await approveMany(server.database.pool);
    await expect.poll(callsUnderWay).toBe(1);
    // Enough jobs to fill every free slot.
    for (let i = 0; i < 8; i++) {
      const job = { task: "lottery_plan", payload: {}, key: `draw ${i}`, runAt: 0 };
      await addJob(server.database.pool, job);
    }
    await expect.poll(() => jobsLeft("draw %"), { timeout: USUAL_MS }).toBe(0);
    expect(await callsUnderWay()).toBe(1);

    // The first two find out; the others need not try.
    await expect.poll(untried, { timeout: 40_000 }).toBe(0);
    const before = performance.now();
    const told = await Promise.all(deposits.map(deposit));
    const codes = told.map(({ status, code }) => `${status} ${code}`);
    expect(new Set(codes)).toEqual(new Set(["502 provider_unavailable"]));
    // One of them may be the one that tests whether the provider answers again.
    const quick = told.filter(({ at }) => at - before < 1_000);
    expect(quick.length).toBeGreaterThanOrEqual(deposits.length - 1);
  }, 90_000);

  it("gets payments again when it answers again", async () => {
    gateway.signal("SIGCONT");
    await expect
      .poll(async () => (await deposit(deposits[0] ?? "")).status, { timeout: 15_000 })
      .toBe(200);
  }, 30_000);
});

async function deposit(id: string) {
  const amount = { minor: "50000", currency: "PHP" };
  const answer = await fetch(`${server.url}/api/v1/cashier/deposits`, {
    method: "POST",
    headers: { ...maria.headers, "content-type": "application/json" },
    body: JSON.stringify({ id, method: "card", amount }),
  });
  const { code } = await answer.json();
  return { status: answer.status, code, at: performance.now() };
}

async function withdraw(method: string): Promise<string> {
  const id = freshId("withdrawal");
  const amount = { minor: "10000", currency: "PHP" };
  const answer = await fetch(`${server.url}/api/v1/cashier/withdrawals`, {
    method: "POST",
    headers: { ...dado.headers, "content-type": "application/json" },
    body: JSON.stringify({ id, method, destination: "09171112222", amount }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  return id;
}

/** Makes the gateway pay all payments by card. */
async function payByGateway(pool: pg.Pool): Promise<void> {
  const limits = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
  const methods = [
    { code: "card", provider: "gateway", kind: "deposit" },
    { code: "card", provider: "gateway", kind: "withdrawal" },
    { code: "bank", provider: "manual", kind: "withdrawal" },
    { code: "gwallet", provider: "sandbox", kind: "withdrawal" },
  ].map((method) => ({ ...method, name: method.code, ...limits }));
  const much = "1000000000";
  const autoApproveDaily = { playerMinor: much, destinationMinor: much, deviceMinor: much };
  await pool.query(
    "UPDATE merchants SET settings = jsonb_set(settings, '{cashier}', settings->'cashier' || $1)",
    [JSON.stringify({ methods, autoApproveDaily })],
  );
}

/** Approved withdrawals that wait for the provider, each with the job that sends it. */
async function approveMany(pool: pg.Pool): Promise<void> {
  const ids = await insertMany(pool, WITHDRAWALS, "approved", null);
  for (const [i, id] of ids.entries()) {
    const payload = { kind: "withdrawal", id };
    await addJob(pool, { task: "cashier_send:gateway", payload, key: `call ${i}`, runAt: 0 });
  }
}

/** Maria's withdrawals through the gateway; answers their ids. */
async function insertMany(pool: pg.Pool, many: number, state: string, lookAt: string | null) {
  const { rows } = await pool.query("SELECT id, merchant_id FROM members WHERE username = 'maria'");
  const { lane, id: account } = accountOf(rows[0].id, "PHP");
  const ids = Array.from({ length: many }, () => freshId("withdrawal"));
  for (const id of ids) {
    await pool.query(
      `INSERT INTO withdrawals (lane, account_id, id, merchant_id, member_id, method, provider,
         destination, currency, amount_minor, state, history, created_at, look_at)
       VALUES ($1, $2, $3, $4, $5, 'card', 'gateway', '09171234567', 'PHP', 10000, $6, '[]', now(),
         $7)`,
      [lane, account, id, rows[0].merchant_id, rows[0].id, state, lookAt],
    );
  }
  return ids;
}

async function stateOf(id: string): Promise<unknown> {
  const text = "SELECT state FROM withdrawals WHERE id = $1";
  return (await server.database.pool.query(text, [id])).rows[0]?.state;
}

function waitingFor(task: string): Promise<number> {
  return count("task_identifier = $1", [task]);
}

function jobsLeft(keys: string): Promise<number> {
  return count("key LIKE $1", [keys]);
}

function callsUnderWay(): Promise<number> {
  return count("key LIKE 'call %' AND locked_at IS NOT NULL");
}

function untried(): Promise<number> {
  return count("key LIKE 'call %' AND attempts = 0");
}

async function count(which: string, values: unknown[] = []): Promise<number> {
  const text = `SELECT FROM graphile_worker.jobs WHERE ${which}`;
  return (await server.database.pool.query(text, values)).rowCount ?? 0;
}
