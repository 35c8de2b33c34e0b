import { present } from "@perya/kernel/assert";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Account,
  accountOf,
  type Effect,
  EffectMissed,
  Ledger,
  LedgerUnavailable,
} from "../../apps/server/src/modules/ledger/ledger.ts";
import { createTestDatabase, type TestDatabase } from "../setup/test-database.ts";
import { makeLedger, makeWallet, manualClock } from "./fixtures.ts";

/** Another session holds a lock that one wallet's command needs; all other wallets play on. */
const OTHERS = 24;
const clock = manualClock();
let db: TestDatabase;
let ledger: Ledger;
let held: Account;
let others: Account[];
let holder: pg.PoolClient;
let keys = 0;

beforeAll(async () => {
  db = await createTestDatabase();
  ledger = makeLedger(db, []);
  await db.pool.query("CREATE TABLE notes (id int PRIMARY KEY, said int NOT NULL DEFAULT 0)");
  await db.pool.query(`INSERT INTO notes SELECT generate_series(0, ${OTHERS})`);
  await db.pool.query("CREATE TABLE batches (key text, batch xid8)");
  const wallet = (owner: string) => makeWallet({ pool: db.pool, ledger, clock }, owner, 1_000n);
  held = await wallet("mem_held");
  others = await Promise.all(Array.from({ length: OTHERS }, (_, i) => wallet(`mem_other${i}`)));
  holder = await db.pool.connect();
});

afterEach(async () => {
  await holder.query("ROLLBACK");
  expect(await ledger.verify()).toEqual([]);
});

afterAll(async () => {
  holder.release();
  await ledger.close();
  await db.drop();
});

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

describe("a command that is set aside", () => {
  /** The ledger's four seconds, after which a waiting command gets an answer. */
  const PATIENCE_MS = 4_000;
  let alone: Ledger;
  let troubles: unknown[];
  let first: Account;
  let second: Account;
  let third: Account;

  beforeAll(async () => {
    const wallet = (owner: string) => makeWallet({ pool: db.pool, ledger, clock }, owner, 1_000n);
    first = await wallet("mem_first");
    second = await wallet("mem_second");
    third = await wallet("mem_third");
  });

  beforeEach(() => {
    troubles = [];
    alone = new Ledger({
      ...{ databaseUrl: db.url, pool: db.pool, writers: 1 },
      onTrouble: (error) => void troubles.push(error),
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });

  afterEach(async () => {
    await holder.query("ROLLBACK");
    await alone.close();
    vi.useRealTimers();
  });

  it("makes its account go apart from others for four seconds after the answer busy", async () => {
    await hold(held);
    const key = freshKey();
    const busy = refusal(debit(held, key, [], alone));
    await isAside();
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(await busy).toBeInstanceOf(LedgerUnavailable);
    await holder.query("ROLLBACK");
    expect(await batches(alone, [held, first])).toHaveLength(2);
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    expect(await batches(alone, [held, first])).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(await batches(alone, [held, first])).toHaveLength(1);
    // A command that was answered busy is not booked once the row is free.
    expect(await ledger.find(held, key)).toBeNull();
  });

  it("makes its account go apart from others for half a minute after it missed, and no longer", async () => {
    expect(await refusal(debit(held, freshKey(), [say(-1)], alone))).toBeInstanceOf(EffectMissed);
    vi.advanceTimersByTime(29_999);
    expect(await batches(alone, [held, first])).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(await batches(alone, [held, first])).toHaveLength(1);
    // A failure for any other reason does not make its account go apart.
    const sql = "SELECT 1 / id FROM jsonb_to_recordset($1) AS u(id int)";
    const failing = { name: "test_failing", sql, mustAffectEach: false };
    const failed = debit(held, freshKey(), [{ statement: failing, row: { id: 0 } }], alone);
    expect(await refusal(failed)).toMatchObject({ code: "22012" });
    expect(await batches(alone, [held, first])).toHaveLength(1);
  });

  it("gets the answer busy after its own time, which is reported once per account", async () => {
    const both = [held, first];
    const sendAll = () => both.map((account) => debit(account, freshKey(), [], alone));
    await hold(held, first);
    const busy = [...sendAll(), ...sendAll()].map(refusal);
    await isAside();
    vi.advanceTimersByTime(PATIENCE_MS);
    for (const error of await Promise.all(busy)) expect(error).toBeInstanceOf(LedgerUnavailable);
    expect(troubles).toHaveLength(both.length);
    expect(troubles.every((error) => error instanceof Error)).toBe(true);
    // Later commands wait on, although the others' time to go apart is over.
    vi.advanceTimersByTime(1_000);
    const later = sendAll();
    await isAside();
    vi.advanceTimersByTime(PATIENCE_MS - 1_000);
    await holder.query("ROLLBACK");
    expect((await Promise.all(later)).every(({ ok }) => ok)).toBe(true);
  });

  it("waits on although the time of an earlier, served command is over", async () => {
    const both = [held, first];
    const sendAll = () => both.map((account) => debit(account, freshKey(), [], alone));
    await Promise.all(both.map((account) => refusal(debit(account, freshKey(), [say(-1)], alone))));
    await Promise.all(sendAll());
    vi.advanceTimersByTime(1_000);
    await hold(held, first);
    const later = sendAll();
    await isAside();
    vi.advanceTimersByTime(PATIENCE_MS - 1_000);
    await holder.query("ROLLBACK");
    expect((await Promise.all(later)).every(({ ok }) => ok)).toBe(true);
  });

  it("is served although the next command follows immediately", async () => {
    await refusal(debit(held, freshKey(), [say(-1)], alone));
    for (let i = 0; i < 10; i++) {
      expect((await debit(held, freshKey(), [], alone)).ok).toBe(true);
      await new Promise((turn) => setImmediate(turn));
    }
  });

  it("gets a row that others hold in turn", async () => {
    await hold(held);
    const answer = debit(held, freshKey(), [], alone);
    await isAside();
    await expect.poll(waiters).toBe(1);
    const next = await db.pool.connect();
    await next.query("BEGIN");
    const taken = lock(next, held);
    await expect.poll(waiters).toBe(2);
    await holder.query("ROLLBACK");
    const outcome = await Promise.race([answer, taken.then(() => answer)]);
    await next.query("ROLLBACK");
    next.release();
    expect(outcome.ok).toBe(true);
  });

  it("is served when a table that was locked as a whole is free again", async () => {
    await holder.query("BEGIN");
    await holder.query("LOCK TABLE ledger_accounts IN ACCESS EXCLUSIVE MODE");
    const given = [held, first].map((account) => debit(account, freshKey(), [], alone));
    await new Promise((turn) => setImmediate(turn));
    await expect.poll(async () => (await sessionsOf(db)) > 1).toBe(true);
    await holder.query("ROLLBACK");
    expect((await Promise.all(given)).every(({ ok }) => ok)).toBe(true);
  });

  it("costs the others of its batch one more try, for either of its parts that is held", async () => {
    await db.pool.query("CREATE SEQUENCE shared_tries");
    const sql = "SELECT nextval('shared_tries') FROM jsonb_to_recordset($1) AS u(id int)";
    const statement = { name: "test_a_tries", sql, mustAffectEach: false };
    await holdNotes([0]);
    const at = { counterAccount: "vendor:BGS", ref: null, at: clock.now(), amount: 1n };
    const given = { ...at, account: held, kind: "win", key: freshKey() } as const;
    const effects = [{ statement, row: { id: 0 } }, say(0)];
    const pair = alone.exchange({ ...given, kind: "bet", key: freshKey(), effects }, given);
    const free = others.map((account) =>
      debit(account, freshKey(), [{ statement, row: { id: 1 } }], alone),
    );
    expect((await Promise.all(free)).every(({ ok }) => ok)).toBe(true);
    const { rows } = await db.pool.query("SELECT last_value::int AS tries FROM shared_tries");
    await holder.query("ROLLBACK");
    expect((await pair).ok).toBe(true);
    // One try with the held command and one without it; while it waits it may be tried again.
    expect(rows[0].tries).toBeGreaterThanOrEqual(2 * OTHERS + 1);
    expect(rows[0].tries).toBeLessThan(3 * OTHERS);
  });

  it("loses no other command of its batch when one of them breaks a rule", async () => {
    await db.pool.query("CREATE TABLE rules (id int PRIMARY KEY CHECK (id > 0))");
    const sql = "INSERT INTO rules SELECT id FROM jsonb_to_recordset($1) AS u(id int)";
    const rule = (id: number) => ({
      statement: { name: "test_a_rule", sql, mustAffectEach: false },
      row: { id },
    });
    await holdNotes([0]);
    const waits = debit(held, freshKey(), [say(0)], alone);
    const [one, breaks, two] = [
      debit(first, freshKey(), [rule(1)], alone),
      refusal(debit(second, freshKey(), [rule(0)], alone)),
      debit(third, freshKey(), [rule(2)], alone),
    ];
    expect(await breaks).toMatchObject({ code: "23514" });
    // The database was up all the time, and no outage is reported.
    expect(troubles).toEqual([]);
    expect([(await one).ok, (await two).ok]).toEqual([true, true]);
    await holder.query("ROLLBACK");
    expect((await waits).ok).toBe(true);
  });

  it("fails alone when the database gives up on it, and leaves other waiting commands alone", async () => {
    await refusal(debit(held, freshKey(), [say(-1)], alone));
    const sql = `SELECT test_give_up() FROM jsonb_to_recordset($1) AS u(id int)`;
    await db.pool.query(
      `CREATE FUNCTION test_give_up() RETURNS int LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'too slow' USING ERRCODE = '57014'; END $$`,
    );
    const statement = { name: "test_give_up", sql, mustAffectEach: false };
    await hold(first);
    const waits = debit(first, freshKey(), [], alone);
    const slow = refusal(debit(held, freshKey(), [{ statement, row: { id: 1 } }], alone));
    await new Promise((turn) => setImmediate(turn));
    const queued = debit(second, freshKey(), [], alone);
    expect(await slow).toMatchObject({ cause: { code: "57014" } });
    expect(await slow).toBeInstanceOf(LedgerUnavailable);
    expect((await queued).ok).toBe(true);
    await holder.query("ROLLBACK");
    expect((await waits).ok).toBe(true);
  });

  it("is done in few batches when a row of a lane is held, and when a row of one account is", async () => {
    const lanes = [3, 12, 20, 41];
    const perLane = await Promise.all(lanes.map((lane) => walletsIn(lane, 2)));
    const [low, middle, kept, high] = perLane.map((wallets) => wallets.map(({ id }) => id));
    await db.pool.query("INSERT INTO notes SELECT 2000 + generate_series(0, 63)");
    await holdNotes([2_020]);
    const sent = [...perLane].reverse().flat();
    const parts = await partsWhile(sent, ({ lane }) => 2_000 + lane, kept ?? []);
    expect(parts).toEqual([new Set([...(low ?? []), ...(middle ?? [])]), new Set(high)]);

    // Eight accounts of one lane, of which the sixth needs the held row.
    const eight = await walletsIn(33, 8);
    const ids = eight.map(({ id }) => id);
    await db.pool.query("INSERT INTO notes SELECT 3000 + generate_series(0, 7)");
    await holdNotes([3_005]);
    const byRow = await partsWhile(eight, ({ id }) => 3_000 + ids.indexOf(id), ids.slice(5, 6));
    expect(byRow).toEqual([ids.slice(0, 4), ids.slice(6), ids.slice(4, 5)].map((p) => new Set(p)));
  });

  it("is served beside one that goes on waiting, in either order of their lanes", async () => {
    const low = await walletIn(5);
    const high = await walletIn(50);
    await db.pool.query("INSERT INTO notes VALUES (4000), (4001)");
    await holdNotes([4_000]);
    for (const [waiting, free] of [
      [low, high],
      [high, low],
    ] as const) {
      const waits = mark(waiting, [say(4_000)]);
      await mark(free, [say(4_001)]);
      await holder.query("ROLLBACK");
      await waits;
      await holdNotes([4_000]);
    }
  });

  it("is in a batch that is no larger than any other", async () => {
    await hold(held, first);
    const given = [held, first].flatMap((account) =>
      Array.from({ length: 300 }, () => mark(account)),
    );
    await isAside();
    await holder.query("ROLLBACK");
    await Promise.all(given);
    const { rows } = await db.pool.query(
      "SELECT max(n)::int AS most FROM (SELECT count(*) AS n FROM batches GROUP BY batch) b",
    );
    expect(rows[0].most).toBeLessThanOrEqual(512);
  });

  it("waits for the total of its lane, for which a command that moves no money does not wait", async () => {
    await holder.query("BEGIN");
    await holder.query("SELECT FROM ledger_lane_totals WHERE lane = $1 FOR UPDATE", [held.lane]);
    const waits = debit(held, freshKey(), [], alone);
    await isAside();
    const part = { account: held, key: freshKey(), amount: 1n, counterAccount: "vendor:BGS" };
    const one = { ...part, ref: null, at: clock.now() };
    expect((await ledger.hold({ ...one, kind: "hold" })).ok).toBe(true);
    const end = { ...one, key: freshKey(), resolves: part.key };
    expect((await ledger.void({ ...end, kind: "void" })).ok).toBe(true);
    await holder.query("ROLLBACK");
    expect((await waits).ok).toBe(true);
  });

  it("holds no total of its lane while it waits for an earlier one", async () => {
    const counters = ["house:m", "house:a", "house:z"];
    const send = () =>
      Promise.all(
        counters.map((counterAccount) => {
          const bet = { account: held, key: freshKey(), amount: 1n, counterAccount };
          return alone.debit({ ...bet, kind: "bet", ref: null, at: clock.now() });
        }),
      );
    await send();
    const lockTotal = (counter: string, how: string) =>
      holder.query(
        `SELECT FROM ledger_lane_totals WHERE lane = $1 AND counter_account = $2 FOR UPDATE ${how}`,
        [held.lane, counter],
      );
    await holder.query("BEGIN");
    await lockTotal("house:a", "");
    const waits = send();
    await expect.poll(waiters).toBe(1);
    await lockTotal("house:m", "NOWAIT");
    await lockTotal("house:z", "NOWAIT");
    await holder.query("ROLLBACK");
    expect((await waits).every(({ ok }) => ok)).toBe(true);
  });

  /** Waits until the main connection is done with all that was sent before. */
  async function isAside(): Promise<void> {
    expect((await debit(third, freshKey(), [], alone)).ok).toBe(true);
  }

  /**
   * The accounts of each batch, in order, while others are kept waiting: accounts that already go
   * apart are served beside them all.
   */
  async function partsWhile(
    sent: readonly Account[],
    noteOf: (account: Account) => number,
    kept: readonly string[],
  ): Promise<Set<string>[]> {
    await db.pool.query("TRUNCATE batches");
    await refusal(debit(held, freshKey(), [say(-1)], alone));
    const answers = sent.map((account) => ({
      isKept: kept.includes(account.id),
      done: mark(account, [count(noteOf(account))]),
    }));
    await Promise.all(answers.filter(({ isKept }) => !isKept).map(({ done }) => done));
    expect((await debit(held, freshKey(), [], alone)).ok).toBe(true);
    const { rows } = await db.pool.query<{ accounts: string[] }>(
      "SELECT array_agg(key) AS accounts FROM batches GROUP BY batch ORDER BY batch",
    );
    await holder.query("ROLLBACK");
    await Promise.all(answers.map(({ done }) => done));
    return rows.map(({ accounts }) => new Set(accounts));
  }

  async function mark(account: Account, effects: readonly Effect[] = []): Promise<void> {
    const done = await debit(account, freshKey(), [marked(account.id), ...effects], alone);
    expect(done.ok).toBe(true);
  }
});

describe("a ledger that is closed", () => {
  it.each(["while a batch waits", "while a command that was set aside waits"])(
    "accepts no more commands %s, finishes those that wait and disconnects",
    async (when) => {
      const apart = await createTestDatabase();
      const closing = makeLedger(apart, []);
      const account = await makeWallet({ pool: apart.pool, ledger: closing, clock }, "mem_c", 9n);
      const keeper = await apart.pool.connect();
      await keeper.query("BEGIN");
      await lock(keeper, account);
      const order: string[] = [];
      const answer = debit(account, freshKey(), [], closing).then(() => order.push("answered"));
      const close = () => closing.close().then(() => order.push("closed"));
      const early = when === "while a batch waits" ? close() : null;
      // One connection writes batches, the other the commands that were set aside.
      await expect.poll(() => sessionsOf(apart)).toBe(2);
      await expect.poll(() => waitersIn(apart.pool)).toBe(1);
      const closed = early ?? close();
      await expect(debit(account, freshKey(), [], closing)).rejects.toThrow(LedgerUnavailable);
      await keeper.query("ROLLBACK");
      await Promise.all([answer, closed]);
      expect(order).toEqual(["answered", "closed"]);
      await expect.poll(() => sessionsOf(apart)).toBe(0);
      keeper.release();
      await apart.drop();
    },
  );
});

/** The batches that execute one command of each account, sent at once, each by its accounts. */
async function batches(of: Ledger, accounts: readonly Account[]): Promise<unknown[]> {
  await db.pool.query("TRUNCATE batches");
  const sent = accounts.map((account) => debit(account, freshKey(), [marked(account.id)], of));
  expect((await Promise.all(sent)).every(({ ok }) => ok)).toBe(true);
  return (await db.pool.query("SELECT FROM batches GROUP BY batch")).rows;
}

/** Records the batch that executed its command. */
function marked(key: string): Effect {
  const sql = `INSERT INTO batches (key, batch)
    SELECT key, pg_current_xact_id() FROM jsonb_to_recordset($1) AS u(key text)`;
  return { statement: { name: "test_marked", sql, mustAffectEach: false }, row: { key } };
}

/** New wallets of that lane, in order of creation. */
async function walletsIn(lane: number, count: number): Promise<Account[]> {
  const names = Array.from({ length: 4_000 }, (_, i) => `mem_in${lane}_${i}`);
  const chosen = names.filter((name) => accountOf(name, "PHP").lane === lane).slice(0, count);
  return Promise.all(
    chosen.map((owner) => makeWallet({ pool: db.pool, ledger, clock }, owner, 1_000n)),
  );
}

async function walletIn(lane: number): Promise<Account> {
  const [wallet] = await walletsIn(lane, 1);
  return present(wallet, "a wallet of the lane");
}

async function holdNotes(ids: readonly number[]): Promise<void> {
  await holder.query("BEGIN");
  await holder.query("SELECT FROM notes WHERE id = ANY ($1) FOR UPDATE", [ids]);
}

function refusal(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.then(
    () => null,
    (error: unknown) => error,
  );
}

/** Sessions that wait for a lock. */
async function waiters(): Promise<number> {
  return waitersIn(db.pool);
}

async function waitersIn(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows.length;
}

/** Connections of ledgers that write. */
async function sessionsOf({ pool }: TestDatabase): Promise<number> {
  const { rows } = await pool.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'perya-ledger'`,
  );
  return rows.length;
}

async function hold(...accounts: readonly Account[]): Promise<void> {
  await holder.query("BEGIN");
  for (const account of accounts) await lock(holder, account);
}

async function lock(client: pg.PoolClient, { lane, id }: Account): Promise<void> {
  await client.query("SELECT FROM ledger_accounts WHERE lane = $1 AND id = $2 FOR UPDATE", [
    lane,
    id,
  ]);
}

async function slowestRound(): Promise<number> {
  const took = others.map(async (account) => {
    const before = performance.now();
    const credit = { account, key: freshKey(), amount: 1n, counterAccount: "bonus:test" };
    const given = await ledger.credit({ ...credit, kind: "bonus", ref: null, at: clock.now() });
    expect(given.ok).toBe(true);
    return performance.now() - before;
  });
  return Math.max(...(await Promise.all(took)));
}

function debit(account: Account, key: string, effects: readonly Effect[] = [], of = ledger) {
  const taken = { account, key, amount: 1n, counterAccount: "vendor:BGS", effects };
  return of.debit({ ...taken, kind: "bet", ref: null, at: clock.now() });
}

function say(id: number): Effect {
  const sql = `UPDATE notes n SET said = said + 1
    FROM jsonb_to_recordset($1) AS u(id int) WHERE n.id = u.id`;
  return { statement: { name: "test_say", sql, mustAffectEach: true }, row: { id } };
}

/** An effect whose row several commands of a batch may share. */
function count(id: number): Effect {
  const { statement, row } = say(id);
  return { statement: { ...statement, name: "test_share", mustAffectEach: false }, row };
}

function freshKey(): string {
  keys += 1;
  return `key:${keys}`;
}
