import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { eachByItself } from "../../../platform/each-by-itself.ts";
import type { Db } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";

export async function insertCaptcha(
  db: Db,
  captcha: {
    readonly id: string;
    readonly merchantId: string;
    readonly kind: string;
    readonly answerHash: Buffer;
  },
  expiresAt: Instant,
): Promise<void> {
  await db.query(
    `INSERT INTO captchas (id, merchant_id, kind, answer_hash, expires_at)
     VALUES ($1, $2, $3, $4, to_timestamp($5 / 1000.0))`,
    [captcha.id, captcha.merchantId, captcha.kind, captcha.answerHash, expiresAt],
  );
}

/**
 * Takes the captcha away, so that it can be tried once, and answers its hash while valid; null for
 * one of another kind. Rows written by earlier versions name no kind.
 */
export async function takeCaptcha(
  db: Db,
  {
    merchantId,
    kind,
    id,
  }: { readonly merchantId: string; readonly kind: string; readonly id: string },
  at: Instant,
): Promise<Buffer | null> {
  const { rows } = await db.query<{ answer_hash: Buffer; valid: boolean }>(
    `DELETE FROM captchas WHERE id = $1 AND merchant_id = $2
     RETURNING answer_hash,
       coalesce(kind, $3) = $3 AND expires_at > to_timestamp($4 / 1000.0) AS valid`,
    [id, merchantId, kind, at],
  );
  return rows[0]?.valid === true ? rows[0].answer_hash : null;
}

/** False if the nonce was seen before. */
export async function useNonce(db: Db, nonce: string, expiresAt: Instant): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO used_nonces (nonce, expires_at) VALUES ($1, to_timestamp($2 / 1000.0))
     ON CONFLICT (nonce) DO NOTHING`,
    [nonce, expiresAt],
  );
  return rowCount === 1;
}

export async function isNonceUsed(db: Db, nonce: string): Promise<boolean> {
  const { rowCount } = await db.query("SELECT FROM used_nonces WHERE nonce = $1", [nonce]);
  return rowCount === 1;
}

export function sweepOnce(pool: pg.Pool, at: Instant): Promise<void> {
  return eachByItself({
    captchas: () => sweep(pool, { table: "captchas", by: "expires_at" }, at),
    nonces: () => sweep(pool, { table: "used_nonces", by: "expires_at" }, at),
  });
}
