import { CLOCKS_APART_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { FAR_FUTURE, type TimeAndId } from "../../platform/http/cursor.ts";
import type { Db } from "../../platform/postgres/pool.ts";
import { endedByOwnerAt, proofsChangedAt } from "../identity/identity.ts";
import type { Account, BatchStatement } from "../ledger/ledger.ts";

type Table = "deposits" | "withdrawals";

/** By then payments that move on by themselves have done so; the sweep checks the others. */
export const FIRST_LOOK_MS = MINUTE_MS;

export interface ListPage {
  readonly before: TimeAndId | null;
  readonly limit: number;
}

/** A page of a list for operators, in which those who wait longest come first. */
export interface OperatorPage {
  readonly after: TimeAndId | null;
  readonly limit: number;
}

/** Finds the payments of a table, as rows of these columns. */
export function paymentRows<Row extends pg.QueryResultRow>(table: Table, columns: string) {
  const select = `SELECT ${columns} FROM ${table}`;
  return {
    async find(db: Db, { lane, id: accountId }: Account, id: string): Promise<Row | null> {
      const sql = `${select} WHERE lane = $1 AND account_id = $2 AND id = $3`;
      return (await db.query<Row>(sql, [lane, accountId, id])).rows[0] ?? null;
    },

    /** By our id alone, as a provider names it. */
    async findById(db: Db, id: string): Promise<Row | null> {
      return (await db.query<Row>(`${select} WHERE id = $1`, [id])).rows[0] ?? null;
    },

    /** Lists the latest first. */
    async list(db: Db, { lane, id }: Account, { before, limit }: ListPage): Promise<Row[]> {
      const { rows } = await db.query<Row>(
        `${select} WHERE lane = $1 AND account_id = $2
           AND (created_at, id) < (to_timestamp($3 / 1000.0), $4)
         ORDER BY created_at DESC, id DESC LIMIT $5`,
        [lane, id, before?.at ?? FAR_FUTURE, before?.id ?? "", limit],
      );
      return rows;
    },
  };
}

/**
 * False if the id is another account's payment. Runs in the transaction that writes the deposit, so
 * that a refusal leaves no claim. It waits for another claim of the same moment.
 */
export async function claimPaymentId(db: pg.ClientBase, id: string, { id: accountId }: Account) {
  const { rows } = await db.query<{ account_id: string }>(
    `INSERT INTO payment_ids AS p (id, account_id) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET account_id = p.account_id RETURNING account_id`,
    [id, accountId],
  );
  return rows[0]?.account_id === accountId;
}

/**
 * As `claimPaymentId`, together with the hold of a withdrawal's money. Checked: if two accounts
 * name one id, even in one batch, the second one's hold is undone.
 */
export const claimPaymentIds: BatchStatement = {
  name: "cashier_15_claim_payment_ids",
  // In one order, so that many at once do not deadlock.
  sql: `INSERT INTO payment_ids AS p (id, account_id)
        SELECT DISTINCT ON (id) id, account_id
        FROM jsonb_to_recordset($1) AS u(id text, account_id text) ORDER BY id, account_id
        ON CONFLICT (id) DO UPDATE SET account_id = p.account_id
          WHERE p.account_id = excluded.account_id`,
  mustAffectEach: true,
};

/**
 * In SQL beside its member `m`, when the account was last changed after the payment under this
 * alias was requested, or when its owner ended the session that requested it; null for never. The
 * person who requested it may not be the one who has the account now.
 */
function changedSince(payment: string): string {
  const changedAt = proofsChangedAt("m");
  return `greatest(CASE WHEN ${changedAt} > ${payment}.created_at THEN ${changedAt} END,
    ${endedByOwnerAt(`${payment}.session_id`)})`;
}

/** The same for a withdrawal, which stores the latest change that its reasons name. */
export function accountChangedAt(withdrawal: string): string {
  return `greatest(${withdrawal}.account_changed_at, ${changedSince(withdrawal)})`;
}

/** In SQL beside `w` and `m`: whether the reasons do not name the account's latest change yet. */
export const IS_CHANGED = `(${accountChangedAt("w")} IS DISTINCT FROM w.account_changed_at)`;

export const OPEN_STATES = {
  deposits: "('created', 'pending')",
  withdrawals: "('held', 'approved', 'sent')",
};

/** All opened since the account was changed number this many times `openMax` at most. */
const OPEN_ALL_TIMES = 4;
/** With those from before the change, they number this many times `openMax` at most. */
const OPEN_EVER_TIMES = 16;

/**
 * In SQL over open payments `p` beside their member `m`: how many count for a request in a session
 * (docs/payments.md, "How many are open").
 * @param mayCount in SQL: if false of a payment, only the multiples of `openMax` count it
 */
export function openFor(sessionId: string, table: Table, mayCount = "true"): string {
  const changedAt = table === "deposits" ? changedSince("p") : accountChangedAt("p");
  const isOfBefore = `${proofsChangedAt("m")} > p.created_at`;
  return `greatest(count(*) / ${OPEN_EVER_TIMES},
    count(*) FILTER (WHERE (${isOfBefore}) IS NOT TRUE) / ${OPEN_ALL_TIMES},
    count(*) FILTER (WHERE (p.session_id = ${sessionId} OR ${changedAt} IS NULL) AND ${mayCount}))`;
}

/** By then a provider has answered, or nobody waits for it any more. */
const PROVIDER_MS = MINUTE_MS;
const MAY_BE_TAKEN = `(p.state <> 'created' OR p.pay_url IS NOT NULL
    OR (p.created_at > to_timestamp($5 / 1000.0) AND p.created_at <= to_timestamp($6 / 1000.0)))`;

/**
 * Deposits that wait for their payment, or withdrawals that are under way, as they count for a
 * session (`openFor`); without the one under `exceptId`, which may exist already if it is sent
 * again.
 */
export async function countOpen(
  db: Db,
  account: Account,
  table: Table,
  { sessionId, exceptId, at }: AskedOpen,
): Promise<number> {
  const isDeposit = table === "deposits";
  const mayCount = isDeposit ? MAY_BE_TAKEN : undefined;
  const { rows } = await db.query<{ open: number }>(
    `SELECT ${openFor("$4", table, mayCount)}::int AS open FROM ${table} p JOIN identity_members m ON m.id = p.member_id
     WHERE p.lane = $1 AND p.account_id = $2 AND p.state IN ${OPEN_STATES[table]} AND p.id <> $3`,
    [
      account.lane,
      account.id,
      exceptId,
      sessionId,
      ...(isDeposit ? [at - PROVIDER_MS, at + CLOCKS_APART_MS] : []),
    ],
  );
  return rows[0]?.open ?? 0;
}

interface AskedOpen {
  readonly sessionId: string | null;
  readonly exceptId: string;
  readonly at: Instant;
}

export async function findPaymentEvent(
  db: Db,
  provider: string,
  eventId: string,
): Promise<unknown> {
  const { rows } = await db.query<{ body: unknown }>(
    "SELECT body FROM payment_events WHERE provider = $1 AND event_id = $2",
    [provider, eventId],
  );
  return rows[0]?.body ?? null;
}

export async function insertPaymentEvent(
  db: Db,
  provider: string,
  eventId: string,
  body: unknown,
  at: Instant,
): Promise<void> {
  await db.query(
    `INSERT INTO payment_events (provider, event_id, body, at)
     VALUES ($1, $2, $3, to_timestamp($4 / 1000.0)) ON CONFLICT DO NOTHING`,
    [provider, eventId, JSON.stringify(body), at],
  );
}
