import type pg from "pg";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type Account,
  accountOf,
  EffectMissed,
  Ledger,
  LedgerUnavailable,
} from "../../apps/server/src/modules/ledger/ledger.ts";
import { createTestDatabase, type TestDatabase } from "../setup/test-database.ts";
import { makeLedger, makeWallet } from "./fixtures.ts";
import { openHeldLedger } from "./held-ledger.ts";

const world = await openHeldLedger();
const { OTHERS, clock, db, held, holder, ledger, others, batches, debit, freshKey, hold } = world;
const { say, slowestRound } = world;

describe("a wallet whose row another session holds", () => {
  it("gets the answer busy within seconds, while all others are served many times", async () => {
    await hold(held);
    const key = freshKey();
    const answer = debit(held, key).catch((error: unknown) => error);
    const began = performance.now();
    let answered = 0;
    void answer.then(() => {
      answered = performance.now() - began;
    });
    const slowest: number[] = [];
    while (answered === 0) slowest.push(await slowestRound());
    expect(Math.max(...slowest)).toBeLessThan(answered / 2);
    expect(slowest.length).toBeGreaterThan(20);
    expect(await answer).toBeInstanceOf(LedgerUnavailable);
    expect(answered).toBeLessThan(8_000);

    // The command left no trace, and sent again moves money once when the row is free.
    const before = await ledger.balance(held);
    expect(await ledger.find(held, key)).toBeNull();
    await holder.query("ROLLBACK");
    const [first, second] = [await debit(held, key), await debit(held, key)];
    expect([first.ok, second.ok && second.value.repeated]).toEqual([true, true]);
    const after = await ledger.balance(held);
    expect((before?.balance ?? 0n) - (after?.balance ?? 0n)).toBe(1n);
  }, 30_000);

  it("only for a moment is served when the row is free, with its commands in order", async () => {
    // A fresh wallet: one that was just held goes apart from others for a while.
    const fresh = await makeWallet({ pool: db.pool, ledger, clock }, "mem_moment", 1_000n);
    await hold(fresh);
    const before = await ledger.balance(fresh);
    const given = Array.from({ length: 5 }, () => debit(fresh, freshKey()));
    await new Promise((turn) => setTimeout(turn, 1_000));
    given.push(debit(fresh, freshKey()));
    await holder.query("ROLLBACK");
    const seqs = (await Promise.all(given)).map((outcome) =>
      outcome.ok ? outcome.value.seq : -1n,
    );
    expect(seqs).toEqual(given.map((_, i) => (before?.seq ?? 0n) + BigInt(i + 1)));
    await ledger.balance(fresh);
    // From then on it shares a batch with others.
    const neighbour = others.filter(({ lane }) => lane % 2 === fresh.lane % 2).slice(0, 1);
    expect(await batches(ledger, [fresh, ...neighbour])).toHaveLength(1);
  });
});

describe("a wallet whose COMMIT waits for a standby of the database", () => {
  it("is not at rest before its written rows are visible", async () => {
    // Only the sessions of this database wait for standbys.
    const apart = await createTestDatabase();
    await db.pool.query(`ALTER DATABASE ${databaseOf(apart)} SET synchronous_commit = on`);
    const waiting = makeLedger(apart, []);
    const wallet = { pool: apart.pool, ledger: waiting, clock };
    const account = await makeWallet(wallet, "mem_w", 1_000n);
    const untouched = await makeWallet(wallet, "mem_u", 1_000n);
    expect(await waiting.isAtRest(account)).toBe(true);
    await awaitCopies("nobody");
    const key = freshKey();
    const taken = { account, key, amount: 1n, counterAccount: "vendor:BGS", ref: null };
    const answer = waiting.debit({ ...taken, kind: "bet", at: clock.now() });
    await vi.waitFor(async () => expect(await isWritten(apart)).toBe(true), 10_000);
    expect(await waiting.find(account, key)).toBeNull();
    expect(await waiting.isAtRest(account)).toBe(false);
    // A check of a wallet that nobody holds waits for no standby.
    expect(await waiting.isAtRest(untouched)).toBe(true);
    await awaitCopies("");
    expect((await answer).ok).toBe(true);
    expect(await waiting.isAtRest(account)).toBe(true);
    expect(await waiting.find(account, key)).not.toBeNull();
    await waiting.close();
    await apart.drop();
  }, 30_000);

  it("is at rest for any number of simultaneous checks", async () => {
    const looks = Array.from({ length: 40 }, () => ledger.isAtRest(held));
    expect(new Set(await Promise.all(looks))).toEqual(new Set([true]));
  });

  it("is at rest when its holder lets go in time", async () => {
    await hold(held);
    // The holder lets go between the first check and the second.
    const query = async (asked: pg.QueryConfig) => {
      const answer = await db.pool.query(asked);
      await holder.query("ROLLBACK");
      return answer;
    };
    // The check calls `query` only in this form.
    const pool = { query } as unknown as pg.Pool;
    const looking = new Ledger({ databaseUrl: db.url, pool, onTrouble: () => undefined });
    expect(await looking.isAtRest(held)).toBe(true);
  });

  it("is at rest when it is not open", async () => {
    expect(await ledger.isAtRest(accountOf("mem_nobody", "PHP"))).toBe(true);
  });

  afterEach(() => awaitCopies(""));

  /** @param names of the standbys, as in `synchronous_standby_names`; an empty text for none */
  async function awaitCopies(names: string): Promise<void> {
    await db.pool.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await db.pool.query("SELECT pg_reload_conf()");
    await vi.waitFor(async () => {
      const { rows } = await db.pool.query("SHOW synchronous_standby_names");
      expect(rows[0].synchronous_standby_names).toBe(names);
    }, 20_000);
    // COMMITs wait from when PostgreSQL's checkpointer has read the setting.
    await db.pool.query("CHECKPOINT");
  }

  async function isWritten(apart: TestDatabase): Promise<boolean> {
    const { rows } = await apart.pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'",
    );
    return rows.length > 0;
  }

  function databaseOf({ url }: TestDatabase): string {
    return new URL(url).pathname.slice(1);
  }
});

describe("hundreds of wallets that another session holds", () => {
  const MANY = 200;
  let many: Account[];

  beforeAll(async () => {
    const names = Array.from({ length: MANY }, (_, i) => `mem_many${i}`);
    many = await Promise.all(
      names.map((owner) => makeWallet({ pool: db.pool, ledger, clock }, owner, 1_000n)),
    );
  }, 60_000);

  it("each get the answer busy after their own time, while all others are served", async () => {
    await holdAll(many);
    const began = performance.now();
    const answers = many.map((account) =>
      debit(account, freshKey()).then(
        () => null,
        (error: unknown) => ({ error, afterMs: performance.now() - began }),
      ),
    );
    let isOver = false;
    const over = Promise.all(answers).finally(() => {
      isOver = true;
    });
    const slowest: number[] = [];
    while (!isOver) slowest.push(await slowestRound());
    const refused = (await over).flatMap((answer) => (answer === null ? [] : [answer]));
    expect(refused.every(({ error }) => error instanceof LedgerUnavailable)).toBe(true);
    expect(refused).toHaveLength(MANY);
    expect(Math.max(...slowest)).toBeLessThan(Math.min(...refused.map(({ afterMs }) => afterMs)));
    expect(Math.max(...refused.map(({ afterMs }) => afterMs))).toBeLessThan(8_000);
  }, 60_000);

  it("are all served after being held for a moment", async () => {
    await holdAll(many);
    const given = many.map((account) => debit(account, freshKey()));
    await new Promise((turn) => setTimeout(turn, 500));
    await holder.query("ROLLBACK");
    expect((await Promise.all(given)).every(({ ok }) => ok)).toBe(true);
  }, 60_000);

  it("are served where they are free, although others are not", async () => {
    const [kept, freed] = [many.slice(0, MANY / 2), many.slice(MANY / 2)];
    await holdAll(kept);
    const other = await db.pool.connect();
    await other.query("BEGIN");
    await lockAll(other, freed);
    const refused = kept.map((account) => debit(account, freshKey()).catch((error) => error));
    const given = freed.map((account) => debit(account, freshKey()));
    await new Promise((turn) => setTimeout(turn, 1_000));
    await other.query("ROLLBACK");
    other.release();
    const outcomes = await Promise.all(given);
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    for (const error of await Promise.all(refused)) expect(error).toBeInstanceOf(LedgerUnavailable);
  }, 60_000);

  async function holdAll(accounts: readonly Account[]): Promise<void> {
    await holder.query("BEGIN");
    await lockAll(holder, accounts);
  }

  async function lockAll(client: pg.PoolClient, accounts: readonly Account[]): Promise<void> {
    await client.query("SELECT FROM ledger_accounts WHERE id = ANY ($1) FOR UPDATE", [
      accounts.map(({ id }) => id),
    ]);
  }
});

describe("a row of another module that another session holds", () => {
  it("makes only the command that writes it wait", async () => {
    await holder.query("BEGIN");
    await holder.query("SELECT FROM notes WHERE id = 0 FOR UPDATE");
    const key = freshKey();
    let isOver = false;
    const answer = debit(held, key, [say(0)])
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true;
      });
    // The other commands write rows of the same table by the same statement.
    const round = await Promise.all(
      others.map((account, i) => debit(account, freshKey(), [say(i + 1)])),
    );
    expect([isOver, round.every(({ ok }) => ok)]).toEqual([false, true]);
    expect(await answer).toBeInstanceOf(LedgerUnavailable);
    expect(await ledger.find(held, key)).toBeNull();
    await holder.query("ROLLBACK");
    expect((await debit(held, key, [say(0)])).ok).toBe(true);
    const { rows } = await db.pool.query("SELECT DISTINCT said FROM notes");
    expect(rows).toEqual([{ said: 1 }]);
  }, 30_000);
});

describe("a row that all commands of a lane update", () => {
  const LANE = 7;
  let inLane: Account[];

  beforeAll(async () => {
    const names = Array.from({ length: 2_000 }, (_, i) => `mem_lane${i}`);
    const chosen = names.filter((name) => accountOf(name, "PHP").lane === LANE).slice(0, 40);
    inLane = await Promise.all(
      chosen.map((owner) => makeWallet({ pool: db.pool, ledger, clock }, owner, 1_000n)),
    );
    await db.pool.query("INSERT INTO notes SELECT 1000 + generate_series(0, 63)");
  }, 60_000);

  it("makes only commands of its lane wait for long while another session holds it", async () => {
    await holder.query("BEGIN");
    await holder.query("SELECT FROM notes WHERE id = $1 FOR UPDATE", [1000 + LANE]);
    const count = (account: Account) => debit(account, freshKey(), [say(1000 + account.lane)]);
    const isBusy = (error: unknown) => error instanceof LedgerUnavailable;
    const kept = inLane.map((account) => count(account).then(() => false, isBusy));
    const free = others.filter(({ lane }) => lane !== LANE);
    const served = await Promise.all(free.map(count));
    expect(served.every(({ ok }) => ok)).toBe(true);
    expect((await Promise.all(kept)).every((busy) => busy)).toBe(true);
  }, 30_000);
});

describe("an account with a command that misses its row", () => {
  it("makes no other command fail with its next commands", async () => {
    const gone = () => debit(held, freshKey(), [say(-1)]).catch((error: unknown) => error);
    await gone();
    // A rolled-back transaction does not give back numbers of a sequence.
    await db.pool.query("CREATE SEQUENCE tries");
    const sql = "SELECT nextval('tries') FROM jsonb_to_recordset($1) AS u(id int)";
    const tried = { statement: { name: "test_tries", sql, mustAffectEach: false }, row: { id: 1 } };
    const [more, served] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, gone)),
      Promise.all(others.map((account) => debit(account, freshKey(), [tried]))),
    ]);
    expect(more.every((error) => error instanceof EffectMissed)).toBe(true);
    expect(served.every(({ ok }) => ok)).toBe(true);
    const { rows } = await db.pool.query("SELECT last_value::int AS tries FROM tries");
    expect(rows).toEqual([{ tries: OTHERS }]);
  });
});
