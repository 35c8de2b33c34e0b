import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";
import type { SessionMethod } from "../sessions/session.ts";

export async function insertPending(
  client: pg.ClientBase,
  pending: {
    readonly tokenHash: Buffer;
    readonly merchantId: string;
    readonly memberId: string;
    readonly method: SessionMethod;
    readonly tries: number;
    readonly expiresAt: Instant;
  },
): Promise<void> {
  await client.query(
    `INSERT INTO pending_logins (token_hash, merchant_id, member_id, method, tries_left, expires_at)
     VALUES ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0))`,
    [
      pending.tokenHash,
      pending.merchantId,
      pending.memberId,
      pending.method,
      pending.tries,
      pending.expiresAt,
    ],
  );
}

/** A held login that has a try left; uses none up. */
export async function findPending(
  pool: pg.Pool,
  merchantId: string,
  tokenHash: Buffer,
  at: Instant,
): Promise<{ member_id: string; method: SessionMethod } | null> {
  const { rows } = await pool.query<{ member_id: string; method: SessionMethod }>(
    `SELECT member_id, method FROM pending_logins
     WHERE token_hash = $1 AND merchant_id = $2 AND tries_left > 0
       AND expires_at > to_timestamp($3 / 1000.0)`,
    [tokenHash, merchantId, at],
  );
  return rows[0] ?? null;
}

/** Takes a try before it is judged, so that many at once get no more; false if none is left. */
export async function spendPendingTry(db: Db, tokenHash: Buffer): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE pending_logins SET tries_left = tries_left - 1
     WHERE token_hash = $1 AND tries_left > 0`,
    [tokenHash],
  );
  return rowCount === 1;
}

export async function giveBackPendingTry(pool: pg.Pool, tokenHash: Buffer): Promise<void> {
  await pool.query("UPDATE pending_logins SET tries_left = tries_left + 1 WHERE token_hash = $1", [
    tokenHash,
  ]);
}

/** False if another request has done it. */
export async function forgetPending(db: Db, tokenHash: Buffer): Promise<boolean> {
  const { rowCount } = await db.query("DELETE FROM pending_logins WHERE token_hash = $1", [
    tokenHash,
  ]);
  return rowCount === 1;
}

export async function sweepPending(pool: pg.Pool, at: Instant): Promise<void> {
  await sweep(pool, { table: "pending_logins", by: "expires_at" }, at);
}
