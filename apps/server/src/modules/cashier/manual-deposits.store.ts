import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { PicturesKept } from "../../platform/kept-pictures.ts";
import type { Picture } from "../../platform/picture.ts";
import type { Db } from "../../platform/postgres/pool.ts";
import type { DepositRow } from "./deposits.store.ts";
import type { OperatorPage } from "./payments.store.ts";

/** An account of the house that players send money to, as it was shown to one of them. */
export interface HouseAccount {
  readonly name: string;
  readonly number: string;
  readonly holder: string;
  readonly instructions: Readonly<Record<string, string>>;
  readonly qr: string | null;
}

export interface ManualDeposit {
  readonly deposit_id: string;
  readonly merchant_id: string;
  readonly code: string;
  readonly currency: string;
  readonly house: HouseAccount;
  readonly payer_reference: string | null;
  readonly payer_key: string | null;
  readonly flagged: boolean;
  readonly sent_at: Date | null;
  readonly decision: "confirmed" | "refused" | null;
  readonly received_minor: bigint | null;
  readonly reason: string | null;
  /** The amount that one operator counted, while a second one must still say the same. */
  readonly counted_minor: bigint | null;
  readonly counted_by: string | null;
  readonly bank_reference: string | null;
  readonly bank_key: string | null;
  readonly has_receipt: boolean;
}

const DEPOSIT = `d.deposit_id, d.merchant_id, d.code, d.currency, d.house, d.payer_reference, d.payer_key,
  d.flagged, d.sent_at, d.decision, d.received_minor, d.reason,
  d.counted_minor, d.counted_by, d.bank_reference, d.bank_key,
  EXISTS (SELECT 1 FROM manual_receipts r WHERE r.deposit_id = d.deposit_id) AS has_receipt`;

/** Writes nothing if the deposit exists already, or the code is another one's. */
export async function insertManualDeposit(
  db: Db,
  row: Pick<ManualDeposit, "deposit_id" | "merchant_id" | "code" | "currency" | "house">,
): Promise<void> {
  await db.query(
    `INSERT INTO manual_deposits (deposit_id, merchant_id, code, currency, house, house_key)
     VALUES ($1, $2, $3, $4, $5::jsonb, house_key($5::jsonb)) ON CONFLICT DO NOTHING`,
    [row.deposit_id, row.merchant_id, row.code, row.currency, JSON.stringify(row.house)],
  );
}

export async function findManualDeposits(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, ManualDeposit>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<ManualDeposit>(
    `SELECT ${DEPOSIT} FROM manual_deposits d WHERE d.deposit_id = ANY ($1)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.deposit_id, row]));
}

/** Undecided and locked until the transaction ends, else null. */
export async function lockOpenDeposit(
  client: pg.ClientBase,
  id: string,
): Promise<ManualDeposit | null> {
  const { rows } = await client.query<ManualDeposit>(
    `SELECT ${DEPOSIT} FROM manual_deposits d WHERE d.deposit_id = $1 AND d.decision IS NULL
     FOR UPDATE`,
    [id],
  );
  return rows[0] ?? null;
}

/** A count by other evidence is void, and its number free. */
const UNCOUNTED = "counted_minor = NULL, counted_by = NULL, bank_reference = NULL, bank_key = NULL";

/** Numbers that a player may give for one deposit, so that they can correct a mistyped one. */
const NUMBERS_MAX = 3;

/**
 * Under `lockOpenDeposit`. "taken": the number belongs to another deposit; "too_many": the deposit
 * has had numbers enough.
 */
export async function writeEvidence(
  client: pg.ClientBase,
  deposit: { readonly deposit_id: string; readonly merchant_id: string },
  evidence: { readonly reference: string; readonly key: string },
  at: Instant,
): Promise<"written" | "taken" | "too_many"> {
  const { deposit_id: id, merchant_id: merchantId } = deposit;
  await client.query(
    `INSERT INTO payer_numbers (merchant_id, payer_key, deposit_id)
     SELECT $1, $2, $3 WHERE (SELECT count(*) FROM payer_numbers WHERE deposit_id = $3) < $4
     ON CONFLICT DO NOTHING`,
    [merchantId, evidence.key, id, NUMBERS_MAX],
  );
  const { rows } = await client.query<{ deposit_id: string }>(
    "SELECT deposit_id FROM payer_numbers WHERE merchant_id = $1 AND payer_key = $2",
    [merchantId, evidence.key],
  );
  if (rows[0] === undefined) return "too_many";
  if (rows[0].deposit_id !== id) return "taken";
  await client.query(
    `UPDATE manual_deposits SET payer_reference = $2, payer_key = $3, ${UNCOUNTED},
       sent_at = coalesce(sent_at, to_timestamp($4 / 1000.0))
     WHERE deposit_id = $1`,
    [id, evidence.reference, evidence.key, at],
  );
  return "written";
}

/** Both deposits for which a number was given, so that an operator looks at them closely. */
export async function flagDeposits(
  db: Db,
  row: { readonly deposit_id: string; readonly merchant_id: string },
  payerKey: string,
): Promise<void> {
  await db.query(
    `UPDATE manual_deposits SET flagged = true WHERE deposit_id IN (
       SELECT deposit_id FROM manual_deposits
       WHERE deposit_id = $1 OR deposit_id = (SELECT deposit_id FROM payer_numbers
                                              WHERE merchant_id = $2 AND payer_key = $3)
       -- In one order, so that many at once do not deadlock.
       ORDER BY deposit_id FOR UPDATE)`,
    [row.deposit_id, row.merchant_id, payerKey],
  );
}

export async function findReceipt(
  db: Db,
  depositId: string,
): Promise<(Picture & { readonly sent_hash: Buffer }) | null> {
  const { rows } = await db.query<Picture & { readonly sent_hash: Buffer }>(
    "SELECT image, width, height, sent_hash FROM manual_receipts WHERE deposit_id = $1",
    [depositId],
  );
  return rows[0] ?? null;
}

/** What was drawn of the same picture for another deposit of the account, opened since. */
export async function findSameReceipt(
  db: Db,
  { lane, account_id }: { readonly lane: number; readonly account_id: string },
  sentHash: Buffer,
  since: Instant,
): Promise<Picture | null> {
  const { rows } = await db.query<Picture>(
    `SELECT r.image, r.width, r.height
     FROM deposits d JOIN manual_receipts r ON r.deposit_id = d.id
     WHERE d.lane = $1 AND d.account_id = $2 AND d.created_at > to_timestamp($3 / 1000.0)
       AND r.sent_hash = $4 LIMIT 1`,
    [lane, account_id, since, sentHash],
  );
  return rows[0] ?? null;
}

/**
 * Under `lockOpenDeposit`. Replaces the earlier receipt; a count that an operator made by that is
 * void.
 */
export async function writeReceipt(
  client: pg.ClientBase,
  { deposit_id: depositId, merchant_id: merchantId }: ManualDeposit,
  picture: Picture & { readonly sentHash: Buffer; readonly drawnHash: Buffer },
  at: Instant,
): Promise<void> {
  const { rowCount } = await client.query(
    `INSERT INTO manual_receipts AS r (deposit_id, sent_hash, image, width, height, sent_at, look_at)
     SELECT $1, $2, $3, $4, $5, t.now, t.now FROM (SELECT to_timestamp($6 / 1000.0) AS now) AS t
     ON CONFLICT (deposit_id) DO UPDATE SET sent_hash = excluded.sent_hash,
       image = excluded.image, width = excluded.width, height = excluded.height,
       sent_at = excluded.sent_at
       WHERE r.sent_hash <> excluded.sent_hash`,
    [depositId, picture.sentHash, picture.image, picture.width, picture.height, at],
  );
  if (rowCount === 0) return;
  await client.query(`UPDATE manual_deposits SET ${UNCOUNTED} WHERE deposit_id = $1`, [depositId]);
  // It stays known by the picture after another one replaced it.
  await client.query(
    `INSERT INTO receipt_prints (deposit_id, merchant_id, print)
     VALUES ($1, $2, $3), ($1, $2, $4) ON CONFLICT DO NOTHING`,
    [depositId, merchantId, picture.sentHash, picture.drawnHash],
  );
}

/**
 * Checks the receipts that are due, longest waiting first, and deletes those that nobody needs any
 * more; answers how many it checked. One of a claimed deposit waits with it for an operator.
 */
export async function sweepReceipts(db: Db, now: Instant, kept: PicturesKept): Promise<number> {
  const { rows: waiting } = await db.query<{ id: string; expires_at: Date }>(
    `SELECT id, expires_at FROM deposits WHERE id IN (
       SELECT deposit_id FROM manual_receipts WHERE look_at <= to_timestamp($1 / 1000.0)
       ORDER BY look_at LIMIT $2)`,
    [now, kept.limit],
  );
  if (waiting.length === 0) return 0;
  const { rows } = await db.query<{ looked: number }>(
    `WITH due AS MATERIALIZED (
       SELECT r.deposit_id, CASE
           WHEN d.decided_at IS NOT NULL THEN d.decided_at + $4 * interval '1 ms'
           WHEN d.sent_at IS NOT NULL THEN to_timestamp($1 / 1000.0) + interval '1 day'
           ELSE greatest(p.expires_at, r.sent_at) + $5 * interval '1 ms' END AS needed_until
       FROM unnest($2::text[], $3::timestamptz[]) AS p(id, expires_at)
         JOIN manual_receipts r ON r.deposit_id = p.id
         JOIN manual_deposits d USING (deposit_id)
       WHERE r.look_at <= to_timestamp($1 / 1000.0) FOR UPDATE OF r, d SKIP LOCKED
     ), gone AS (
       DELETE FROM manual_receipts r USING due
       WHERE r.deposit_id = due.deposit_id AND due.needed_until <= to_timestamp($1 / 1000.0)
     ), later AS (
       UPDATE manual_receipts r SET look_at = due.needed_until FROM due
       WHERE r.deposit_id = due.deposit_id AND due.needed_until > to_timestamp($1 / 1000.0)
     )
     SELECT count(*)::int AS looked FROM due`,
    [
      now,
      waiting.map(({ id }) => id),
      waiting.map(({ expires_at }) => expires_at),
      kept.decidedMs,
      kept.unclaimedMs,
    ],
  );
  return rows[0]?.looked ?? 0;
}

/** What an operator found in the statement of the account that a method pays into. */
export interface Received {
  readonly minor: bigint;
  readonly bankReference: string;
  readonly bankKey: string;
}

/**
 * The amount that one operator counted; nothing moves before another says the same. Fails if the
 * number belongs to another deposit into this account of the house, of any brand or method.
 */
export async function writeCount(
  client: pg.ClientBase,
  id: string,
  counted: Received & { readonly method: string; readonly by: string },
): Promise<void> {
  const { minor, bankReference, bankKey, method, by } = counted;
  await client.query(
    `UPDATE manual_deposits SET counted_minor = $2, counted_by = $3, method = $4,
       bank_reference = $5, bank_key = $6, house_key = house_key(house)
     WHERE deposit_id = $1`,
    [id, minor, by, method, bankReference, bankKey],
  );
}

/**
 * What an operator found; the cashier's sweep checks soon, in case nobody acts on it at once. Fails
 * as `writeCount` does.
 */
export async function decideDeposit(
  client: pg.ClientBase,
  id: string,
  decision: {
    readonly received: Received | null;
    readonly reason: string | null;
    readonly method: string;
    readonly by: string;
  },
  at: Instant,
): Promise<void> {
  const { received, reason, method, by } = decision;
  await client.query(
    `UPDATE manual_deposits SET decision = CASE WHEN $2::bigint IS NULL THEN 'refused'
         ELSE 'confirmed' END,
       received_minor = $2, reason = $3, decided_by = $4, decided_at = to_timestamp($5 / 1000.0),
       method = $6, bank_reference = $7, bank_key = $8, house_key = house_key(house)
     WHERE deposit_id = $1`,
    [
      id,
      received?.minor ?? null,
      reason,
      by,
      at,
      method,
      received?.bankReference ?? null,
      received?.bankKey ?? null,
    ],
  );
  if (received === null) {
    await client.query("DELETE FROM payer_numbers WHERE deposit_id = $1", [id]);
  }
  await client.query("UPDATE deposits SET look_at = to_timestamp($2 / 1000.0) WHERE id = $1", [
    id,
    at,
  ]);
}

export interface WaitingDepositRow
  extends ManualDeposit,
    Pick<DepositRow, "member_id" | "method" | "amount_minor" | "state" | "created_at"> {
  readonly username: string;
  readonly sent_at: Date;
  readonly counter: string | null;
  readonly number_alike: boolean;
  readonly picture_again: boolean;
  /** Its number, one like it, or its picture was given at another brand with the same account. */
  readonly given_elsewhere: boolean;
}

/** Another deposit of the brand, beside `o`, what was given for `d`. */
const OWN = "n.merchant_id = o.merchant_id AND n.deposit_id <> o.deposit_id";
/** One of another brand that shows the same account of the house. */
const ELSEWHERE = `n.merchant_id <> o.merchant_id AND EXISTS (
    SELECT FROM manual_deposits e
    WHERE e.deposit_id = n.deposit_id AND house_key(e.house) = house_key(d.house))`;

/**
 * A number that few others contain: a bank's padding or a date occurs in millions, and a player who
 * gave such a number would make the whole queue wait for the search.
 */
const SAYS_ENOUGH = `length(o.payer_key) >= 8
  AND (SELECT count(DISTINCT sign) FROM regexp_split_to_table(o.payer_key, '') AS sign) >= 4`;
/**
 * How often a number given for `d` occurs in one of such a deposit. Counted, since for the first
 * one alone PostgreSQL would read all numbers in their order.
 */
const numberWithin = (which: string) => `SELECT count(*) FROM payer_numbers o JOIN payer_numbers n
    ON ${which} AND number_parts(n.payer_key) @> number_parts(o.payer_key)
      AND position(o.payer_key IN n.payer_key) > 0
  WHERE o.deposit_id = d.deposit_id AND ${SAYS_ENOUGH}`;
/** The other way round: looks up every part of it, of which there are few. */
const numberAround = (which: string) => `SELECT FROM payer_numbers o JOIN payer_numbers n
    ON ${which} AND n.payer_key = ANY (ARRAY(
        SELECT substr(o.payer_key, i, chars) FROM (
          SELECT i, generate_series(6, length(o.payer_key) - i + 1) AS chars
          FROM (SELECT generate_series(1, length(o.payer_key)) AS i) starts) parts))
  WHERE o.deposit_id = d.deposit_id`;
const pictureAgain = (which: string) => `SELECT FROM receipt_prints o JOIN receipt_prints n
    ON ${which} AND n.print = o.print
  WHERE o.deposit_id = d.deposit_id`;
const isAlike = (which: string) =>
  `((${numberWithin(which)}) > 0 OR EXISTS (${numberAround(which)}))`;

export async function listWaitingDeposits(
  db: Db,
  merchantId: string,
  page: OperatorPage,
): Promise<WaitingDepositRow[]> {
  const { rows } = await db.query<WaitingDepositRow>(
    `WITH p AS MATERIALIZED (
       SELECT w.id, w.member_id, m.username, w.method, w.amount_minor, w.state, w.created_at
       FROM deposits w JOIN identity_members m ON m.id = w.member_id
       WHERE w.id IN (
         SELECT d.deposit_id FROM manual_deposits d
         WHERE d.merchant_id = $1 AND d.sent_at IS NOT NULL AND d.decision IS NULL
           AND (d.sent_at, d.deposit_id) > (to_timestamp($2 / 1000.0), $3)
         ORDER BY d.sent_at, d.deposit_id LIMIT $4))
     SELECT ${DEPOSIT}, p.member_id, p.username, p.method, p.amount_minor, p.state, p.created_at,
       o.name AS counter,
       ${isAlike(OWN)} AS number_alike,
       EXISTS (${pictureAgain(OWN)}) AS picture_again,
       ${isAlike(ELSEWHERE)} OR EXISTS (${pictureAgain(ELSEWHERE)}) AS given_elsewhere
     FROM manual_deposits d JOIN p ON p.id = d.deposit_id
       LEFT JOIN operators_names o ON o.id = d.counted_by
     ORDER BY d.sent_at, d.deposit_id`,
    [merchantId, page.after?.at ?? 0, page.after?.id ?? "", page.limit],
  );
  return rows;
}
