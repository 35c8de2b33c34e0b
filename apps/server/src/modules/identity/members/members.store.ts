import { present } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";
import { TRIAL_TYPE } from "./member-type.ts";
import { type ChangedBy, proofsChangedAt, voidOpenChallenges } from "./open-challenges.store.ts";
import type { PhoneNumber } from "./phone-numbers.ts";

/** A member: how they are reached and what they prove themselves by. */
export interface MemberRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly username: string;
  readonly nickname: string | null;
  readonly type: number;
  readonly password_hash: string | null;
  readonly password_changed_at: Date | null;
  readonly payment_password_hash: string | null;
  /** When it was reset without the earlier one. */
  readonly payment_password_reset_at: Date | null;
  readonly email: string | null;
  readonly email_verified_at: Date | null;
  readonly dialing_code: string | null;
  readonly mobile_num: string | null;
  readonly mobile_verified_at: Date | null;
  readonly blocked: boolean;
  readonly created_at: Date;
  readonly last_login_at: Date | null;
  /** When anything that proves who they are last changed. */
  readonly changed_at: Date | null;
}

const MEMBER = `SELECT id, merchant_id, username, nickname, type, password_hash, password_changed_at,
  payment_password_hash, payment_password_reset_at, email, email_verified_at, dialing_code,
  mobile_num, mobile_verified_at, blocked, created_at, last_login_at,
  ${proofsChangedAt("members")} AS changed_at FROM members`;

export async function findMemberByName(
  db: Db,
  merchantId: string,
  username: string,
): Promise<MemberRow | null> {
  const { rows } = await db.query<MemberRow>(`${MEMBER} WHERE merchant_id = $1 AND username = $2`, [
    merchantId,
    username.toLowerCase(),
  ]);
  return rows[0] ?? null;
}

export async function findMember(
  db: Db,
  merchantId: string,
  id: string,
): Promise<MemberRow | null> {
  const { rows } = await db.query<MemberRow>(`${MEMBER} WHERE merchant_id = $1 AND id = $2`, [
    merchantId,
    id,
  ]);
  return rows[0] ?? null;
}

export async function ownAccount(
  db: Db,
  { merchantId, memberId }: { readonly merchantId: string; readonly memberId: string },
): Promise<MemberRow> {
  return present(await findMember(db, merchantId, memberId), "the member of a session");
}

export async function findMemberByMobile(
  db: Db,
  merchantId: string,
  { dialingCode, mobileNum }: PhoneNumber,
): Promise<MemberRow | null> {
  const { rows } = await db.query<MemberRow>(
    `${MEMBER} WHERE merchant_id = $1 AND dialing_code = $2
       AND mobile_num = $3 AND mobile_verified_at IS NOT NULL`,
    [merchantId, dialingCode, mobileNum],
  );
  return rows[0] ?? null;
}

export interface NewMember {
  readonly id: string;
  readonly merchantId: string;
  readonly username: string;
  readonly nickname: string | null;
  readonly email: string | null;
  readonly emailVerified?: boolean;
  readonly birthday: string | null;
  readonly affiliateCode: string | null;
  readonly type: number;
  readonly passwordHash: string | null;
  readonly paymentPasswordHash?: string | null;
  readonly mobile?: PhoneNumber | null;
  readonly mobileVerified?: boolean;
  readonly recommenderId?: string | null;
  /** What only the operator reads. */
  readonly profile?: Readonly<Record<string, string>>;
}

/**
 * False if the username is taken.
 * @throws a unique violation of `members_mobile` or `members_email` if another has verified the
 *   same number or address
 */
export async function insertMember(db: Db, member: NewMember, at: Instant): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO members (id, merchant_id, username, nickname, email, birthday, affiliate_code,
       type, password_hash, payment_password_hash, dialing_code, mobile_num, mobile_verified_at,
       email_verified_at, recommender_id, profile, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
       CASE WHEN $13 THEN to_timestamp($17 / 1000.0) END,
       CASE WHEN $14 THEN to_timestamp($17 / 1000.0) END, $15, $16, to_timestamp($17 / 1000.0))
     ON CONFLICT (merchant_id, username) DO NOTHING`,
    [
      member.id,
      member.merchantId,
      member.username.toLowerCase(),
      member.nickname,
      member.email,
      member.birthday,
      member.affiliateCode,
      member.type,
      member.passwordHash,
      member.paymentPasswordHash ?? null,
      member.mobile?.dialingCode ?? null,
      member.mobile?.mobileNum ?? null,
      member.mobileVerified === true,
      member.emailVerified === true,
      member.recommenderId ?? null,
      JSON.stringify(member.profile ?? {}),
      at,
    ],
  );
  return rowCount === 1;
}

/** Leaves a password alone that was changed meanwhile. */
export async function renewPasswordHash(
  db: Db,
  memberId: string,
  stored: string,
  hash: string,
): Promise<void> {
  await db.query("UPDATE members SET password_hash = $3 WHERE id = $1 AND password_hash = $2", [
    memberId,
    stored,
    hash,
  ]);
}

export async function noteLogin(db: Db, memberId: string, at: Instant): Promise<boolean> {
  const { rows } = await db.query<{ first: boolean }>(
    `UPDATE members m SET last_login_at = to_timestamp($2 / 1000.0)
     FROM (SELECT id, last_login_at IS NULL AS first FROM members WHERE id = $1) before
     WHERE m.id = before.id RETURNING before.first`,
    [memberId, at],
  );
  return rows[0]?.first === true;
}

/** @throws a violation of a foreign key if another module has rows of the account */
export async function deleteTrial(client: pg.ClientBase, id: string): Promise<void> {
  await client.query(`DELETE FROM members WHERE id = $1 AND type = ${TRIAL_TYPE}`, [id]);
}

export async function keepTrial(pool: pg.Pool, id: string): Promise<void> {
  await pool.query("UPDATE members SET trial_kept = true WHERE id = $1", [id]);
}

/** In SQL, as `inboxOf` and the index of migration 0071 have it. */
function inbox(of: "o" | "m"): string {
  const plain = String.raw`regexp_replace(lower(${of}.email), '^([^+@]+)\+[^@]*@', '\1@')`;
  return String.raw`(CASE WHEN lower(${of}.email) ~ '@(gmail|googlemail)\.com$'
    THEN replace(split_part(${plain}, '@', 1), '.', '') || '@gmail.com' ELSE ${plain} END)`;
}

/** Whether the account named its inbox before all others, and nobody has verified that inbox. */
export async function hasNamedInboxFirst(db: Db, { id, merchant_id }: MemberRow) {
  const isSame = `o.email IS NOT NULL AND ${inbox("o")} = ${inbox("m")}`;
  const { rows } = await db.query<{ first: string; proven: boolean }>(
    `SELECT EXISTS (SELECT FROM members o WHERE o.merchant_id = $1
         AND ${isSame} AND o.email_verified_at IS NOT NULL) AS proven,
       (SELECT o.id FROM members o WHERE o.merchant_id = $1 AND ${isSame}
         ORDER BY o.created_at, o.id LIMIT 1) AS first
     FROM members m WHERE m.merchant_id = $1 AND m.id = $2 AND m.email IS NOT NULL`,
    [merchant_id, id],
  );
  return rows[0]?.first === id && !rows[0].proven;
}

/**
 * Locks a member's row before any other row of theirs, so that changes of an account and counts of
 * its things run one after another and never deadlock. The wallet's row would do as well, but the
 * ledger's batches would wait for it. Answers when the password was last set.
 */
export async function lockMember(client: pg.ClientBase, memberId: string): Promise<Instant | null> {
  // Weaker than FOR UPDATE: rows that only refer to the member, such as payments, go on.
  const { rows } = await client.query<{ password_changed_at: Date | null }>(
    "SELECT password_changed_at FROM members WHERE id = $1 FOR NO KEY UPDATE",
    [memberId],
  );
  const member = present(rows[0], "the member who is locked");
  return member.password_changed_at?.getTime() ?? null;
}

/**
 * Waits until a change of the member's account that is under way is written: it has read its
 * instant, and nobody can see it yet. For callers that hold no lock.
 */
export async function awaitChange(pool: pg.Pool, memberId: string): Promise<void> {
  // Not FOR SHARE: of a table on every node of a cluster, two at once would deadlock.
  await pool.query("SELECT FROM members WHERE id = $1 FOR NO KEY UPDATE", [memberId]);
}

/** Voids what was begun under the earlier one; nobody who knew that may stay logged in. */
export async function writePassword(
  client: pg.ClientBase,
  by: ChangedBy,
  hash: string,
  at: Instant,
): Promise<void> {
  await client.query(
    `UPDATE members SET password_hash = $2, password_changed_at = to_timestamp($3 / 1000.0)
     WHERE id = $1`,
    [by.memberId, hash, at],
  );
  await voidOpenChallenges(client, by, at);
}

export async function isEmailVerified(db: Db, merchantId: string, email: string) {
  const { rowCount } = await db.query(
    `SELECT 1 FROM members
     WHERE merchant_id = $1 AND lower(email) = lower($2) AND email_verified_at IS NOT NULL`,
    [merchantId, email],
  );
  return rowCount === 1;
}

/**
 * Voids what was begun under the earlier address.
 * @throws a unique violation if another member has verified the address
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
 * @throws a unique violation if another member has verified the number
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
