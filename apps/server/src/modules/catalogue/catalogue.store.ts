import type { GameType } from "@perya/contract/catalogue";
import type pg from "pg";

type Db = pg.Pool | pg.ClientBase;

export interface GameRow {
  readonly node_id: number;
  readonly game_id: string;
  readonly name: string;
  readonly game_type: GameType;
  readonly vendor: string;
  readonly vendor_name: string;
  readonly vendor_status: "up" | "maintenance";
  readonly classify: string;
  readonly game_code: string;
  readonly min_bet_minor: bigint;
  readonly is_new: boolean;
  readonly support_play: boolean;
  readonly freeplay: boolean;
  readonly is_game_h5: string | null;
  readonly lotto_mode: string | null;
  readonly rtp: string | null;
  readonly house_game: string | null;
}

/** What narrows a list; an empty text or null does not. */
export interface GameFilter {
  readonly gameType: GameType | null;
  readonly vendor: string;
  readonly classify: string;
  readonly isNew: boolean | null;
  readonly maxMinBetMinor: bigint | null;
  /** A brand that has the category off shows none of its games. */
  readonly withCockfight: boolean;
  /** Folded as searchName does; empty for all. */
  readonly search: string;
}

/** Ids a search answers at most; nobody pages through a thousand near misses. */
const FOUND_MAX = 600;
const NARROW = `g.merchant_id = $1
  AND ($2::text IS NULL OR g.game_type = $2)
  AND ($3 = '' OR g.vendor = $3)
  AND ($4 = '' OR g.classify = $4)
  AND ($5::boolean IS NULL OR g.is_new = $5)
  AND ($6::bigint IS NULL OR g.min_bet_minor <= $6)
  AND ($7 OR g.game_type <> 'COCKFIGHT')`;

function narrowing(merchantId: string, filter: GameFilter) {
  const { gameType, vendor, classify, isNew, maxMinBetMinor, withCockfight } = filter;
  return [merchantId, gameType, vendor, classify, isNew, maxMinBetMinor, withCockfight];
}

/** Ids of all games that fit, in the brand's order. */
export async function listNodeIds(
  db: Db,
  merchantId: string,
  filter: GameFilter,
): Promise<number[]> {
  const { rows } = await db.query<{ ids: number[] | null }>({
    name: "catalogue_ids",
    text: `SELECT array_agg(node_id ORDER BY sort, node_id) AS ids FROM games g WHERE ${NARROW}`,
    values: narrowing(merchantId, filter),
  });
  return rows[0]?.ids ?? [];
}

/**
 * Ids of games whose name holds the text or comes near it: names that begin with it first, then
 * names that hold it, then the most similar words (pg_trgm), so a misspelt name still finds.
 */
export async function searchNodeIds(
  db: Db,
  merchantId: string,
  filter: GameFilter,
): Promise<number[]> {
  const { rows } = await db.query<{ node_id: number }>({
    name: "catalogue_search",
    // Two scans in place of an OR: likeness is dear, and an OR would compute it once more a row.
    text: `SELECT g.node_id FROM (
             SELECT node_id, search_name, sort FROM games g
             WHERE ${NARROW} AND g.search_name LIKE $9
             UNION
             SELECT node_id, search_name, sort FROM games g
             WHERE ${NARROW} AND $8 <% g.search_name) g
           ORDER BY g.search_name LIKE $10 DESC, g.search_name LIKE $9 DESC,
             word_similarity($8, g.search_name) DESC, g.sort, g.node_id
           LIMIT ${FOUND_MAX}`,
    values: [
      ...narrowing(merchantId, filter),
      filter.search,
      `%${likeText(filter.search)}%`,
      `${likeText(filter.search)}%`,
    ],
  });
  return rows.map((row) => row.node_id);
}

function likeText(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

const GAME_COLUMNS = `g.node_id, g.game_id, g.name, g.game_type, g.vendor, g.vendor_name,
  v.status AS vendor_status, g.classify, g.game_code, g.min_bet_minor, g.is_new, g.support_play,
  g.freeplay, g.is_game_h5, g.lotto_mode, g.rtp, g.house_game`;
const FROM_GAMES = `FROM games g JOIN vendors v ON v.merchant_id = g.merchant_id
  AND v.code = g.vendor AND v.game_type = g.game_type`;

/** The games of the ids, in the order of the ids. */
export async function readGames(
  db: Db,
  merchantId: string,
  nodeIds: readonly number[],
): Promise<GameRow[]> {
  const { rows } = await db.query<GameRow>({
    name: "catalogue_games",
    text: `SELECT ${GAME_COLUMNS} ${FROM_GAMES}
           JOIN unnest($2::integer[]) WITH ORDINALITY AS wanted(node_id, place)
             ON wanted.node_id = g.node_id
           WHERE g.merchant_id = $1 ORDER BY wanted.place`,
    values: [merchantId, nodeIds],
  });
  return rows;
}

export async function findNodeId(
  db: Db,
  merchantId: string,
  gameId: string,
): Promise<number | null> {
  const { rows } = await db.query<{ node_id: number }>(
    "SELECT node_id FROM games WHERE merchant_id = $1 AND game_id = $2",
    [merchantId, gameId],
  );
  return rows[0]?.node_id ?? null;
}

export async function readHotGames(db: Db, merchantId: string, limit: number): Promise<GameRow[]> {
  const { rows } = await db.query<GameRow>({
    name: "catalogue_hot",
    text: `SELECT ${GAME_COLUMNS} ${FROM_GAMES}
           WHERE g.merchant_id = $1 AND g.hot_sort IS NOT NULL ORDER BY g.hot_sort LIMIT $2`,
    values: [merchantId, limit],
  });
  return rows;
}

export interface VendorRow {
  readonly code: string;
  readonly game_type: GameType;
  readonly display_name: string;
  readonly status: "up" | "maintenance";
  readonly games: number;
}

export async function readVendors(db: Db, merchantId: string): Promise<VendorRow[]> {
  const { rows } = await db.query<VendorRow>(
    `SELECT v.code, v.game_type, v.display_name, v.status, count(g.node_id)::int AS games
     FROM vendors v LEFT JOIN games g ON g.merchant_id = v.merchant_id AND g.vendor = v.code
       AND g.game_type = v.game_type
     WHERE v.merchant_id = $1
     GROUP BY v.code, v.game_type, v.display_name, v.status, v.sort ORDER BY v.sort`,
    [merchantId],
  );
  return rows;
}

export interface NewVendor {
  readonly code: string;
  readonly gameType: GameType;
  readonly displayName: string;
  readonly status: "up" | "maintenance";
}

/** Adds vendors in the order given. */
export async function insertVendors(
  db: Db,
  merchantId: string,
  vendors: readonly NewVendor[],
): Promise<void> {
  await db.query(
    `INSERT INTO vendors (merchant_id, code, game_type, display_name, status, sort)
     SELECT $1, v.code, v."gameType", v."displayName", v.status, v.sort
     FROM jsonb_to_recordset($2) AS v(code text, "gameType" text, "displayName" text, status text,
       sort integer)`,
    [merchantId, JSON.stringify(vendors.map((vendor, sort) => ({ ...vendor, sort })))],
  );
}

export interface NewGame {
  readonly nodeId: number;
  readonly gameId: string;
  readonly name: string;
  readonly gameType: GameType;
  readonly vendor: string;
  readonly vendorName: string;
  readonly classify: string;
  readonly gameCode: string;
  readonly minBetMinor: number;
  readonly isNew: boolean;
  readonly supportPlay: boolean;
  readonly freeplay: boolean;
  readonly isGameH5: string | null;
  readonly lottoMode: string | null;
  readonly rtp: string | null;
  readonly houseGame: string | null;
  readonly sort: number;
  readonly hotSort: number | null;
}

/** Rows a statement takes at most. */
const INSERT_CHUNK = 5_000;

export async function insertGames(
  db: Db,
  merchantId: string,
  games: readonly NewGame[],
): Promise<void> {
  for (let from = 0; from < games.length; from += INSERT_CHUNK) {
    const chunk = games.slice(from, from + INSERT_CHUNK);
    const rows = chunk.map((game) => ({ ...game, searchName: searchName(game.name) }));
    await db.query(
      `INSERT INTO games (merchant_id, node_id, game_id, name, search_name, game_type, vendor,
         vendor_name, classify, game_code, min_bet_minor, is_new, support_play, freeplay,
         is_game_h5, lotto_mode, rtp, house_game, sort, hot_sort)
       SELECT $1, "nodeId", "gameId", name, "searchName", "gameType", vendor, "vendorName",
         classify, "gameCode", "minBetMinor", "isNew", "supportPlay", freeplay, "isGameH5",
         "lottoMode", rtp, "houseGame", sort, "hotSort"
       FROM jsonb_to_recordset($2) AS g("nodeId" integer, "gameId" text, name text,
         "searchName" text, "gameType" text, vendor text, "vendorName" text, classify text,
         "gameCode" text, "minBetMinor" bigint, "isNew" boolean, "supportPlay" boolean,
         freeplay boolean, "isGameH5" text, "lottoMode" text, rtp text, "houseGame" text,
         sort integer, "hotSort" integer)`,
      [merchantId, JSON.stringify(rows)],
    );
  }
}

/** How names and searches are compared: lower case, without accents, single spaces. */
export function searchName(name: string): string {
  return name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
