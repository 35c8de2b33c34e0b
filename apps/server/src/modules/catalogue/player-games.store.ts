import type { GameType } from "@perya/contract/catalogue";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { MemberKey } from "../identity/identity.ts";

export interface PlayerGameFilter {
  readonly gameTypes: readonly GameType[];
  /** Empty for all. */
  readonly vendor: string;
}

/** The two lists differ in their name and in the meaning of their time. */
const LISTS = {
  favourites: { table: "favourites", at: "added_at" },
  recent: { table: "recent_games", at: "played_at" },
} as const;
export type OwnList = keyof typeof LISTS;

/**
 * Node ids of one page of a list, newest first, of games that still exist; and how many there are
 * in all, also for a page past the last one.
 */
export async function readOwnIds(
  pool: pg.Pool,
  list: OwnList,
  owner: MemberKey,
  filter: PlayerGameFilter,
  page: { readonly no: number; readonly size: number },
): Promise<{ readonly ids: number[]; readonly total: number }> {
  const { table, at } = LISTS[list];
  const { rows } = await pool.query<{ ids: number[]; total: number }>({
    name: `own_${list}`,
    text: `WITH own AS (
             SELECT o.node_id, row_number() OVER (ORDER BY o.${at} DESC, o.node_id) AS place
             FROM ${table} o
             JOIN games g ON g.merchant_id = o.merchant_id AND g.node_id = o.node_id
             WHERE o.merchant_id = $1 AND o.member_id = $2
               AND g.game_type = ANY ($3) AND ($4 = '' OR g.vendor = $4))
           SELECT count(*)::integer AS total, coalesce(array_agg(node_id ORDER BY place)
             FILTER (WHERE place > $6 AND place <= $6 + $5), '{}') AS ids
           FROM own`,
    values: [
      owner.merchantId,
      owner.memberId,
      filter.gameTypes,
      filter.vendor,
      page.size,
      (page.no - 1) * page.size,
    ],
  });
  return rows[0] ?? { ids: [], total: 0 };
}

export async function insertFavourite(
  pool: pg.Pool,
  owner: MemberKey,
  nodeId: number,
  at: Instant,
): Promise<void> {
  await pool.query(
    `INSERT INTO favourites (merchant_id, member_id, node_id, added_at)
     VALUES ($1, $2, $3, to_timestamp($4 / 1000.0)) ON CONFLICT DO NOTHING`,
    [owner.merchantId, owner.memberId, nodeId, at],
  );
}

export async function deleteFavourite(
  pool: pg.Pool,
  owner: MemberKey,
  nodeId: number,
): Promise<void> {
  await pool.query(
    "DELETE FROM favourites WHERE merchant_id = $1 AND member_id = $2 AND node_id = $3",
    [owner.merchantId, owner.memberId, nodeId],
  );
}

export async function noteRecent(
  pool: pg.Pool,
  owner: MemberKey,
  nodeId: number,
  kept: number,
  at: Instant,
): Promise<void> {
  await pool.query(
    `INSERT INTO recent_games (merchant_id, member_id, node_id, played_at)
     VALUES ($1, $2, $3, to_timestamp($4 / 1000.0))
     ON CONFLICT (merchant_id, member_id, node_id)
       DO UPDATE SET played_at = greatest(recent_games.played_at, excluded.played_at)`,
    [owner.merchantId, owner.memberId, nodeId, at],
  );
  await pool.query(
    `DELETE FROM recent_games WHERE (merchant_id, member_id, node_id) IN (
       SELECT merchant_id, member_id, node_id FROM recent_games
       WHERE merchant_id = $1 AND member_id = $2
       ORDER BY played_at DESC, node_id OFFSET $3)`,
    [owner.merchantId, owner.memberId, kept],
  );
}
