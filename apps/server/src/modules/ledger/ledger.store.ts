import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { byLane } from "../../platform/postgres/lanes.ts";
import { pageOfWalk, WALKED_MAX } from "../../platform/postgres/walk.ts";
import type { Account } from "./account.ts";
import { type AccountState, entryName, type NewEntry, type StoredEntry } from "./batch.ts";
import type { BatchStatement, EntryKind, Movement } from "./movement.ts";

/**
 * The ledger's SQL. Arrays travel as PostgreSQL array literals built here: the driver's own
 * conversion of bigint arrays costs more than the statement. Names make them prepared.
 */

export async function openAccount(
  client: pg.Pool | pg.ClientBase,
  account: Account,
  owner: { readonly merchantId: string; readonly ownerId: string; readonly kind: string },
  at: Instant,
): Promise<void> {
  await client.query(
    `INSERT INTO ledger_accounts (lane, id, merchant_id, owner_id, kind, currency, opened_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (lane, id) DO NOTHING`,
    [
      account.lane,
      account.id,
      owner.merchantId,
      owner.ownerId,
      owner.kind,
      account.currency,
      new Date(at),
    ],
  );
}

/**
 * Begins the transaction and locks the batch's accounts in one order, (lane, id), so that two
 * processes can wait for each other but never in a circle.
 */
export async function beginAndLock(
  client: pg.ClientBase,
  accounts: readonly Account[],
  given: { readonly isCluster: boolean; readonly lockTimeoutMs: number },
): Promise<Map<string, AccountState>> {
  const locked = given.isCluster
    ? await lockByLane(client, accounts, given.lockTimeoutMs)
    : await lockAtOnce(client, accounts);
  const states = new Map<string, AccountState>();
  for (const row of locked) {
    const state = {
      lane: Number(row.lane),
      id: String(row.id),
      currency: String(row.currency),
      balance: BigInt(row.balance ?? 0),
      held: BigInt(row.held ?? 0),
      seq: BigInt(row.seq ?? 0),
      touched: false,
    };
    states.set(state.id, state);
  }
  return states;
}

type LockedRow = Readonly<Record<string, string>>;

async function lockAtOnce(
  client: pg.ClientBase,
  accounts: readonly Account[],
): Promise<readonly LockedRow[]> {
  const began = client.query({ name: "ledger_begin", text: "BEGIN" });
  const locked = client.query<LockedRow>({
    name: "ledger_lock",
    text: `SELECT a.lane, a.id, a.currency, a.balance::text, a.held::text, a.seq::text
           FROM unnest($1::smallint[], $2::text[]) AS u(lane, id)
           JOIN ledger_accounts a ON a.lane = u.lane AND a.id = u.id
           ORDER BY a.lane, a.id FOR UPDATE OF a`,
    values: [numbers(accounts, (a) => a.lane), texts(accounts, (a) => a.id)],
  });
  const [, { rows }] = await Promise.all([began, locked]);
  return rows;
}

/**
 * A cluster locks rows of one lane per statement. They are sent one behind the other, and none
 * waits for an answer. The nodes learn from `SET LOCAL` how long to wait for a row.
 */
async function lockByLane(
  client: pg.ClientBase,
  accounts: readonly Account[],
  lockTimeoutMs: number,
): Promise<readonly LockedRow[]> {
  const began = client.query(
    `BEGIN; SET LOCAL citus.propagate_set_commands TO 'local';
     SET LOCAL lock_timeout TO ${lockTimeoutMs}`,
  );
  const locked = byLane(accounts).map(([lane, those]) =>
    client.query<LockedRow>({
      name: "ledger_lock_lane",
      text: `SELECT lane, id, currency, balance::text, held::text, seq::text
             FROM ledger_accounts WHERE lane = $1 AND id = ANY ($2) ORDER BY id FOR UPDATE`,
      values: [lane, those.map(({ id }) => id)],
    }),
  );
  const [, answers] = await Promise.all([began, Promise.all(locked)]);
  return answers.flatMap(({ rows }) => rows);
}

/** Waits for what is being booked on an account, and blocks further bookings until the end. */
export async function lockWallet(client: pg.ClientBase, { lane, id }: Account): Promise<void> {
  await client.query("SELECT FROM ledger_accounts WHERE lane = $1 AND id = $2 FOR UPDATE", [
    lane,
    id,
  ]);
}

/** Those of the given accounts that nobody holds, by their ids. Waits for none. */
export async function freeAmong(
  client: pg.ClientBase,
  accounts: readonly Account[],
  isCluster: boolean,
): Promise<Set<string>> {
  const began = client.query("BEGIN");
  const free = isCluster
    ? byLane(accounts).map(([lane, those]) =>
        client.query<{ id: string }>(
          `SELECT id FROM ledger_accounts WHERE lane = $1 AND id = ANY ($2)
           FOR UPDATE SKIP LOCKED`,
          [lane, those.map(({ id }) => id)],
        ),
      )
    : [
        client.query<{ id: string }>(
          `SELECT a.id FROM unnest($1::smallint[], $2::text[]) AS u(lane, id)
           JOIN ledger_accounts a ON a.lane = u.lane AND a.id = u.id FOR UPDATE OF a SKIP LOCKED`,
          [numbers(accounts, (a) => a.lane), texts(accounts, (a) => a.id)],
        ),
      ];
  const ended = client.query("ROLLBACK");
  const [answers] = await Promise.all([Promise.all(free), began, ended]);
  return new Set(answers.flatMap(({ rows }) => rows.map(({ id }) => id)));
}

/**
 * Whether somebody holds the account; nobody holds one that is not open. Waits for no row, and for
 * no replica either, as it writes nothing permanent. Any number may look at once.
 */
export async function isHeld(pool: pg.Pool, { lane, id }: Account): Promise<boolean> {
  const { rows } = await pool.query<{ held: boolean }>({
    name: "ledger_is_held",
    text: `WITH free AS (
             SELECT id FROM ledger_accounts WHERE lane = $1 AND id = $2 FOR KEY SHARE SKIP LOCKED
           )
           SELECT NOT EXISTS (SELECT FROM free)
             AND EXISTS (SELECT FROM ledger_accounts WHERE lane = $1 AND id = $2) AS held,
             set_config('synchronous_commit', 'off', true)`,
    values: [lane, id],
  });
  return rows[0]?.held === true;
}

/** Somebody holds a row that this statement needs. */
export class EffectHeld extends Error {
  override name = "EffectHeld";
  readonly statement: string;

  constructor(statement: string, cause: unknown) {
    super(`${statement} waits for a lock`, { cause });
    this.statement = statement;
  }
}

/** lock_not_available: somebody holds a row, or a table, for longer than we wait. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, "code") === "55P03";
}

/**
 * Entries under the given keys, by entryName. If they must stay unchanged until the transaction
 * ends, the caller locks the accounts first.
 */
export async function findEntries(
  client: pg.Pool | pg.ClientBase,
  wanted: readonly { readonly account: Account; readonly key: string }[],
): Promise<Map<string, StoredEntry>> {
  const { rows } = await client.query({
    name: "ledger_find",
    text: `SELECT e.account_id, e.key, e.seq::text, e.amount::text, e.held_change::text,
                  e.balance_after::text, e.held_after::text, e.counter_account, e.kind, e.ref,
                  e.resolves, (extract(epoch FROM e.at) * 1000)::bigint::text AS at,
                  EXISTS (SELECT 1 FROM ledger_entries r
                          WHERE r.lane = e.lane AND r.account_id = e.account_id
                            AND r.resolves = e.key) AS resolved
           FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(lane, account_id, key)
           JOIN ledger_entries e
             ON e.lane = u.lane AND e.account_id = u.account_id AND e.key = u.key`,
    values: [
      numbers(wanted, (w) => w.account.lane),
      texts(wanted, (w) => w.account.id),
      texts(wanted, (w) => w.key),
    ],
  });
  return new Map(
    rows.map((row) => {
      const entry: StoredEntry = {
        accountId: row.account_id,
        key: row.key,
        receipt: {
          seq: BigInt(row.seq),
          amount: BigInt(row.amount),
          balanceAfter: BigInt(row.balance_after),
          heldAfter: BigInt(row.held_after),
          kind: row.kind,
          at: Number(row.at),
        },
        heldChange: BigInt(row.held_change),
        counterAccount: row.counter_account,
        ref: row.ref,
        resolves: row.resolves,
        resolved: row.resolved,
      };
      return [entryName(entry.accountId, entry.key), entry];
    }),
  );
}

/** Sends the writes of a batch without waiting in between; the caller awaits them all. */
export function writeBatch(
  client: pg.ClientBase,
  accounts: readonly AccountState[],
  entries: readonly NewEntry[],
): Promise<unknown>[] {
  const updated = client.query({
    name: "ledger_update",
    text: `UPDATE ledger_accounts a SET balance = u.balance, held = u.held, seq = u.seq
           FROM unnest($1::smallint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
             AS u(lane, id, balance, held, seq)
           WHERE a.lane = u.lane AND a.id = u.id`,
    values: [
      numbers(accounts, (a) => a.lane),
      texts(accounts, (a) => a.id),
      numbers(accounts, (a) => a.balance),
      numbers(accounts, (a) => a.held),
      numbers(accounts, (a) => a.seq),
    ],
  });
  const inserted = client.query({
    name: "ledger_insert",
    text: `INSERT INTO ledger_entries (lane, account_id, seq, key, amount, held_change,
             balance_after, held_after, counter_account, currency, kind, ref, resolves, at)
           SELECT lane, account_id, seq, key, amount, held_change, balance_after, held_after,
             counter_account, currency, kind, ref, resolves, to_timestamp(at / 1000.0)
           FROM unnest($1::smallint[], $2::text[], $3::bigint[], $4::text[], $5::bigint[],
             $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::text[],
             $12::text[], $13::text[], $14::bigint[])
             AS u(lane, account_id, seq, key, amount, held_change, balance_after, held_after,
               counter_account, currency, kind, ref, resolves, at)`,
    values: [
      numbers(entries, (e) => e.movement.account.lane),
      texts(entries, (e) => e.movement.account.id),
      numbers(entries, (e) => e.seq),
      texts(entries, (e) => e.movement.key),
      numbers(entries, (e) => e.movement.amount),
      numbers(entries, (e) => e.movement.heldChange),
      numbers(entries, (e) => e.balanceAfter),
      numbers(entries, (e) => e.heldAfter),
      texts(entries, (e) => e.movement.counterAccount),
      texts(entries, (e) => e.movement.account.currency),
      texts(entries, (e) => e.movement.kind),
      texts(entries, (e) => e.movement.ref),
      texts(entries, (e) => e.movement.resolves),
      numbers(entries, (e) => e.movement.at),
    ],
  });
  return [updated, inserted];
}

export function writeTotals(client: pg.ClientBase, entries: readonly NewEntry[]): Promise<unknown> {
  const totals = netTotals(entries);
  return client.query({
    name: "ledger_totals",
    text: `INSERT INTO ledger_lane_totals AS t (lane, counter_account, currency, amount)
           SELECT * FROM unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[])
           ON CONFLICT (lane, counter_account, currency)
           DO UPDATE SET amount = t.amount + excluded.amount`,
    values: [
      numbers(totals, (t) => t.lane),
      texts(totals, (t) => t.counterAccount),
      texts(totals, (t) => t.currency),
      numbers(totals, (t) => t.amount),
    ],
  });
}

interface LaneTotal {
  readonly lane: number;
  readonly counterAccount: string;
  readonly currency: string;
  amount: bigint;
}

/** The mirrored legs, summed, in one order for every process (they are locked in it). */
function netTotals(entries: readonly NewEntry[]): LaneTotal[] {
  const totals = new Map<string, LaneTotal>();
  for (const { movement } of entries) {
    if (movement.amount === 0n) continue;
    const { lane, currency } = movement.account;
    const name = `${String(lane).padStart(2, "0")}\n${movement.counterAccount}\n${currency}`;
    const total = totals.get(name);
    if (total !== undefined) total.amount -= movement.amount;
    else {
      const { counterAccount, amount } = movement;
      totals.set(name, { lane, counterAccount, currency, amount: -amount });
    }
  }
  return [...totals.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total);
}

/** Sends one statement per kind of effect; each answers how many rows it touched. */
export function writeEffects(
  client: pg.ClientBase,
  entries: readonly NewEntry[],
): { statement: BatchStatement; expected: number; done: Promise<number> }[] {
  const groups = new Map<string, { statement: BatchStatement; rows: unknown[] }>();
  for (const { movement } of entries) {
    for (const { statement, row } of movement.effects) {
      const group = groups.get(statement.name);
      if (group === undefined) groups.set(statement.name, { statement, rows: [row] });
      else group.rows.push(row);
    }
  }
  return [...groups.values()]
    .sort((a, b) => (a.statement.name < b.statement.name ? -1 : 1))
    .map(({ statement, rows }) => ({
      statement,
      expected: rows.length,
      done: client
        .query({ name: statement.name, text: statement.sql, values: [JSON.stringify(rows)] })
        .then(
          (result) => result.rowCount ?? 0,
          (error: unknown) => {
            throw isLockTimeout(error) ? new EffectHeld(statement.name, error) : error;
          },
        ),
    }));
}

export interface Balance {
  readonly balance: bigint;
  readonly held: bigint;
  readonly seq: bigint;
}

/** The balance of each account, in their order; null for one that is not open. */
export async function readBalances(
  pool: pg.Pool,
  accounts: readonly Account[],
): Promise<(Balance | null)[]> {
  const { rows } = await pool.query({
    name: "ledger_balances",
    text: `SELECT a.id, a.balance::text, a.held::text, a.seq::text
           FROM unnest($1::smallint[], $2::text[]) AS u(lane, id)
           JOIN ledger_accounts a ON a.lane = u.lane AND a.id = u.id`,
    values: [numbers(accounts, (a) => a.lane), texts(accounts, (a) => a.id)],
  });
  const found = new Map(rows.map((row) => [row.id, row]));
  return accounts.map(({ id }) => {
    const row = found.get(id);
    if (row === undefined) return null;
    return { balance: BigInt(row.balance), held: BigInt(row.held), seq: BigInt(row.seq) };
  });
}

interface HistoryEntry extends Balance {
  readonly key: string;
  readonly amount: bigint;
  readonly heldChange: bigint;
  readonly kind: EntryKind;
  readonly ref: string | null;
  readonly at: Instant;
}

export interface HistoryPage {
  readonly beforeSeq: bigint | null;
  readonly limit: number;
}

/** Entries newest first, and the position of the next page; null if there is none. */
export interface History {
  readonly entries: HistoryEntry[];
  readonly nextBefore: bigint | null;
}

const ENTRY = `seq::text, key, amount::text, held_change::text, balance_after::text,
  held_after::text, kind, ref, (extract(epoch FROM at) * 1000)::bigint::text AS at`;

/** The frequent kinds; `ledger_entries_rare` indexes all others. */
const FREQUENT = "('bet', 'win')";

/**
 * The latest entries of these kinds before `beforeSeq`, at most `limit`. A page visits few rows of
 * any wallet. Rare kinds have an index, and a page of them reads only their rows. Bets and wins
 * have none, since every round would pay for it: there a page walks through `WALKED_MAX` entries
 * and answers what it found, or nothing, and where to go on.
 */
export async function readHistory(
  pool: pg.Pool,
  account: Account,
  { beforeSeq, limit }: HistoryPage,
  kinds: readonly EntryKind[],
): Promise<History> {
  const before = beforeSeq ?? 9_223_372_036_854_775_807n;
  const walks = kinds.includes("bet") || kinds.includes("win");
  const { name, text } = walks ? WALK : RARE;
  const { rows } = await pool.query<EntryRow>({
    name,
    text,
    values: [account.lane, account.id, before.toString(), kinds, limit + 1],
  });
  const { shown, goesOnAfter } = pageOfWalk(rows, ({ kind }) => kinds.includes(kind), limit);
  const nextBefore = goesOnAfter === null ? null : BigInt(goesOnAfter.seq);
  return { entries: shown.map(entryOf), nextBefore };
}

const RARE = {
  name: "ledger_history_rare",
  text: `SELECT ${ENTRY}, NULL::bigint AS walked
         FROM unnest($4::text[]) AS wanted (one)
         CROSS JOIN LATERAL (
           SELECT * FROM ledger_entries e
           WHERE e.lane = $1 AND e.account_id = $2 AND e.kind NOT IN ${FREQUENT}
             AND e.kind = wanted.one AND e.seq < $3
           ORDER BY e.seq DESC LIMIT $5) e
         ORDER BY e.seq DESC LIMIT $5`,
};

const WALK = {
  name: "ledger_history_walk",
  // Ends at the first page that is full: the last row of all that it walks tells where it stopped.
  text: `SELECT ${ENTRY}, walked
         FROM (SELECT *, row_number() OVER (ORDER BY seq DESC) AS walked FROM ledger_entries
               WHERE lane = $1 AND account_id = $2 AND seq < $3
               ORDER BY seq DESC LIMIT ${WALKED_MAX}) e
         WHERE kind = ANY ($4::text[]) OR walked = ${WALKED_MAX}
         ORDER BY e.seq DESC LIMIT $5`,
};

interface EntryRow {
  readonly seq: string;
  readonly key: string;
  readonly amount: string;
  readonly held_change: string;
  readonly balance_after: string;
  readonly held_after: string;
  readonly kind: EntryKind;
  readonly ref: string | null;
  readonly at: string;
  /** How many entries were walked up to this one. */
  readonly walked: bigint | null;
}

function entryOf(row: EntryRow): HistoryEntry {
  return {
    seq: BigInt(row.seq),
    key: row.key,
    amount: BigInt(row.amount),
    heldChange: BigInt(row.held_change),
    balance: BigInt(row.balance_after),
    held: BigInt(row.held_after),
    kind: row.kind,
    ref: row.ref,
    at: Number(row.at),
  };
}

export function accountsOf(movements: readonly Movement[]): Account[] {
  const accounts = new Map<string, Account>();
  for (const { account } of movements) accounts.set(account.id, account);
  return [...accounts.values()];
}

function numbers<T>(rows: readonly T[], pick: (row: T) => number | bigint): string {
  let text = "{";
  for (let i = 0; i < rows.length; i++) {
    // The index is within bounds by the loop's own condition.
    text += (i === 0 ? "" : ",") + pick(rows[i] as T);
  }
  return `${text}}`;
}

const NEEDS_ESCAPE = /["\\]/g;

function texts<T>(rows: readonly T[], pick: (row: T) => string | null): string {
  let text = "{";
  for (let i = 0; i < rows.length; i++) {
    // The index is within bounds by the loop's own condition.
    const value = pick(rows[i] as T);
    const quoted = value === null ? "NULL" : `"${value.replace(NEEDS_ESCAPE, "\\$&")}"`;
    text += i === 0 ? quoted : `,${quoted}`;
  }
  return `${text}}`;
}
