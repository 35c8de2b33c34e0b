import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Account,
  type Effect,
  EffectMissed,
  Ledger,
  LedgerUnavailable,
} from "../../apps/server/src/modules/ledger/ledger.ts";
import { createTestDatabase } from "../setup/test-database.ts";
import { makeLedger, makeWallet } from "./fixtures.ts";
import { openHeldLedger } from "./held-ledger.ts";

const world = await openHeldLedger();
const { OTHERS, clock, db, held, holder, ledger, others, batches, count, debit, freshKey } = world;
const { hold, holdNotes, lock, marked, say, sessionsOf, waiters, waitersIn, walletIn } = world;
const { walletsIn } = world;

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

  it("is served after others that hold its row in turn", async () => {
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

function refusal(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.then(
    () => null,
    (error: unknown) => error,
  );
}
