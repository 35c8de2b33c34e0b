import type { GameType } from "@perya/contract/catalogue";
import type { Db } from "../../platform/postgres/pool.ts";

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

/** The filters of a list; an empty text or null does not filter. */
export interface GameFilter {
  readonly gameTypes: readonly GameType[];
  readonly vendor: string;
  readonly classify: string;
  readonly isNew: boolean | null;
  readonly maxMinBetMinor: bigint | null;
  /** Folded as searchName does, so of letters, digits and single spaces; empty for all. */
  readonly search: string;
}

/** Ids that a search answers at most; nobody pages through a thousand near misses. */
const FOUND_MAX = 600;
/** The shortest text that the index of names knows. */
const TRIGRAM = 3;
/** A word this close, as a share of the closest one, is a hit too. */
const NEARLY_AS_SURE = 0.8;
const NARROW = `g.merchant_id = $1
  AND g.game_type = ANY ($2)
  AND ($3 = '' OR g.vendor = $3)
  AND ($4 = '' OR g.classify = $4)
  AND ($5::boolean IS NULL OR g.is_new = $5)
  AND ($6::bigint IS NULL OR g.min_bet_minor <= $6)`;

function narrowing(merchantId: string, filter: GameFilter) {
  const { gameTypes, vendor, classify, isNew, maxMinBetMinor } = filter;
  return [merchantId, gameTypes, vendor, classify, isNew, maxMinBetMinor];
}

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
 * Ids of games whose name begins with the text, then of those that contain it, then of those that
 * contain each of its words exactly or nearly, which finds a misspelt name. A text of one or two
 * letters is searched for only where words begin.
 */
export async function searchNodeIds(
  db: Db,
  merchantId: string,
  filter: GameFilter,
): Promise<number[]> {
  const { search } = filter;
  const narrow = narrowing(merchantId, filter);
  if ([...search].length < TRIGRAM) {
    const { rows } = await db.query<{ node_id: number }>({
      // Without a statement name, so that the plan follows the text: in the brand's order until
      // enough are found if many have it, by the index of words if few do.
      text: `SELECT node_id FROM (
               SELECT node_id, sort, search_name FROM games g
               WHERE ${NARROW} AND words @@ $7::tsquery ORDER BY sort, node_id LIMIT ${FOUND_MAX}) g
             ORDER BY search_name LIKE $8 DESC, sort, node_id`,
      values: [...narrow, `'${search}':*`, `${search}%`],
    });
    return rows.map((row) => row.node_id);
  }
  const { rows: holding } = await db.query<{ node_id: number }>({
    name: "catalogue_search",
    text: `SELECT node_id FROM games g WHERE ${NARROW} AND search_name LIKE $7
           ORDER BY search_name LIKE $8 DESC, sort, node_id LIMIT ${FOUND_MAX}`,
    values: [...narrow, `%${search}%`, `${search}%`],
  });
  const found = new Set(holding.map((row) => row.node_id));
  for (const words of await nearSearches(db, search)) {
    const { rows: near } = await db.query<{ node_id: number }>({
      name: "catalogue_near",
      text: `SELECT node_id FROM games g WHERE ${NARROW} AND words @@ $7::tsquery
             ORDER BY sort, node_id LIMIT ${FOUND_MAX}`,
      values: [...narrow, words],
    });
    for (const { node_id } of near) found.add(node_id);
    if (found.size > 0) break;
  }
  return [...found].slice(0, FOUND_MAX);
}

/**
 * What to search for in place of a text: all of its words that some name nearly has (pg_trgm's
 * default likeness of 0.3 and more), and, if no game contains them together, only the surest.
 */
async function nearSearches(db: Db, search: string): Promise<string[]> {
  const { rows } = await db.query<{ words: string }>({
    name: "catalogue_near_words",
    text: `SELECT '(' || string_agg(quote_literal(word), '|') || ')' AS words FROM (
             SELECT *, max(surety) OVER (PARTITION BY place) AS surest FROM (
               SELECT place, w.word, similarity(w.word, asked.word) * length(asked.word) AS surety
               FROM string_to_table($1, ' ') WITH ORDINALITY AS asked(word, place)
               JOIN game_words w ON w.word % asked.word) near) near
           WHERE surety >= surest * ${NEARLY_AS_SURE}
           GROUP BY place ORDER BY max(surety) DESC, place`,
    values: [search],
  });
  const asked = rows.map(({ words }) => words);
  return asked.length > 1 ? [asked.join("&"), ...asked.slice(0, 1)] : asked;
}

const GAME_COLUMNS = `g.node_id, g.game_id, g.name, g.game_type, g.vendor, g.vendor_name,
  v.status AS vendor_status, g.classify, g.game_code, g.min_bet_minor, g.is_new, g.support_play,
  g.freeplay, g.is_game_h5, g.lotto_mode, g.rtp, g.house_game`;
const FROM_GAMES = `FROM games g JOIN vendors v ON v.merchant_id = g.merchant_id
  AND v.code = g.vendor AND v.game_type = g.game_type`;

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

export async function readGameById(
  db: Db,
  merchantId: string,
  gameId: string,
): Promise<GameRow | null> {
  const { rows } = await db.query<GameRow>({
    name: "catalogue_game_by_id",
    text: `SELECT ${GAME_COLUMNS} ${FROM_GAMES} WHERE g.merchant_id = $1 AND g.game_id = $2`,
    values: [merchantId, gameId],
  });
  return rows[0] ?? null;
}

/** Of games that share a code the first in the brand's order. */
export async function readGameByCode(
  db: Db,
  merchantId: string,
  vendor: string,
  gameCode: string,
): Promise<GameRow | null> {
  const { rows } = await db.query<GameRow>({
    name: "catalogue_game_by_code",
    text: `SELECT ${GAME_COLUMNS} ${FROM_GAMES}
           WHERE g.merchant_id = $1 AND g.vendor = $2 AND g.game_code = $3
           ORDER BY g.sort, g.node_id LIMIT 1`,
    values: [merchantId, vendor, gameCode],
  });
  return rows[0] ?? null;
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
  readonly classes: readonly string[];
}

export async function readVendors(db: Db, merchantId: string): Promise<VendorRow[]> {
  const { rows } = await db.query<VendorRow>(
    `SELECT v.code, v.game_type, v.display_name, v.status, count(g.node_id)::int AS games,
       coalesce(array_agg(DISTINCT g.classify) FILTER (WHERE g.classify <> ''), '{}') AS classes
     FROM vendors v LEFT JOIN games g ON g.merchant_id = v.merchant_id AND g.vendor = v.code
       AND g.game_type = v.game_type
     WHERE v.merchant_id = $1
     GROUP BY v.code, v.game_type, v.display_name, v.status, v.sort ORDER BY v.sort`,
    [merchantId],
  );
  return rows;
}

export async function hasVendor(
  db: Db,
  merchantId: string,
  code: string,
  gameTypes: readonly GameType[],
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "catalogue_has_vendor",
    text: `SELECT FROM vendors WHERE merchant_id = $1 AND code = $2 AND game_type = ANY ($3)
           LIMIT 1`,
    values: [merchantId, code, gameTypes],
  });
  return rowCount === 1;
}

/** The games of a vendor that share a type and a classification, counted. */
export interface VendorClassRow {
  readonly game_type: GameType;
  /** Empty for games without one, and for a type without games. */
  readonly classify: string;
  readonly games: number;
  readonly new_games: number;
  readonly hot_games: number;
}

const VENDOR_CLASSES_MAX = 500;

/** In the brand's order of types; nothing for a vendor that the brand does not have. */
export async function readVendorClasses(
  db: Db,
  merchantId: string,
  vendor: string,
): Promise<VendorClassRow[]> {
  const { rows } = await db.query<VendorClassRow>({
    name: "catalogue_vendor_classes",
    text: `SELECT v.game_type, coalesce(g.classify, '') AS classify, count(g.node_id)::int AS games,
             count(*) FILTER (WHERE g.is_new)::int AS new_games, count(g.hot_sort)::int AS hot_games
           FROM vendors v LEFT JOIN games g ON g.merchant_id = v.merchant_id
             AND g.vendor = v.code AND g.game_type = v.game_type
           WHERE v.merchant_id = $1 AND v.code = $2
           GROUP BY v.sort, v.game_type, coalesce(g.classify, '')
           ORDER BY v.sort, classify LIMIT ${VENDOR_CLASSES_MAX}`,
    values: [merchantId, vendor],
  });
  return rows;
}

export interface NewVendor {
  readonly code: string;
  readonly gameType: GameType;
  readonly displayName: string;
  readonly status: "up" | "maintenance";
}

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

const INSERT_CHUNK = 5_000;

export async function insertGames(
  db: Db,
  merchantId: string,
  games: readonly NewGame[],
): Promise<void> {
  for (let from = 0; from < games.length; from += INSERT_CHUNK) {
    const chunk = games.slice(from, from + INSERT_CHUNK);
    const rows = chunk.map((game) => ({ ...game, searchName: searchName(game.name) }));
    const words = new Set(rows.flatMap((row) => row.searchName.split(" ")));
    await db.query("INSERT INTO game_words SELECT unnest($1::text[]) ON CONFLICT DO NOTHING", [
      [...words].sort(),
    ]);
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

export interface LiveModelRow {
  readonly id: string;
  readonly name: string;
  readonly node_id: number;
  readonly active: boolean;
  readonly streaming: boolean;
}

export async function readLiveModels(
  db: Db,
  merchantId: string,
  limit: number,
): Promise<LiveModelRow[]> {
  const { rows } = await db.query<LiveModelRow>({
    name: "catalogue_live_models",
    text: `SELECT id, name, node_id, active, streaming FROM live_models
           WHERE merchant_id = $1 ORDER BY sort, id LIMIT $2`,
    values: [merchantId, limit],
  });
  return rows;
}

export async function hasLiveModel(
  db: Db,
  merchantId: string,
  id: string,
  gameTypes: readonly GameType[],
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "catalogue_has_live_model",
    text: `SELECT FROM live_models m JOIN games g USING (merchant_id, node_id)
           WHERE merchant_id = $1 AND m.id = $2 AND g.game_type = ANY ($3)`,
    values: [merchantId, id, gameTypes],
  });
  return rowCount === 1;
}

export interface NewLiveModel {
  /** Lower-case letters, digits and dashes. */
  readonly id: string;
  readonly name: string;
  readonly nodeId: number;
  readonly active: boolean;
  readonly streaming: boolean;
}

/** Adds dealers of live tables, in the order given; the tables must exist. */
export async function insertLiveModels(
  db: Db,
  merchantId: string,
  models: readonly NewLiveModel[],
): Promise<void> {
  await db.query(
    `INSERT INTO live_models (merchant_id, id, name, node_id, active, streaming, sort)
     SELECT $1, m.id, m.name, m."nodeId", m.active, m.streaming, m.sort
     FROM jsonb_to_recordset($2) AS m(id text, name text, "nodeId" integer, active boolean,
       streaming boolean, sort integer)`,
    [merchantId, JSON.stringify(models.map((model, sort) => ({ ...model, sort })))],
  );
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
