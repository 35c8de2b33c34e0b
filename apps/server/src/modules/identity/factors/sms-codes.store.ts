import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";
import type { PhoneNumber } from "../members/phone-numbers.ts";

export type SmsPurpose = "register" | "login" | "reset" | "verify_mobile";

/** Names a code: one is valid per name. */
export interface CodeKey {
  readonly merchantId: string;
  readonly purpose: SmsPurpose;
  readonly number: PhoneNumber;
  /** SHA-256 of what only the asker has. */
  readonly asker: Buffer;
}

const KEY = `merchant_id = $1 AND purpose = $2 AND dialing_code = $3 AND mobile_num = $4
  AND asker = $5`;

function valuesOf({ merchantId, purpose, number, asker }: CodeKey): unknown[] {
  return [merchantId, purpose, number.dialingCode, number.mobileNum, asker];
}

export interface NewCode {
  readonly hash: Buffer;
  readonly tries: number;
  readonly expiresAt: Instant;
  /** The member whose number it proves; null while nobody is known. */
  readonly memberId: string | null;
}

export interface EarlierCode {
  readonly code_hash: Buffer;
  readonly tries_left: number;
  readonly sent_at: Date;
  readonly expires_at: Date;
  readonly used_hash: Buffer | null;
}

/** Stores a code in place of the asker's earlier one, which it answers. */
export async function saveCode(
  db: Db,
  key: CodeKey,
  code: NewCode,
  at: Instant,
): Promise<EarlierCode | null> {
  const { rows } = await db.query<EarlierCode>(
    `WITH earlier AS (
       SELECT code_hash, tries_left, sent_at, expires_at, used_hash FROM sms_codes WHERE ${KEY}
     ), fresh AS (
       INSERT INTO sms_codes (merchant_id, purpose, dialing_code, mobile_num, asker, member_id,
         code_hash, tries_left, sent_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9 / 1000.0),
         to_timestamp($10 / 1000.0))
       ON CONFLICT (merchant_id, purpose, dialing_code, mobile_num, asker) DO UPDATE SET
         code_hash = excluded.code_hash, tries_left = excluded.tries_left,
         sent_at = excluded.sent_at, expires_at = excluded.expires_at, used_hash = NULL)
     SELECT * FROM earlier`,
    [...valuesOf(key), code.memberId, code.hash, code.tries, at, code.expiresAt],
  );
  return rows[0] ?? null;
}

/** Undoes `saveCode` if its code is still stored. */
export async function takeBackCode(
  db: Db,
  key: CodeKey,
  hash: Buffer,
  earlier: EarlierCode | null,
): Promise<void> {
  if (earlier === null) {
    await db.query(`DELETE FROM sms_codes WHERE ${KEY} AND code_hash = $6`, [
      ...valuesOf(key),
      hash,
    ]);
    return;
  }
  const { code_hash, tries_left, sent_at, expires_at, used_hash } = earlier;
  await db.query(
    `UPDATE sms_codes SET code_hash = $7, tries_left = $8, sent_at = $9, expires_at = $10,
       used_hash = $11
     WHERE ${KEY} AND code_hash = $6`,
    [...valuesOf(key), hash, code_hash, tries_left, sent_at, expires_at, used_hash],
  );
}

/** Uses one try up and answers the hash to compare with; null if no try is left. */
export async function spendTry(db: Db, key: CodeKey, at: Instant): Promise<Buffer | null> {
  const { rows } = await db.query<{ code_hash: Buffer }>(
    `UPDATE sms_codes SET tries_left = tries_left - 1
     WHERE ${KEY} AND tries_left > 0 AND expires_at > to_timestamp($6 / 1000.0)
     RETURNING code_hash`,
    [...valuesOf(key), at],
  );
  return rows[0]?.code_hash ?? null;
}

export async function giveBackTry(db: Db, key: CodeKey, hash: Buffer): Promise<void> {
  await db.query(
    `UPDATE sms_codes SET tries_left = tries_left + 1
     WHERE ${KEY} AND code_hash = $6 AND used_hash IS DISTINCT FROM code_hash`,
    [...valuesOf(key), hash],
  );
}

/** Uses the code up; true for the one caller who does. */
export async function useCode(db: Db, key: CodeKey, hash: Buffer): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE sms_codes SET used_hash = code_hash, tries_left = 0
     WHERE ${KEY} AND code_hash = $6 AND used_hash IS DISTINCT FROM code_hash`,
    [...valuesOf(key), hash],
  );
  return rowCount === 1;
}

export async function findUsedCode(db: Db, key: CodeKey, at: Instant): Promise<Buffer | null> {
  const { rows } = await db.query<{ used_hash: Buffer }>(
    `SELECT used_hash FROM sms_codes
     WHERE ${KEY} AND used_hash = code_hash AND expires_at > to_timestamp($6 / 1000.0)`,
    [...valuesOf(key), at],
  );
  return rows[0]?.used_hash ?? null;
}

export async function sweepCodes(pool: pg.Pool, at: Instant): Promise<void> {
  await sweep(pool, { table: "sms_codes", by: "expires_at" }, at);
}
