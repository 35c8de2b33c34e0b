import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";
import { whileSessionIsOpen } from "../sessions/sessions.store.ts";

/** Names a proof: the session that gave it, and its purpose. */
export interface ProofKey {
  readonly sessionId: string;
  readonly wishHash: Buffer;
}

export async function saveProof(
  db: Db,
  { sessionId, wishHash }: ProofKey,
  owner: { readonly merchantId: string; readonly memberId: string },
  expiresAt: Instant,
): Promise<void> {
  await db.query(
    `INSERT INTO payment_proofs (session_id, wish_hash, merchant_id, member_id, expires_at)
     VALUES ($1, $2, $3, $4, to_timestamp($5 / 1000.0))
     ON CONFLICT (session_id, wish_hash) DO UPDATE SET
       expires_at = excluded.expires_at, used_for = NULL`,
    [sessionId, wishHash, owner.merchantId, owner.memberId, expiresAt],
  );
}

/** Whether there is a proof that this withdrawal may take, or has taken. */
export async function hasProof(
  db: Db,
  { sessionId, wishHash }: ProofKey,
  withdrawalId: string,
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT 1 FROM payment_proofs WHERE session_id = $1 AND wish_hash = $2
       AND (used_for = $3 OR used_for IS NULL AND expires_at > to_timestamp($4 / 1000.0)
         AND ${whileSessionIsOpen("session_id")})`,
    [sessionId, wishHash, withdrawalId, at],
  );
  return rowCount === 1;
}

/** Takes a proof in the transaction of its withdrawal: only one of many at once gets it. */
export const takeProof = {
  sql: `UPDATE payment_proofs p SET used_for = u.used_for
        FROM jsonb_to_recordset($1) AS u(session_id text, wish_hash text, used_for text)
        WHERE p.session_id = u.session_id AND p.wish_hash = decode(u.wish_hash, 'hex')
          AND (p.used_for IS NULL OR p.used_for = u.used_for)`,
  mustAffectEach: true,
} as const;

export function takeProofRow({ sessionId, wishHash }: ProofKey, withdrawalId: string) {
  return {
    session_id: sessionId,
    wish_hash: wishHash.toString("hex"),
    used_for: withdrawalId,
  };
}

export async function sweepProofs(pool: pg.Pool, at: Instant): Promise<void> {
  await sweep(pool, { table: "payment_proofs", by: "expires_at" }, at);
}
