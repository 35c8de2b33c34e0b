import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../platform/postgres/pool.ts";

export interface TableRow {
  readonly vendor: string;
  readonly play: string;
  readonly game_id: string;
  /** The game was launched as its vendor's page, which offers all of the vendor's games. */
  readonly lobby: boolean;
  readonly currency: string;
  readonly language: string;
}

export type RoundState = "betting" | "paying" | "cancelling" | "done" | "refused" | "voided";

export interface RoundRow {
  readonly vendor: string;
  readonly play: string;
  readonly id: string;
  readonly game_id: string;
  readonly currency: string;
  readonly stake_minor: bigint;
  readonly slot: number;
  readonly payout_minor: bigint;
  readonly state: RoundState;
  readonly refusal: string | null;
}

export interface SimulatedGame {
  readonly game_id: string;
  readonly name: string;
  readonly vendor_name: string;
  readonly min_bet_minor: bigint;
  readonly is_game_h5: string | null;
}

const ROUND = `vendor, play, id, game_id, currency, stake_minor, slot, payout_minor, state, refusal`;
/** Nobody scrolls a lobby to its end. */
const GAMES_MAX = 60;

/** The vendor's own list: its part of the brand's catalogue. */
export async function readVendorGames(
  pool: pg.Pool,
  merchantId: string,
  vendor: string,
): Promise<SimulatedGame[]> {
  const { rows } = await pool.query<SimulatedGame>(
    `SELECT game_id, name, vendor_name, min_bet_minor, is_game_h5 FROM catalogue_games
     WHERE merchant_id = $1 AND vendor = $2 ORDER BY sort, node_id LIMIT ${GAMES_MAX}`,
    [merchantId, vendor],
  );
  return rows;
}

export async function insertTable(
  pool: pg.Pool,
  keyHash: Buffer,
  table: TableRow,
  at: Instant,
): Promise<void> {
  await pool.query(
    `INSERT INTO simulator_tables (key_hash, vendor, play, game_id, lobby, currency, language,
       created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0))`,
    [
      keyHash,
      table.vendor,
      table.play,
      table.game_id,
      table.lobby,
      table.currency,
      table.language,
      at,
    ],
  );
}

export async function findTable(pool: pg.Pool, keyHash: Buffer): Promise<TableRow | null> {
  const { rows } = await pool.query<TableRow>(
    `SELECT vendor, play, game_id, lobby, currency, language FROM simulator_tables
     WHERE key_hash = $1`,
    [keyHash],
  );
  return rows[0] ?? null;
}

/** False if the id names a round already. */
export async function insertRound(db: Db, round: RoundRow, at: Instant): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO simulator_rounds (${ROUND}, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0))
     ON CONFLICT (vendor, play, id) DO NOTHING`,
    [
      round.vendor,
      round.play,
      round.id,
      round.game_id,
      round.currency,
      round.stake_minor,
      round.slot,
      round.payout_minor,
      round.state,
      round.refusal,
      at,
    ],
  );
  return rowCount === 1;
}

export async function findRound(
  pool: pg.Pool,
  key: Pick<RoundRow, "vendor" | "play" | "id">,
): Promise<RoundRow | null> {
  const { rows } = await pool.query<RoundRow>(
    `SELECT ${ROUND} FROM simulator_rounds WHERE vendor = $1 AND play = $2 AND id = $3`,
    [key.vendor, key.play, key.id],
  );
  return rows[0] ?? null;
}

/** False if the round is not in the state that it should leave. */
export async function moveRound(
  pool: pg.Pool,
  key: Pick<RoundRow, "vendor" | "play" | "id">,
  from: RoundState,
  to: RoundState,
  why: string | null = null,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE simulator_rounds SET state = $5, refusal = $6
     WHERE vendor = $1 AND play = $2 AND id = $3 AND state = $4`,
    [key.vendor, key.play, key.id, from, to, why],
  );
  return rowCount === 1;
}

export async function latestRounds(
  pool: pg.Pool,
  { vendor, play }: Pick<RoundRow, "vendor" | "play">,
  limit: number,
): Promise<RoundRow[]> {
  const { rows } = await pool.query<RoundRow>(
    `SELECT ${ROUND} FROM simulator_rounds WHERE vendor = $1 AND play = $2
     ORDER BY created_at DESC, id DESC LIMIT $3`,
    [vendor, play, limit],
  );
  return rows;
}
