import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";
import { lockMember } from "../members/members.store.ts";
import { whileSessionIsOpen } from "../sessions/sessions.store.ts";

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
  AND ${whileSessionIsOpen("l.session_id")}`;

const IS_GOOD = `${IS_IN_TIME} AND l.used_at IS NULL`;

/** The link while it can be used; does not use it up. */
export async function findMailLink(db: Db, key: LinkKey, at: Instant): Promise<LinkRow | null> {
  const { rows } = await db.query<LinkRow>(
    `SELECT l.member_id, l.session_id, l.email FROM mail_links l, members m WHERE ${IS_GOOD}`,
    [key.tokenHash, key.merchantId, key.purpose, at],
  );
  return rows[0] ?? null;
}

export async function findUsedMailLink(db: Db, key: LinkKey, at: Instant): Promise<LinkRow | null> {
  const { rows } = await db.query<LinkRow>(
    `SELECT l.member_id, l.session_id, l.email FROM mail_links l, members m
     WHERE ${IS_IN_TIME} AND l.used_at IS NOT NULL`,
    [key.tokenHash, key.merchantId, key.purpose, at],
  );
  return rows[0] ?? null;
}

/** Uses the link up; null for all but the first use. A change that voids the link deletes it. */
export async function useMailLink(db: Db, key: LinkKey, at: Instant): Promise<LinkRow | null> {
  const link = await findMailLink(db, key, at);
  if (link === null) return null;
  const { rowCount } = await db.query(
    `UPDATE mail_links SET used_at = to_timestamp($2 / 1000.0)
     WHERE token_hash = $1 AND used_at IS NULL`,
    [key.tokenHash, at],
  );
  return rowCount === 1 ? link : null;
}

export async function findPendingEmail(
  db: Db,
  memberId: string,
  at: Instant,
): Promise<string | null> {
  const { rows } = await db.query<{ email: string }>(
    `SELECT email FROM mail_links WHERE member_id = $1 AND purpose = 'verify_email'
       AND used_at IS NULL AND expires_at > to_timestamp($2 / 1000.0)
       AND ${whileSessionIsOpen("session_id")}`,
    [memberId, at],
  );
  return rows[0]?.email ?? null;
}

export async function removeMailLink(db: Db, tokenHash: Buffer): Promise<void> {
  await db.query("DELETE FROM mail_links WHERE token_hash = $1", [tokenHash]);
}

export async function sweepMailLinks(pool: pg.Pool, at: Instant): Promise<void> {
  await sweep(pool, { table: "mail_links", by: "expires_at" }, at);
}
