import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { z } from "zod";

export { bootAnnouncements, contentRoutes } from "./content.routes.ts";
export { feedbackRoutes } from "./feedback.routes.ts";
export { FeedbackDesk } from "./feedback.ts";

/** A text in every language it was written in; TY and EN are always there. */
const localized = z.record(z.string(), z.string());
export type Localized = z.infer<typeof localized>;

/** B banner, PL player, PU pop-up, PR promotion, A agent. */
export type AnnouncementType = "B" | "PL" | "PU" | "PR" | "A";

export interface Announcement {
  readonly id: string;
  readonly type: AnnouncementType;
  readonly groupName: string;
  readonly category: string | null;
  readonly title: Localized;
  readonly content: Localized;
  readonly url: string;
  /** Which artwork stands behind it. */
  readonly scene: string;
  readonly startsAt: Instant;
  readonly endsAt: Instant | null;
}

const ANNOUNCEMENTS_MAX = 100;

/** Announcements that run at an instant, in the brand's order. */
export async function runningAnnouncements(
  pool: pg.Pool,
  merchantId: string,
  groupName: string,
  types: readonly string[],
  now: Instant,
): Promise<Announcement[]> {
  const { rows } = await pool.query({
    name: "content_running",
    text: `SELECT id, type, group_name, category, title, content, url, scene, starts_at, ends_at
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
    category: row.category,
    title: localized.parse(row.title),
    content: localized.parse(row.content),
    url: row.url,
    scene: row.scene,
    startsAt: row.starts_at.getTime(),
    endsAt: row.ends_at?.getTime() ?? null,
  }));
}

/** Adds announcements in the order given. */
export async function insertAnnouncements(
  db: pg.Pool | pg.ClientBase,
  merchantId: string,
  announcements: readonly Announcement[],
): Promise<void> {
  for (const [sort, one] of announcements.entries()) {
    await db.query(
      `INSERT INTO announcements (id, merchant_id, type, group_name, category, title, content, url,
         scene, sort, starts_at, ends_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0),
         to_timestamp($12::bigint / 1000.0))`,
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
      ],
    );
  }
}

/** The text in a language; what is not translated falls back to English. */
export function textIn(text: Localized, language: string): string {
  return text[language] ?? text.EN ?? "";
}
