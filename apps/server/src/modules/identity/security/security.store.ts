import type { Instant } from "@perya/kernel/instant";
import pg from "pg";
import { type ChangedBy, voidOpenChallenges } from "../members/open-challenges.store.ts";
import type { PhoneNumber } from "../members/phone-numbers.ts";
import { whileSessionStands } from "../sessions/sessions.store.ts";

type Db = pg.Pool | pg.ClientBase;

/** The address that a link was sent to and that is not the account's yet. */
export async function findPendingEmail(
  db: Db,
  memberId: string,
  at: Instant,
): Promise<string | null> {
  const { rows } = await db.query<{ email: string }>(
    `SELECT email FROM mail_links WHERE member_id = $1 AND purpose = 'verify_email'
       AND used_at IS NULL AND expires_at > to_timestamp($2 / 1000.0)
       AND ${whileSessionStands("session_id")}`,
    [memberId, at],
  );
  return rows[0]?.email ?? null;
}

/** Deletes a link that could not be sent. */
export async function removeMailLink(db: Db, tokenHash: Buffer): Promise<void> {
  await db.query("DELETE FROM mail_links WHERE token_hash = $1", [tokenHash]);
}

/**
 * Voids what was begun under the earlier address.
 * @throws UNIQUE_VIOLATION if another member has verified the address
 */
export async function setEmail(
  client: pg.ClientBase,
  by: ChangedBy,
  email: string,
  at: Instant,
): Promise<void> {
  await voidOpenChallenges(client, by, at);
  await client.query(
    `UPDATE members SET email = $2, email_verified_at = to_timestamp($3 / 1000.0) WHERE id = $1`,
    [by.memberId, email, at],
  );
}

/**
 * Voids what was begun under the earlier number.
 * @throws UNIQUE_VIOLATION if another member has verified the number
 */
export async function setMobile(
  client: pg.ClientBase,
  by: ChangedBy,
  { dialingCode, mobileNum }: PhoneNumber,
  at: Instant,
): Promise<void> {
  await voidOpenChallenges(client, by, at);
  await client.query(
    `UPDATE members SET dialing_code = $2, mobile_num = $3,
       mobile_verified_at = to_timestamp($4 / 1000.0)
     WHERE id = $1`,
    [by.memberId, dialingCode, mobileNum, at],
  );
}

/** https://www.postgresql.org/docs/15/errcodes-appendix.html */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505";
}

export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23503";
}

/**
 * Voids what was begun under the earlier one, and what that confirmed and nobody has requested yet.
 * @param isReset whether it is set without the earlier one, if there is one
 * @returns whether there was one that was not given
 */
export async function setPaymentPassword(
  client: pg.ClientBase,
  by: ChangedBy,
  hash: string,
  at: Instant,
  isReset: boolean,
): Promise<boolean> {
  const { rows } = await client.query<{ reset: boolean }>(
    `UPDATE members m SET payment_password_hash = $2,
       payment_password_reset_at = CASE WHEN before.reset THEN to_timestamp($3 / 1000.0)
                                        ELSE m.payment_password_reset_at END
     FROM (SELECT id, payment_password_hash IS NOT NULL AND $4 AS reset
           FROM members WHERE id = $1) before
     WHERE m.id = before.id RETURNING before.reset`,
    [by.memberId, hash, at, isReset],
  );
  await voidOpenChallenges(client, by, at);
  return rows[0]?.reset === true;
}

export interface LoginEventRow {
  readonly id: string;
  readonly method: string;
  readonly outcome: "done" | "wrong" | "second_factor_wrong" | "refused";
  readonly address: string;
  readonly user_agent: string;
  readonly at: Date;
}

/** Where a page of the history ends. */
export interface LoginPosition {
  readonly at: Instant;
  readonly id: string;
}

export async function listLogins(
  db: Db,
  memberId: string,
  after: LoginPosition | null,
  limit: number,
): Promise<LoginEventRow[]> {
  const { rows } = await db.query<LoginEventRow>(
    `SELECT id, method, outcome, address, user_agent, at FROM login_events
     WHERE member_id = $1
       AND ($2::bigint IS NULL OR (at, id) < (to_timestamp($2 / 1000.0), $3))
     ORDER BY at DESC, id DESC LIMIT $4`,
    [memberId, after?.at ?? null, after?.id ?? null, limit],
  );
  return rows;
}
