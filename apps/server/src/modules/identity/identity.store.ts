import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { sweep, sweepByKey } from "../../platform/postgres/sweep.ts";
import type { PhoneNumber } from "./phone-numbers.ts";
import { type SessionMethod, TRIAL_TYPE } from "./session.ts";

type Db = pg.Pool | pg.ClientBase;

export interface MemberRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly username: string;
  readonly nickname: string | null;
  readonly type: number;
  readonly password_hash: string | null;
  readonly password_changed_at: Date | null;
  readonly blocked: boolean;
  readonly created_at: Date;
  readonly last_login_at: Date | null;
}

const MEMBER_COLUMNS =
  "id, merchant_id, username, nickname, type, password_hash, password_changed_at, blocked, " +
  "created_at, last_login_at";

export async function findMemberByName(
  db: Db,
  merchantId: string,
  username: string,
): Promise<MemberRow | null> {
  const { rows } = await db.query<MemberRow>(
    `SELECT ${MEMBER_COLUMNS} FROM members WHERE merchant_id = $1 AND username = $2`,
    [merchantId, username.toLowerCase()],
  );
  return rows[0] ?? null;
}

export async function findMember(
  db: Db,
  merchantId: string,
  id: string,
): Promise<MemberRow | null> {
  const { rows } = await db.query<MemberRow>(
    `SELECT ${MEMBER_COLUMNS} FROM members WHERE merchant_id = $1 AND id = $2`,
    [merchantId, id],
  );
  return rows[0] ?? null;
}

/** The member who has verified the number. */
export async function findMemberByMobile(
  db: Db,
  merchantId: string,
  { dialingCode, mobileNum }: PhoneNumber,
): Promise<MemberRow | null> {
  const { rows } = await db.query<MemberRow>(
    `SELECT ${MEMBER_COLUMNS} FROM members WHERE merchant_id = $1 AND dialing_code = $2
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
  /** Whether the member has verified the address. */
  readonly emailVerified?: boolean;
  readonly birthday: string | null;
  readonly affiliateCode: string | null;
  readonly type: number;
  readonly passwordHash: string | null;
  readonly paymentPasswordHash?: string | null;
  readonly mobile?: PhoneNumber | null;
  /** Whether the member has verified the number. */
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
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, CASE WHEN $13 THEN t.now END,
       CASE WHEN $14 THEN t.now END, $15, $16, t.now
     FROM (SELECT to_timestamp($17 / 1000.0) AS now) AS t
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

/** The member who owns the invitation code, in upper or lower case. */
export async function findInviter(
  db: Db,
  merchantId: string,
  code: string,
): Promise<string | null> {
  const { rows } = await db.query<{ member_id: string }>(
    "SELECT member_id FROM invitation_codes WHERE merchant_id = $1 AND code = upper($2)",
    [merchantId, code],
  );
  return rows[0]?.member_id ?? null;
}

/** The code by which a member invites; the oldest if there are several. */
export async function findOwnInvitationCode(
  db: Db,
  member: { readonly merchantId: string; readonly memberId: string },
): Promise<string | null> {
  const { rows } = await db.query<{ code: string }>(
    `SELECT code FROM invitation_codes WHERE merchant_id = $1 AND member_id = $2
     ORDER BY created_at, code LIMIT 1`,
    [member.merchantId, member.memberId],
  );
  return rows[0]?.code ?? null;
}

export async function insertInvitationCode(
  db: Db,
  invitation: { readonly merchantId: string; readonly code: string; readonly memberId: string },
  at: Instant,
): Promise<void> {
  await db.query(
    `INSERT INTO invitation_codes (merchant_id, code, member_id, created_at)
     VALUES ($1, upper($2), $3, to_timestamp($4 / 1000.0)) ON CONFLICT DO NOTHING`,
    [invitation.merchantId, invitation.code, invitation.memberId, at],
  );
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

export async function setBlocked(db: Db, memberId: string, blocked: boolean): Promise<void> {
  await db.query("UPDATE members SET blocked = $2 WHERE id = $1", [memberId, blocked]);
}

export interface SessionRow extends MemberRow {
  readonly session_id: string;
  readonly currency: string;
  readonly cookie_half_hash: Buffer;
  readonly session_created_at: Date;
  readonly seen_at: Date;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
}

export async function findSession(
  db: Db,
  merchantId: string,
  storageHalfHash: Buffer,
): Promise<SessionRow | null> {
  const { rows } = await db.query<SessionRow>({
    name: "identity_session",
    text: `SELECT s.id AS session_id, s.cookie_half_hash, s.created_at AS session_created_at,
                  s.seen_at, s.expires_at, s.ended_at, b.currency, m.id, m.merchant_id, m.username,
                  m.nickname, m.type, m.password_hash, m.blocked, m.created_at, m.last_login_at
           FROM sessions s JOIN members m ON m.id = s.member_id
                           JOIN brand_merchants b ON b.id = s.merchant_id
           WHERE s.storage_half_hash = $2 AND s.merchant_id = $1 AND m.merchant_id = $1`,
    values: [merchantId, storageHalfHash],
  });
  return rows[0] ?? null;
}

export interface NewSession {
  readonly id: string;
  readonly merchantId: string;
  readonly memberId: string;
  readonly storageHalfHash: Buffer;
  readonly cookieHalfHash: Buffer;
  readonly userAgent: string;
  readonly address: string;
  readonly method: SessionMethod;
  readonly expiresAt: Instant;
}

/** Writes the session and the member's last login; answers whether it is the first one. */
export async function insertSession(
  db: Db,
  session: NewSession,
  at: Instant,
): Promise<{ firstLogin: boolean }> {
  await db.query(
    `INSERT INTO sessions (id, merchant_id, member_id, storage_half_hash, cookie_half_hash,
       user_agent, address, method, created_at, seen_at, expires_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, t.now, t.now, to_timestamp($10 / 1000.0)
     FROM (SELECT to_timestamp($9 / 1000.0) AS now) AS t`,
    [
      session.id,
      session.merchantId,
      session.memberId,
      session.storageHalfHash,
      session.cookieHalfHash,
      session.userAgent,
      session.address,
      session.method,
      at,
      session.expiresAt,
    ],
  );
  const { rows } = await db.query<{ first: boolean }>(
    `UPDATE members m SET last_login_at = to_timestamp($2 / 1000.0)
     FROM (SELECT id, last_login_at IS NULL AS first FROM members WHERE id = $1) before
     WHERE m.id = before.id RETURNING before.first`,
    [session.memberId, at],
  );
  return { firstLogin: rows[0]?.first === true };
}

export async function touchSession(db: Db, id: string, at: Instant): Promise<void> {
  await db.query("UPDATE sessions SET seen_at = to_timestamp($2 / 1000.0) WHERE id = $1", [id, at]);
}

/** By itself, unless its owner ends it from elsewhere. */
export async function endSession(
  db: Db,
  id: string,
  at: Instant,
  isByOwner = false,
): Promise<void> {
  await db.query(
    `UPDATE sessions SET ended_at = to_timestamp($2 / 1000.0), ended_by_owner = $3
     WHERE id = $1 AND ended_at IS NULL`,
    [id, at, isByOwner],
  );
}

/** Ends the session whose cookie half the browser shows; answers its id, if any. */
export async function endSessionByCookie(
  db: Db,
  merchantId: string,
  cookieHalfHash: Buffer,
  at: Instant,
): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `UPDATE sessions SET ended_at = to_timestamp($3 / 1000.0)
     WHERE cookie_half_hash = $2 AND merchant_id = $1 AND ended_at IS NULL RETURNING id`,
    [merchantId, cookieHalfHash, at],
  );
  return rows[0]?.id ?? null;
}

/** Ends all sessions of a member but one, as their owner does from elsewhere; answers which. */
export async function endSessionsOf(
  db: Db,
  memberId: string,
  except: string | null,
  at: Instant,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `UPDATE sessions SET ended_at = to_timestamp($3 / 1000.0), ended_by_owner = true
     WHERE member_id = $1 AND ended_at IS NULL AND id IS DISTINCT FROM $2 RETURNING id`,
    [memberId, except, at],
  );
  return rows.map((row) => row.id);
}

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

export interface Failures {
  readonly failures: number;
  readonly lastAt: Instant;
}

export async function readFailures(
  db: Db,
  merchantId: string,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, Failures>> {
  const { rows } = await db.query<{ subject: string; failures: number; last_at: Date }>(
    `SELECT subject, failures, last_at FROM login_failures
     WHERE merchant_id = $1 AND subject = ANY ($2::text[])`,
    [merchantId, subjects],
  );
  return new Map(
    rows.map((row) => [row.subject, { failures: row.failures, lastAt: row.last_at.getTime() }]),
  );
}

/** Locks the subjects' rows in one order, inserts missing ones, and answers them. */
export async function lockFailures(
  client: pg.ClientBase,
  merchantId: string,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, Failures>> {
  const { rows } = await client.query<{ subject: string; failures: number; last_at: Date }>(
    `INSERT INTO login_failures AS f (merchant_id, subject, failures, last_at)
     SELECT $1, subject, 0, to_timestamp(0) FROM unnest($2::text[]) AS subject ORDER BY subject
     ON CONFLICT (merchant_id, subject) DO UPDATE SET failures = f.failures
     RETURNING subject, failures, last_at`,
    [merchantId, subjects],
  );
  return new Map(
    rows.map((row) => [row.subject, { failures: row.failures, lastAt: row.last_at.getTime() }]),
  );
}

/** Writes the present failures of the locked subjects. */
export async function countTries(
  client: pg.ClientBase,
  merchantId: string,
  counted: readonly { readonly subject: string; readonly failures: number }[],
  at: Instant,
): Promise<void> {
  await client.query(
    `UPDATE login_failures f
     SET failures = counted.failures, last_at = to_timestamp($4 / 1000.0)
     FROM unnest($2::text[], $3::int[]) AS counted (subject, failures)
     WHERE f.merchant_id = $1 AND f.subject = counted.subject`,
    [
      merchantId,
      counted.map(({ subject }) => subject),
      counted.map(({ failures }) => failures),
      at,
    ],
  );
}

export async function uncountTry(
  db: Db,
  merchantId: string,
  subjects: readonly string[],
): Promise<void> {
  // In the order in which a try locks them; otherwise the two could deadlock.
  await db.query(
    `UPDATE login_failures f SET failures = greatest(f.failures - 1, 0)
     FROM (SELECT merchant_id, subject FROM login_failures
           WHERE merchant_id = $1 AND subject = ANY ($2) ORDER BY subject FOR UPDATE) locked
     WHERE f.merchant_id = locked.merchant_id AND f.subject = locked.subject`,
    [merchantId, subjects],
  );
}

export async function forgetFailures(
  db: Db,
  merchantId: string,
  subjects: readonly string[],
): Promise<void> {
  await db.query("DELETE FROM login_failures WHERE merchant_id = $1 AND subject = ANY ($2)", [
    merchantId,
    subjects,
  ]);
}

export interface NewLoginEvent {
  readonly id: string;
  readonly merchantId: string;
  /** Null if nobody has the name that was tried. */
  readonly memberId: string | null;
  readonly method: string;
  readonly outcome: "done" | "wrong" | "second_factor_wrong" | "refused";
  readonly address: string;
  readonly userAgent: string;
}

export async function insertLoginEvent(db: Db, event: NewLoginEvent, at: Instant): Promise<void> {
  await db.query(
    `INSERT INTO login_events (id, merchant_id, member_id, method, outcome, address, user_agent, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0))`,
    [
      event.id,
      event.merchantId,
      event.memberId,
      event.method,
      event.outcome,
      event.address,
      event.userAgent,
      at,
    ],
  );
}

/** A job runs this: it deletes what expired and what had its time (docs/kept-times.md). */
export function sweepExpired(
  pool: pg.Pool,
  at: Instant,
  kept: {
    readonly forgottenBefore: Instant;
    readonly sessionsBefore: Instant;
    readonly loginsBefore: Instant;
  },
): Promise<void> {
  const { forgottenBefore, sessionsBefore, loginsBefore } = kept;
  const known = { table: "login_events", by: "at", where: "member_id IS NOT NULL" };
  const unknown = { table: "login_events", by: "at", where: "member_id IS NULL" };
  return eachByItself({
    captchas: () => sweep(pool, { table: "captchas", by: "expires_at" }, at),
    nonces: () => sweep(pool, { table: "used_nonces", by: "expires_at" }, at),
    failures: () => sweep(pool, { table: "login_failures", by: "last_at" }, forgottenBefore),
    "log-ins of nobody": () => sweep(pool, unknown, forgottenBefore),
    "log-ins of members": () => sweep(pool, known, loginsBefore),
    sessions: () =>
      sweepByKey(pool, { table: "sessions", by: "expires_at", key: "id" }, sessionsBefore),
  });
}

/** Free-play accounts that nobody has used since and that no run has looked at, oldest first. */
export async function findUnusedTrials(
  pool: pg.Pool,
  since: Instant,
  limit: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM members m
     WHERE type = ${TRIAL_TYPE} AND trial_kept IS NULL AND created_at <= to_timestamp($1 / 1000.0)
       AND NOT EXISTS (SELECT FROM sessions s
                       WHERE s.member_id = m.id AND s.seen_at > to_timestamp($1 / 1000.0))
     ORDER BY created_at, id LIMIT $2`,
    [since, limit],
  );
  return rows.map(({ id }) => id);
}

/** @throws a violation of a foreign key if another module has rows of the account */
export async function deleteTrial(client: pg.ClientBase, id: string): Promise<void> {
  await client.query("DELETE FROM sessions WHERE member_id = $1", [id]);
  await client.query(`DELETE FROM members WHERE id = $1 AND type = ${TRIAL_TYPE}`, [id]);
}

export async function keepTrial(pool: pg.Pool, id: string): Promise<void> {
  await pool.query("UPDATE members SET trial_kept = true WHERE id = $1", [id]);
}
