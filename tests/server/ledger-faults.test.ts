import type pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { type Account, Ledger, type Outcome } from "../../apps/server/src/modules/ledger/ledger.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";
import { createTestDatabase, startKillablePostgres } from "../setup/test-database.ts";
import { freshSeed, makeLedger, makeWallet, manualClock, seededEntropy } from "./fixtures.ts";
import type { Answer, Order } from "./ledger-worker.ts";
import { startLedgerWorker } from "./worker-process.ts";

const FAULT_TIMEOUT_MS = 60_000;
const OPENING = 1_000_000n;
const clock = manualClock();
const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

describe("two server processes on one database", () => {
  it(
    "settle 512 concurrent commands each over a few hot wallets without a deadlock or a loss",
    async () => {
      const { db, ledger, wallets } = await hotWallets(6);
      const deadlocksBefore = await deadlocks(db.pool);
      const workers = [await startLedgerWorker(db.url), await startLedgerWorker(db.url)];
      const chance = chanceOf(freshSeed("512 each way"));
      const given = workers.map((_, w) => ordersFor(`w${w}`, 3 * 512, wallets, chance));

      // Each wave waits for the previous one, so that 512 are under way in each process.
      for (let wave = 0; wave < 3; wave++) {
        workers.forEach((worker, w) => {
          worker.send(given[w]?.slice(wave * 512, (wave + 1) * 512) ?? []);
        });
        await Promise.all(workers.map((worker) => worker.answered((wave + 1) * 512)));
      }
      // Closing the connections makes PostgreSQL's backends report their statistics.
      await Promise.all(workers.map((worker) => worker.close()));

      expect(workers.flatMap((worker) => worker.troubles)).toEqual([]);
      expect(await deadlocks(db.pool)).toBe(deadlocksBefore);
      const answers = workers.flatMap((worker) => worker.answers);
      await expectAccounted(ledger, wallets, given.flat(), answers);
      expect(await ledger.verify()).toEqual([]);
    },
    FAULT_TIMEOUT_MS,
  );

  it(
    "keep all that a killed one acknowledged; the rest is sent again and moves money once",
    async () => {
      const { db, ledger, wallets } = await hotWallets(4);
      const chance = chanceOf(freshSeed("SIGKILL of a process"));
      const orders = ordersFor("k", 10_000, wallets, chance);
      const doomed = await startLedgerWorker(db.url);
      doomed.send(orders);
      await doomed.answered(700);
      await doomed.kill();

      const acknowledged = new Map(doomed.answers.map((answer) => [answer.key, answer]));
      expect(acknowledged.size).toBeGreaterThanOrEqual(700);
      expect(acknowledged.size).toBeLessThan(orders.length);
      const answers = await sendAll(ledger, orders);
      for (const answer of answers) {
        const before = acknowledged.get(answer.key);
        if (before !== undefined) expect(withoutRepeat(answer)).toEqual(withoutRepeat(before));
      }
      await expectAccounted(ledger, wallets, orders, answers);
      expect(await ledger.verify()).toEqual([]);
    },
    FAULT_TIMEOUT_MS,
  );
});

describe("a ledger whose PostgreSQL is killed under load", () => {
  it(
    "answers every caller after the restart, keeps what was committed, and moves nothing twice",
    async () => {
      const server = await startKillablePostgres();
      cleanUp.push(() => server.stop());
      const pool = createPool(server.url, { max: 4, log: createLogger({ level: "silent" }) });
      cleanUp.push(() => pool.end());
      const troubles: string[] = [];
      const ledger = new Ledger({
        databaseUrl: server.url,
        pool,
        onTrouble: (error) => troubles.push(error.message),
        // A slow machine restarts it slowly; no command may time out for that.
        elapsed: () => 0,
      });
      cleanUp.push(() => ledger.close());
      const wallets = await openWallets({ pool, ledger }, 4);
      const orders = ordersFor("p", 6_000, wallets, chanceOf(freshSeed("SIGKILL of PostgreSQL")));

      const acknowledged: Answer[] = [];
      const all = Promise.all(
        orders.map(async (order) => {
          const answer = answerOf(order, await ledger[order.does](order.command));
          acknowledged.push(answer);
          return answer;
        }),
      );
      while (acknowledged.length < 1_000) await new Promise((turn) => setImmediate(turn));
      await server.kill();
      const before = acknowledged.length;
      await server.restart();
      const answers = await all;

      expect(before).toBeLessThan(orders.length);
      expect(troubles.length).toBeGreaterThan(0);
      await expectAccounted(ledger, wallets, orders, answers);
      // A new process answers every order again as it was answered before.
      const fresh = new Ledger({ databaseUrl: server.url, pool, onTrouble: () => undefined });
      cleanUp.push(() => fresh.close());
      const again = await sendAll(fresh, orders);
      expect(again.map(withoutRepeat)).toEqual(answers.map(withoutRepeat));
      expect(again.every(({ outcome }) => "refused" in outcome || outcome.repeated)).toBe(true);
      await expectAccounted(fresh, wallets, orders, again);
      expect(await fresh.verify()).toEqual([]);
    },
    FAULT_TIMEOUT_MS,
  );
});

async function hotWallets(count: number) {
  const db = await createTestDatabase();
  cleanUp.push(() => db.drop());
  const ledger = makeLedger(db, []);
  cleanUp.push(() => ledger.close());
  return { db, ledger, wallets: await openWallets({ pool: db.pool, ledger }, count) };
}

function openWallets(
  deps: { readonly pool: pg.Pool; readonly ledger: Ledger },
  count: number,
): Promise<Account[]> {
  const owners = Array.from({ length: count }, (_, i) => `mem_hot${i}`);
  return Promise.all(owners.map((owner) => makeWallet({ ...deps, clock }, owner, OPENING)));
}

/** Debits and credits over the wallets, some too large, each under its own key. */
function ordersFor(
  name: string,
  count: number,
  wallets: readonly Account[],
  chance: (below: number) => number,
): Order[] {
  return Array.from({ length: count }, (_, i) => {
    const account = wallets[chance(wallets.length)];
    if (account === undefined) throw new Error("chance stays below its bound");
    const does = chance(3) === 0 ? "credit" : "debit";
    const tooBig = does === "debit" && chance(20) === 0;
    const amount = tooBig ? OPENING * 1_000n : BigInt(1 + chance(500));
    const kind = does === "credit" ? "win" : "bet";
    const common = { counterAccount: "vendor:BGS", ref: null, at: clock.now() };
    return { does, command: { account, key: `${name}:${i}`, amount, kind, ...common } };
  });
}

function chanceOf(seed: number): (below: number) => number {
  const entropy = seededEntropy(seed);
  return (below) => {
    const [a = 0, b = 0, c = 0] = entropy.bytes(3);
    return (a * 65_536 + b * 256 + c) % below;
  };
}

async function sendAll(ledger: Ledger, orders: readonly Order[]): Promise<Answer[]> {
  return Promise.all(
    orders.map(async (order) => answerOf(order, await ledger[order.does](order.command))),
  );
}

function answerOf({ command }: Order, outcome: Outcome): Answer {
  if (!outcome.ok) return { key: command.key, outcome: { refused: outcome.error.code } };
  const { seq, balanceAfter, repeated } = outcome.value;
  return { key: command.key, outcome: { seq, balanceAfter, repeated } };
}

function withoutRepeat({ key, outcome }: Answer) {
  if ("refused" in outcome) return { key, refused: outcome.refused };
  return { key, seq: outcome.seq, balanceAfter: outcome.balanceAfter };
}

/** Expects an answer for every order, and wallets that hold exactly the acknowledged sums. */
async function expectAccounted(
  ledger: Ledger,
  wallets: readonly Account[],
  orders: readonly Order[],
  answers: readonly Answer[],
): Promise<void> {
  const byKey = new Map(answers.map((answer) => [answer.key, answer.outcome]));
  expect(byKey.size).toBe(orders.length);
  for (const wallet of wallets) {
    const own = orders.filter(({ command }) => command.account.id === wallet.id);
    let balance = OPENING;
    const seqs: bigint[] = [1n];
    for (const { does, command } of own) {
      const outcome = byKey.get(command.key);
      if (outcome === undefined || "refused" in outcome) continue;
      balance += does === "credit" ? command.amount : -command.amount;
      seqs.push(outcome.seq);
    }
    seqs.sort((a, b) => Number(a - b));
    expect(seqs).toEqual(seqs.map((_, i) => BigInt(i + 1)));
    expect(await ledger.balance(wallet)).toEqual({ balance, held: 0n, seq: seqs.at(-1) });
  }
}

async function deadlocks(pool: pg.Pool): Promise<bigint> {
  const { rows } = await pool.query<{ deadlocks: bigint }>(
    "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
  );
  return rows[0]?.deadlocks ?? -1n;
}
