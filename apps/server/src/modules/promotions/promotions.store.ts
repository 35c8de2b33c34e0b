import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { PicturesKept } from "../../platform/kept-pictures.ts";
import type { Picture } from "../../platform/picture.ts";
import type { Db } from "../../platform/postgres/pool.ts";
import type { MemberKey } from "../identity/identity.ts";

type ApplicationState = "pending" | "approved" | "rejected";

export interface NewApplication {
  readonly id: string;
  readonly promotionId: string;
  readonly remark: string;
  readonly images: readonly string[];
}

export interface Application extends NewApplication {
  readonly state: ApplicationState;
  readonly answer: string;
  readonly sentAt: Instant;
  readonly decidedAt: Instant | null;
}

export async function findUpload(
  db: Db,
  who: MemberKey,
  id: string,
): Promise<(Picture & { readonly sentHash: Buffer }) | null> {
  const { rows } = await db.query(
    `SELECT image, width, height, sent_hash FROM promotion_uploads
     WHERE merchant_id = $1 AND member_id = $2 AND id = $3`,
    [who.merchantId, who.memberId, id],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return { image: row.image, width: row.width, height: row.height, sentHash: row.sent_hash };
}

/** What was drawn of the same picture, so that its sender need not have it drawn again. */
export async function findSameUpload(
  db: Db,
  who: MemberKey,
  sentHash: Buffer,
): Promise<Picture | null> {
  const { rows } = await db.query<Picture>(
    `SELECT image, width, height FROM promotion_uploads
     WHERE merchant_id = $1 AND member_id = $2 AND sent_hash = $3 LIMIT 1`,
    [who.merchantId, who.memberId, sentHash],
  );
  return rows[0] ?? null;
}

/** Older ones than the newest that no application took are deleted. */
export async function insertUpload(
  client: pg.ClientBase,
  who: MemberKey,
  upload: Picture & { readonly id: string; readonly sentHash: Buffer },
  loose: number,
  at: Instant,
): Promise<void> {
  await client.query(
    `INSERT INTO promotion_uploads (merchant_id, member_id, id, sent_hash, image, width, height,
       sent_at, look_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, t.now, t.now
     FROM (SELECT to_timestamp($8 / 1000.0) AS now) AS t`,
    [
      who.merchantId,
      who.memberId,
      upload.id,
      upload.sentHash,
      upload.image,
      upload.width,
      upload.height,
      at,
    ],
  );
  await client.query(
    `DELETE FROM promotion_uploads WHERE merchant_id = $1 AND member_id = $2 AND id IN (
       SELECT id FROM promotion_uploads
       WHERE merchant_id = $1 AND member_id = $2 AND application_id IS NULL
       ORDER BY sent_at DESC, id DESC OFFSET $3)`,
    [who.merchantId, who.memberId, loose],
  );
}

/**
 * Checks the pictures that are due, longest waiting first, and deletes those that nobody needs any
 * more; answers how many it checked. Those of an application wait with it for the decision.
 */
export async function sweepUploads(db: Db, now: Instant, kept: PicturesKept): Promise<number> {
  const { rows } = await db.query<{ looked: number }>(
    `WITH due AS MATERIALIZED (
       SELECT u.merchant_id, u.member_id, u.id, CASE
           WHEN u.application_id IS NULL THEN u.sent_at + $3 * interval '1 ms'
           WHEN a.decided_at IS NULL THEN to_timestamp($1 / 1000.0) + interval '1 day'
           ELSE a.decided_at + $4 * interval '1 ms' END AS needed_until
       FROM promotion_uploads u LEFT JOIN promotion_applications a
         ON a.merchant_id = u.merchant_id AND a.member_id = u.member_id AND a.id = u.application_id
       WHERE u.look_at <= to_timestamp($1 / 1000.0)
       ORDER BY u.look_at LIMIT $2 FOR UPDATE OF u SKIP LOCKED
     ), gone AS (
       DELETE FROM promotion_uploads u USING due
       WHERE u.merchant_id = due.merchant_id AND u.member_id = due.member_id AND u.id = due.id
         AND due.needed_until <= to_timestamp($1 / 1000.0)
     ), later AS (
       UPDATE promotion_uploads u SET look_at = due.needed_until FROM due
       WHERE u.merchant_id = due.merchant_id AND u.member_id = due.member_id AND u.id = due.id
         AND due.needed_until > to_timestamp($1 / 1000.0)
     )
     SELECT count(*)::int AS looked FROM due`,
    [now, kept.limit, kept.unclaimedMs, kept.decidedMs],
  );
  return rows[0]?.looked ?? 0;
}

/** The applicant's pictures among these that no application has taken; the sweep leaves them. */
export async function looseUploads(
  client: pg.ClientBase,
  who: MemberKey,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM promotion_uploads
     WHERE merchant_id = $1 AND member_id = $2 AND id = ANY ($3) AND application_id IS NULL
     ORDER BY id FOR UPDATE`,
    [who.merchantId, who.memberId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

export async function insertApplication(
  client: pg.ClientBase,
  who: MemberKey,
  application: NewApplication,
  at: Instant,
): Promise<void> {
  await client.query(
    `INSERT INTO promotion_applications (merchant_id, member_id, id, promotion_id, remark, state,
       sent_at)
     VALUES ($1, $2, $3, $4, $5, 'pending', to_timestamp($6 / 1000.0))`,
    [who.merchantId, who.memberId, application.id, application.promotionId, application.remark, at],
  );
  await client.query(
    `UPDATE promotion_uploads u SET application_id = $3, place = given.place
     FROM unnest($4::text[]) WITH ORDINALITY AS given (id, place)
     WHERE u.merchant_id = $1 AND u.member_id = $2 AND u.id = given.id`,
    [who.merchantId, who.memberId, application.id, application.images],
  );
}

export async function findApplication(
  db: Db,
  who: MemberKey,
  id: string,
): Promise<Application | null> {
  const [found] = await readApplications(db, who, "a.id = $3", [id], 1);
  return found ?? null;
}

export async function findPending(
  db: Db,
  who: MemberKey,
  promotionId: string,
): Promise<Application | null> {
  const where = "a.promotion_id = $3 AND a.state = 'pending'";
  const [found] = await readApplications(db, who, where, [promotionId], 1);
  return found ?? null;
}

export function listApplications(db: Db, who: MemberKey, most: number): Promise<Application[]> {
  return readApplications(db, who, "true", [], most);
}

async function readApplications(
  db: Db,
  who: MemberKey,
  where: string,
  values: readonly string[],
  most: number,
): Promise<Application[]> {
  const { rows } = await db.query(
    `SELECT a.id, a.promotion_id, a.remark, a.state, a.answer, a.sent_at, a.decided_at,
       array(SELECT u.id FROM promotion_uploads u
             WHERE u.merchant_id = a.merchant_id AND u.member_id = a.member_id
               AND u.application_id = a.id ORDER BY u.place) AS images
     FROM promotion_applications a
     WHERE a.merchant_id = $1 AND a.member_id = $2 AND ${where}
     ORDER BY a.sent_at DESC, a.id DESC LIMIT ${most}`,
    [who.merchantId, who.memberId, ...values],
  );
  return rows.map((row) => ({
    id: row.id,
    promotionId: row.promotion_id,
    remark: row.remark,
    images: row.images,
    state: row.state,
    answer: row.answer,
    sentAt: row.sent_at.getTime(),
    decidedAt: row.decided_at?.getTime() ?? null,
  }));
}

export async function hasStanding(db: Db, who: MemberKey, promotionId: string): Promise<boolean> {
  const where = "a.promotion_id = $3 AND a.state <> 'rejected'";
  return (await readApplications(db, who, where, [promotionId], 1)).length > 0;
}

/** The promotion of the decided application; null if none with that id waits for a decision. */
export async function decideApplication(
  db: Db,
  who: MemberKey,
  id: string,
  decision: { readonly state: "approved" | "rejected"; readonly answer: string },
  at: Instant,
): Promise<string | null> {
  const { rows } = await db.query<{ promotion_id: string }>(
    `UPDATE promotion_applications SET state = $4, answer = $5, decided_at = to_timestamp($6 / 1000.0)
     WHERE merchant_id = $1 AND member_id = $2 AND id = $3 AND state = 'pending'
     RETURNING promotion_id`,
    [who.merchantId, who.memberId, id, decision.state, decision.answer, at],
  );
  return rows[0]?.promotion_id ?? null;
}
