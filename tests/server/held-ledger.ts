import { present } from "@perya/kernel/assert";
import type pg from "pg";
import { afterAll, afterEach, expect } from "vitest";
import {
  type Account,
  accountOf,
  type Effect,
  type Ledger,
} from "../../apps/server/src/modules/ledger/ledger.ts";
import { databaseOfFile, type TestDatabase } from "../setup/test-database.ts";
import { ledgerOfFile, makeWallet, manualClock } from "./fixtures.ts";
import { lockWaits } from "./lock-waits.ts";

/** Another session holds a lock that one wallet's command needs; all other wallets play on. */
const OTHERS = 24;

/** A ledger with the wallets of many players, and a session that holds locks of it. */
export async function openHeldLedger() {
  const clock = manualClock();
  let keys = 0;
  const db = await databaseOfFile();
  const ledger = ledgerOfFile(db, []);
  await db.pool.query("CREATE TABLE notes (id int PRIMARY KEY, said int NOT NULL DEFAULT 0)");
  await db.pool.query(`INSERT INTO notes SELECT generate_series(0, ${OTHERS})`);
  await db.pool.query("CREATE TABLE batches (key text, batch xid8)");
  const wallet = (owner: string) => makeWallet({ pool: db.pool, ledger, clock }, owner, 1_000n);
  const held = await wallet("mem_held");
  const others = await Promise.all(
    Array.from({ length: OTHERS }, (_, i) => wallet(`mem_other${i}`)),
  );
  const holder = await db.pool.connect();

  afterEach(async () => {
    await holder.query("ROLLBACK");
    expect(await ledger.verify()).toEqual([]);
  });
  afterAll(() => holder.release());

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

  /** Sessions that wait for a lock. */
  async function waiters(): Promise<number> {
    return lockWaits(db.pool);
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

  return {
    ...{ OTHERS, clock, db, ledger, held, others, holder },
    ...{
      batches,
      marked,
      walletsIn,
      walletIn,
      holdNotes,
      waiters,
      sessionsOf,
      hold,
      lock,
      slowestRound,
      debit,
      say,
      count,
      freshKey,
    },
  };
}
