import { PROMO_CATEGORIES, type PromoCategory } from "@perya/contract/promotion-rules";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { z } from "zod";

/** A text in every language it was written in; TY and EN are always there. */
export const localized = z.record(z.string(), z.string());
export type Localized = z.infer<typeof localized>;

/** B banner, PL player, PU pop-up, PR promotion, A agent. */
export type AnnouncementType = "B" | "PL" | "PU" | "PR" | "A";

export interface Announcement {
  readonly id: string;
  readonly type: AnnouncementType;
  readonly groupName: string;
  readonly category: PromoCategory | null;
  readonly title: Localized;
  readonly content: Localized;
  readonly url: string;
  readonly scene: string;
  readonly startsAt: Instant;
  readonly endsAt: Instant | null;
  /** Whether players may apply for it; only for promotions. */
  readonly takesApplications: boolean;
}

const category = z.enum(PROMO_CATEGORIES).nullable();
const ANNOUNCEMENTS_MAX = 100;

export async function runningAnnouncements(
  pool: pg.Pool,
  merchantId: string,
  groupName: string,
  types: readonly string[],
  now: Instant,
): Promise<Announcement[]> {
  const { rows } = await pool.query({
    name: "content_running",
    text: `SELECT id, type, group_name, category, title, content, url, scene, starts_at, ends_at,
             takes_applications
           FROM announcements
           WHERE merchant_id = $1 AND group_name = $2 AND type = ANY ($3)
             AND starts_at <= to_timestamp($4 / 1000.0)
             AND (ends_at IS NULL OR ends_at > to_timestamp($4 / 1000.0))
           ORDER BY sort, id LIMIT ${ANNOUNCEMENTS_MAX}`,
    values: [merchantId, groupName, types, now],
  });
  return rows.map((row) => ({
    id: row.id,
    type: row.type,
    groupName: row.group_name,
    category: category.parse(row.category),
    title: localized.parse(row.title),
    content: localized.parse(row.content),
    url: row.url,
    scene: row.scene,
    startsAt: row.starts_at.getTime(),
    endsAt: row.ends_at?.getTime() ?? null,
    takesApplications: row.takes_applications,
  }));
}

export async function insertAnnouncements(
  db: pg.Pool | pg.ClientBase,
  merchantId: string,
  announcements: readonly Announcement[],
): Promise<void> {
  for (const [sort, one] of announcements.entries()) {
    await db.query(
      `INSERT INTO announcements (id, merchant_id, type, group_name, category, title, content, url,
         scene, sort, starts_at, ends_at, takes_applications)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0),
         to_timestamp($12::bigint / 1000.0), $13)`,
      [
        one.id,
        merchantId,
        one.type,
        one.groupName,
        one.category,
        JSON.stringify(one.title),
        JSON.stringify(one.content),
        one.url,
        one.scene,
        sort,
        one.startsAt,
        one.endsAt,
        one.takesApplications,
      ],
    );
  }
}

export async function announcementTitles(
  pool: pg.Pool,
  merchantId: string,
  ids: readonly string[],
): Promise<Map<string, Localized>> {
  const { rows } = await pool.query({
    name: "content_titles",
    text: "SELECT id, title FROM announcements WHERE merchant_id = $1 AND id = ANY ($2)",
    values: [merchantId, ids],
  });
  return new Map(rows.map((row) => [row.id, localized.parse(row.title)]));
}

export async function readIds(
  pool: pg.Pool,
  memberId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await pool.query<{ announcement_id: string }>({
    name: "content_reads",
    text: `SELECT announcement_id FROM announcement_reads
           WHERE member_id = $1 AND announcement_id = ANY ($2)`,
    values: [memberId, ids],
  });
  return new Set(rows.map((row) => row.announcement_id));
}

/** The first time counts; false if the brand has no such announcement of these types. */
export async function insertRead(
  pool: pg.Pool,
  reader: { readonly merchantId: string; readonly memberId: string },
  announcementId: string,
  types: readonly AnnouncementType[],
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    "SELECT FROM announcements WHERE id = $1 AND merchant_id = $2 AND type = ANY ($3)",
    [announcementId, reader.merchantId, types],
  );
  if (rowCount === 0) return false;
  await pool.query(
    `INSERT INTO announcement_reads (member_id, announcement_id, read_at)
     VALUES ($1, $2, to_timestamp($3 / 1000.0)) ON CONFLICT DO NOTHING`,
    [reader.memberId, announcementId, at],
  );
  return true;
}
