import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";

export interface TotpRow {
  readonly sealed_secret: string;
  readonly confirmed_at: Date | null;
  /** Of an enrolment: when it began, and in which session. */
  readonly begun_at: Date | null;
  readonly session_id: string | null;
}

export async function findTotp(db: Db, memberId: string): Promise<TotpRow | null> {
  const { rows } = await db.query<TotpRow>(
    `SELECT sealed_secret, confirmed_at, begun_at, session_id FROM member_totp
     WHERE member_id = $1`,
    [memberId],
  );
  return rows[0] ?? null;
}

/** Stores a secret that no code has confirmed yet; false if one is confirmed. */
export async function saveTotp(
  db: Db,
  memberId: string,
  { sealedSecret, sessionId }: { readonly sealedSecret: string; readonly sessionId: string },
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO member_totp AS t (member_id, sealed_secret, session_id, begun_at)
     VALUES ($1, $2, $3, to_timestamp($4 / 1000.0))
     ON CONFLICT (member_id) DO UPDATE SET sealed_secret = excluded.sealed_secret, last_step = 0,
       session_id = excluded.session_id, begun_at = excluded.begun_at
     WHERE t.confirmed_at IS NULL`,
    [memberId, sealedSecret, sessionId, at],
  );
  return rowCount === 1;
}

/** Confirms the secret that the code was made from; false if that was done, or it was replaced. */
export async function confirmTotp(
  db: Db,
  memberId: string,
  { sealedSecret, step }: { readonly sealedSecret: string; readonly step: number },
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE member_totp SET confirmed_at = to_timestamp($4 / 1000.0), last_step = $3
     WHERE member_id = $1 AND sealed_secret = $2 AND confirmed_at IS NULL`,
    [memberId, sealedSecret, step, at],
  );
  return rowCount === 1;
}

/**
 * False for a time step that is not newer than the last one taken, or for a secret that is not in
 * force (any more).
 */
export async function takeStep(
  db: Db,
  memberId: string,
  { sealedSecret, step }: { readonly sealedSecret: string; readonly step: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE member_totp SET last_step = $2
     WHERE member_id = $1 AND last_step < $2 AND sealed_secret = $3 AND confirmed_at IS NOT NULL`,
    [memberId, step, sealedSecret],
  );
  return rowCount === 1;
}

/** False if nothing was confirmed. */
export async function removeTotp(client: pg.ClientBase, memberId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "DELETE FROM member_totp WHERE member_id = $1 AND confirmed_at IS NOT NULL",
    [memberId],
  );
  await client.query("DELETE FROM recovery_codes WHERE member_id = $1", [memberId]);
  return rowCount === 1;
}

export async function saveRecoveryCodes(
  client: pg.ClientBase,
  memberId: string,
  codes: readonly { readonly prefix: string; readonly hash: string }[],
): Promise<void> {
  await client.query("DELETE FROM recovery_codes WHERE member_id = $1", [memberId]);
  await client.query(
    `INSERT INTO recovery_codes (member_id, prefix, code_hash)
     SELECT $1, prefix, hash FROM unnest($2::text[], $3::text[]) AS codes (prefix, hash)`,
    [memberId, codes.map(({ prefix }) => prefix), codes.map(({ hash }) => hash)],
  );
}

export async function findRecoveryCode(
  db: Db,
  memberId: string,
  prefix: string,
): Promise<string | null> {
  const { rows } = await db.query<{ code_hash: string }>(
    `SELECT code_hash FROM recovery_codes
     WHERE member_id = $1 AND prefix = $2 AND used_at IS NULL`,
    [memberId, prefix],
  );
  return rows[0]?.code_hash ?? null;
}

/** Uses a recovery code up; false if another was first, or the member has others by now. */
export async function useRecoveryCode(
  db: Db,
  memberId: string,
  { prefix, hash }: { readonly prefix: string; readonly hash: string | null },
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE recovery_codes SET used_at = to_timestamp($3 / 1000.0)
     WHERE member_id = $1 AND prefix = $2 AND code_hash = $4 AND used_at IS NULL`,
    [memberId, prefix, at, hash],
  );
  return rowCount === 1;
}

export async function countRecoveryCodes(db: Db, memberId: string): Promise<number> {
  const { rows } = await db.query<{ left: number }>(
    `SELECT count(*)::int AS left FROM recovery_codes WHERE member_id = $1 AND used_at IS NULL`,
    [memberId],
  );
  return rows[0]?.left ?? 0;
}
