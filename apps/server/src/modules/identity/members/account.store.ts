import { present } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { sweep } from "../../../platform/postgres/sweep.ts";
import { whileSessionStands } from "../sessions/sessions.store.ts";
import { endSessionsOf } from "./members.store.ts";
import { proofsChangedAt, voidOpenChallenges } from "./open-challenges.store.ts";

type Db = pg.Pool | pg.ClientBase;

/** How a member is reached and what they prove themselves by. */
export interface AccountRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly username: string;
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
  /** When anything that proves who they are last changed. */
  readonly changed_at: Date | null;
}

const ACCOUNT = `SELECT id, merchant_id, username, type, password_hash, password_changed_at,
  payment_password_hash, payment_password_reset_at, email, email_verified_at, dialing_code,
  mobile_num, mobile_verified_at, ${proofsChangedAt("members")} AS changed_at
  FROM members`;

export async function findAccount(
  db: Db,
  merchantId: string,
  id: string,
): Promise<AccountRow | null> {
  const { rows } = await db.query<AccountRow>(`${ACCOUNT} WHERE merchant_id = $1 AND id = $2`, [
    merchantId,
    id,
  ]);
  return rows[0] ?? null;
}

export async function findAccountByName(
  db: Db,
  merchantId: string,
  username: string,
): Promise<AccountRow | null> {
  const { rows } = await db.query<AccountRow>(
    `${ACCOUNT} WHERE merchant_id = $1 AND username = $2`,
    [merchantId, username.toLowerCase()],
  );
  return rows[0] ?? null;
}

/** In SQL, as `inboxOf` and the index of migration 0071 have it. */
function inbox(of: "o" | "m"): string {
  const plain = String.raw`regexp_replace(lower(${of}.email), '^([^+@]+)\+[^@]*@', '\1@')`;
  return String.raw`(CASE WHEN lower(${of}.email) ~ '@(gmail|googlemail)\.com$'
    THEN replace(split_part(${plain}, '@', 1), '.', '') || '@gmail.com' ELSE ${plain} END)`;
}

/** Whether the account named its inbox before all others, and nobody has verified that inbox. */
export async function hasNamedInboxFirst(db: Db, { id, merchant_id }: AccountRow) {
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
  await pool.query("SELECT FROM members WHERE id = $1 FOR SHARE", [memberId]);
}

export interface NewPassword {
  readonly memberId: string;
  readonly passwordHash: string;
  /** The session that may stay; null for none. */
  readonly except: string | null;
}

/**
 * Sets the password, voids what was begun under an older one, and ends the member's sessions:
 * nobody who knew the old one may stay logged in, even if a later step fails. Answers which
 * sessions ended.
 */
export async function setPassword(
  client: pg.ClientBase,
  { memberId, passwordHash, except }: NewPassword,
  at: Instant,
): Promise<string[]> {
  await client.query(
    `UPDATE members SET password_hash = $2, password_changed_at = to_timestamp($3 / 1000.0)
     WHERE id = $1`,
    [memberId, passwordHash, at],
  );
  await voidOpenChallenges(client, { memberId, sessionId: except }, at);
  return endSessionsOf(client, memberId, except, at);
}

type MailLinkPurpose = "reset" | "verify_email";

export interface MailLink {
  readonly tokenHash: Buffer;
  readonly merchantId: string;
  readonly memberId: string;
  readonly purpose: MailLinkPurpose;
  /** The session that asked for the link, and with which it ends; null for a visitor. */
  readonly sessionId: string | null;
  readonly email: string;
  readonly expiresAt: Instant;
}

/** Stores a link in place of the member's others of the purpose, even if many come at once. */
export async function replaceMailLink(
  client: pg.ClientBase,
  link: MailLink,
  at: Instant,
): Promise<void> {
  await lockMember(client, link.memberId);
  await client.query("DELETE FROM mail_links WHERE member_id = $1 AND purpose = $2", [
    link.memberId,
    link.purpose,
  ]);
  await client.query(
    `INSERT INTO mail_links (token_hash, merchant_id, member_id, purpose, session_id, email,
       created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0), to_timestamp($8 / 1000.0))`,
    [
      link.tokenHash,
      link.merchantId,
      link.memberId,
      link.purpose,
      link.sessionId,
      link.email,
      at,
      link.expiresAt,
    ],
  );
}

interface LinkKey {
  readonly merchantId: string;
  readonly purpose: MailLinkPurpose;
  readonly tokenHash: Buffer;
}

interface LinkRow {
  readonly member_id: string;
  readonly session_id: string | null;
  readonly email: string;
}

/** A reset link proves the inbox that it went to, so the account must still have that address. */
const IS_IN_TIME = `l.token_hash = $1 AND l.merchant_id = $2 AND l.purpose = $3
  AND l.expires_at > to_timestamp($4 / 1000.0)
  AND m.id = l.member_id AND (l.purpose <> 'reset' OR lower(m.email) = lower(l.email))
  AND ${whileSessionStands("l.session_id")}`;
const IS_GOOD = `${IS_IN_TIME} AND l.used_at IS NULL`;

/** The link while it can be used; does not use it up. */
export async function findMailLink(db: Db, key: LinkKey, at: Instant): Promise<LinkRow | null> {
  const { rows } = await db.query<LinkRow>(
    `SELECT l.member_id, l.session_id, l.email FROM mail_links l, members m WHERE ${IS_GOOD}`,
    [key.tokenHash, key.merchantId, key.purpose, at],
  );
  return rows[0] ?? null;
}

/** A link that was used, until the time when it would have expired. */
export async function findUsedMailLink(db: Db, key: LinkKey, at: Instant): Promise<LinkRow | null> {
  const { rows } = await db.query<LinkRow>(
    `SELECT l.member_id, l.session_id, l.email FROM mail_links l, members m
     WHERE ${IS_IN_TIME} AND l.used_at IS NOT NULL`,
    [key.tokenHash, key.merchantId, key.purpose, at],
  );
  return rows[0] ?? null;
}

/** Uses the link up; null for all but the first use. */
export async function useMailLink(db: Db, key: LinkKey, at: Instant): Promise<LinkRow | null> {
  const { rows } = await db.query<LinkRow>(
    `UPDATE mail_links l SET used_at = to_timestamp($4 / 1000.0) FROM members m
     WHERE ${IS_GOOD} RETURNING l.member_id, l.session_id, l.email`,
    [key.tokenHash, key.merchantId, key.purpose, at],
  );
  return rows[0] ?? null;
}

/** A job runs this. */
export async function sweepMailLinks(pool: pg.Pool, at: Instant): Promise<void> {
  await sweep(pool, { table: "mail_links", by: "expires_at" }, at);
}
