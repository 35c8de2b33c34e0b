import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { sweep } from "../../platform/postgres/sweep.ts";
import type { BatchStatement } from "../ledger/ledger.ts";

export interface NewPlay {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly merchantId: string;
  readonly memberId: string;
  readonly sessionId: string;
  readonly vendor: string;
  readonly gameId: string;
  readonly currency: string;
  readonly language: string;
}

export interface PlayRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly member_id: string;
  readonly vendor: string;
  readonly game_id: string;
  readonly currency: string;
  readonly language: string;
  readonly created_at: Date;
}

/** A play with what a bet must know of its player. */
export interface PlayerRow extends PlayRow {
  readonly type: number;
  readonly blocked: boolean;
  readonly logged_in: boolean;
  /** Where the player's session was begun; null if it is no longer stored. */
  readonly address: string | null;
}

export async function insertPlay(pool: pg.Pool, play: NewPlay, at: Instant): Promise<void> {
  await pool.query(
    `INSERT INTO vendor_plays (id, token_hash, merchant_id, member_id, session_id, vendor, game_id,
       currency, language, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp($10 / 1000.0))`,
    [
      play.id,
      play.tokenHash,
      play.merchantId,
      play.memberId,
      play.sessionId,
      play.vendor,
      play.gameId,
      play.currency,
      play.language,
      at,
    ],
  );
}

/** Takes the token: `spent` for one that was taken or is too old, null for an unknown one. */
export async function takeToken(
  pool: pg.Pool,
  vendor: string,
  tokenHash: Buffer,
  at: Instant,
  since: Instant,
): Promise<PlayRow | "spent" | null> {
  const { rows } = await pool.query<PlayRow>(
    `UPDATE vendor_plays SET opened_at = to_timestamp($3 / 1000.0)
     WHERE token_hash = $1 AND vendor = $2 AND opened_at IS NULL
       AND created_at > to_timestamp($4 / 1000.0)
     RETURNING id, merchant_id, member_id, vendor, game_id, currency, language, created_at`,
    [tokenHash, vendor, at, since],
  );
  if (rows[0] !== undefined) return rows[0];
  const { rowCount } = await pool.query(
    "SELECT 1 FROM vendor_plays WHERE token_hash = $1 AND vendor = $2",
    [tokenHash, vendor],
  );
  return rowCount === 0 ? null : "spent";
}

export async function findPlay(
  pool: pg.Pool,
  vendor: string,
  id: string,
  at: Instant,
  seenSince: Instant,
): Promise<PlayerRow | null> {
  const { rows } = await pool.query<PlayerRow>({
    name: "vendors_play",
    text: `SELECT p.id, p.merchant_id, p.member_id, p.vendor, p.game_id, p.currency, p.language,
             p.created_at, m.type, m.blocked,
             EXISTS (SELECT 1 FROM identity_sessions s WHERE s.id = p.session_id AND s.ended_at IS NULL
               AND s.expires_at > to_timestamp($3 / 1000.0)
               AND s.seen_at > to_timestamp($4 / 1000.0)) AS logged_in,
             (SELECT s.address FROM identity_sessions s WHERE s.id = p.session_id) AS address
           FROM vendor_plays p JOIN identity_members m ON m.id = p.member_id
           WHERE p.id = $1 AND p.vendor = $2 AND p.opened_at IS NOT NULL`,
    values: [id, vendor, at, seenSince],
  });
  return rows[0] ?? null;
}

/**
 * Runs with what the transaction moves, so that a call which books nothing claims nothing. Checked:
 * the id is not claimed yet. In one order, so that two batches that name the same ids wait for each
 * other and do not deadlock.
 */
export const claimTransactions: BatchStatement = {
  name: "vendors_05_claim_transactions",
  // A claim from before contents were stored has none, and remains its player's.
  sql: `INSERT INTO vendor_transactions AS t (vendor, id, account_id, content, at)
        SELECT vendor, id, account_id, decode(content, 'hex'), to_timestamp(at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(vendor text, id text, account_id text, content text,
          at bigint)
        ORDER BY vendor COLLATE "C", id COLLATE "C"
        ON CONFLICT (vendor, id) DO UPDATE SET content = excluded.content
        WHERE t.account_id = excluded.account_id AND t.content IS NULL`,
  mustAffectEach: true,
};

export interface TransactionRow {
  readonly id: string;
  readonly account_id: string;
  /** Null if none was stored yet; empty if the id is of a bet that never came. */
  readonly content: Buffer | null;
}

export async function findTransactions(
  pool: pg.Pool,
  vendor: string,
  ids: readonly string[],
): Promise<TransactionRow[]> {
  const { rows } = await pool.query<TransactionRow>({
    name: "vendors_transactions",
    text: `SELECT id, account_id, content FROM vendor_transactions
           WHERE vendor = $1 AND id = ANY ($2::text[])`,
    values: [vendor, ids],
  });
  return rows;
}

export function sweepPlays(pool: pg.Pool, upTo: Instant): Promise<void> {
  return eachByItself({
    plays: () => sweep(pool, { table: "vendor_plays", by: "created_at" }, upTo),
    transactions: () => sweep(pool, { table: "vendor_transactions", by: "at" }, upTo),
  });
}
