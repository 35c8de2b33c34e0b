import type pg from "pg";
import { type Localized, localized } from "./content.store.ts";

/** One entry that a brand explains; links open it by `tag`. */
export interface HelpEntry {
  readonly tag: string;
  readonly title: Localized;
  readonly content: Localized;
}

const ENTRIES_MAX = 100;

export async function helpEntries(pool: pg.Pool, merchantId: string): Promise<HelpEntry[]> {
  const { rows } = await pool.query({
    name: "content_help",
    text: `SELECT tag, title, content FROM help_entries
           WHERE merchant_id = $1 ORDER BY sort, tag LIMIT ${ENTRIES_MAX}`,
    values: [merchantId],
  });
  return rows.map(({ tag, title, content }) => ({
    tag,
    title: localized.parse(title),
    content: localized.parse(content),
  }));
}

export async function insertHelpEntries(
  db: pg.Pool | pg.ClientBase,
  merchantId: string,
  entries: readonly HelpEntry[],
): Promise<void> {
  for (const [sort, { tag, title, content }] of entries.entries()) {
    await db.query(
      `INSERT INTO help_entries (merchant_id, tag, title, content, sort)
       VALUES ($1, $2, $3, $4, $5)`,
      [merchantId, tag, JSON.stringify(title), JSON.stringify(content), sort],
    );
  }
}
