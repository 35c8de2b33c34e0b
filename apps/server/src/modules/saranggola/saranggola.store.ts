import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import type { ChainForm } from "@perya/games/saranggola";
import { present } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { changeFreeRows } from "../../platform/postgres/lanes.ts";
import { type Db, queryAsSent } from "../../platform/postgres/pool.ts";
import { type BatchStatement, wagerBook } from "../ledger/ledger.ts";
import type { EventTable, FreeBets, WagerRow } from "../rounds/rounds.ts";

/**
 * Checked: a flight takes bets while it waits. A bet that was received in time but booked when the
 * flight is in the air would ride past every early crash that did not happen. A flight does not take
 * off while a bet on it is being booked.
 */
export const insertBet: BatchStatement = {
  name: "saranggola_60_insert_bet",
  sql: `INSERT INTO saranggola_bets (lane, account_id, id, round_id, member_id, masked_account,
          currency, stake_minor, auto_cash_out, state, placed_at)
        SELECT u.lane, u.account_id, u.id, u.round_id, u.member_id, u.masked_account, u.currency,
          u.stake_minor, u.auto_cash_out, 'placed', to_timestamp(u.at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text, round_id text,
          member_id text, masked_account text, currency text, stake_minor bigint,
          auto_cash_out integer, at bigint)
        JOIN saranggola_rounds f ON f.id = u.round_id AND f.phase = 'waiting'
        FOR SHARE OF f`,
  mustAffectEach: true,
};

export interface BetRow extends WagerRow {
  readonly round_id: string;
  readonly merchant_id: string;
  readonly masked_account: string;
  readonly auto_cash_out: number | null;
  /**
   * The multiplier of the first cash-out that was written down, or its target if its keeper reached
   * that first, in hundredths; this one counts.
   */
  readonly asked_hundredths: number | null;
  readonly cashed_out_at: number | null;
  readonly payout_minor: bigint;
  readonly state: "placed" | "cashed" | "lost" | "voided";
}

const BET_COLUMNS = `b.lane, b.account_id, b.id, b.round_id, b.masked_account, b.currency,
  b.stake_minor, b.auto_cash_out, b.asked_hundredths, b.cashed_out_at, b.payout_minor, b.state,
  (SELECT a.merchant_id FROM ledger_wallets a
   WHERE a.lane = b.lane AND a.id = b.account_id) AS merchant_id`;

export const BET_TABLE = {
  name: "saranggola",
  transactionWord: "kite",
  table: "saranggola_bets",
  columns: BET_COLUMNS,
  onEvent: "b.round_id = $1",
  roundColumn: "round_id",
  endColumns: { cashed_out_at: "integer" },
} as const;

export async function betsOfRound(db: Db, roundId: string): Promise<BetRow[]> {
  const { rows } = await db.query<BetRow>(
    `SELECT ${BET_COLUMNS} FROM saranggola_bets b
     WHERE b.round_id = $1 ORDER BY b.placed_at, b.id`,
    [roundId],
  );
  return rows;
}

/**
 * Writes down that a flight has taken these bets to their targets, as if their players had asked;
 * none if it no longer flies. A bet that is being paid or cashed out just now is left to the next
 * look.
 * @param target the highest that was reached, in hundredths
 * @returns those that are neither paid nor lost nor given back
 */
export async function reachedBets(
  pool: pg.Pool,
  roundId: string,
  target: number,
): Promise<BetRow[]> {
  return changeFreeRows<BetRow>(
    pool,
    {
      table: "saranggola_bets b",
      where: `round_id = $1 AND state = 'placed' AND auto_cash_out <= $2
        AND EXISTS (SELECT 1 FROM saranggola_rounds f WHERE f.id = $1 AND f.phase = 'flying')`,
      set: "asked_hundredths = coalesce(asked_hundredths, auto_cash_out)",
      returning: BET_COLUMNS,
    },
    [roundId, target],
  );
}

/**
 * Writes down at which multiplier a bet was asked to be cashed out, unless that was done before: a
 * player who asks in two processes has one wish, the first, however long its booking takes.
 * @param wish its worth in hundredths at the moment at which it is sent to be written down;
 *   null for nothing
 * @returns the wish that counts; null if there is none, or the bet is settled
 */
export async function askOnce(
  pool: pg.Pool,
  { lane, account_id, id }: Pick<BetRow, "lane" | "account_id" | "id">,
  wish: () => number | null,
): Promise<number | null> {
  const { rows } = await queryAsSent<{ asked_hundredths: number | null }>(pool, {
    name: "saranggola_ask_once",
    text: `UPDATE saranggola_bets SET asked_hundredths = coalesce(asked_hundredths, $4)
           WHERE lane = $1 AND account_id = $2 AND id = $3 AND state = 'placed'
           RETURNING asked_hundredths`,
    values: () => [lane, account_id, id, wish()],
  });
  return rows[0]?.asked_hundredths ?? null;
}

/** Bets still riding when the string snaps. */
export function lostBets({ id, crash_at }: Pick<FlightRow, "id" | "crash_at">): FreeBets {
  return {
    vendor: HOUSE_VENDOR,
    where: `round_id = $1 AND asked_hundredths IS NULL
      AND (auto_cash_out IS NULL OR auto_cash_out > $2)`,
    values: [id, crash_at],
  };
}

export type StoredPhase = "waiting" | "flying" | "crashed" | "voided";

export interface FlightRow {
  readonly id: string;
  readonly number: bigint;
  readonly chain_id: string;
  readonly chain_index: number;
  readonly seed_hash: string;
  readonly crash_at: number;
  readonly phase: StoredPhase;
  readonly starts_at: Date;
  /** When its crash or its void was decided. */
  readonly ended_at: Date | null;
  /** False while it flies and its keeper has not announced it yet. */
  readonly told: boolean;
}

const FLIGHT_COLUMNS =
  "id, number, chain_id, chain_index, seed_hash, crash_at, phase, starts_at, ended_at, told";

export async function findFlight(db: Db, id: string): Promise<FlightRow | null> {
  const { rows } = await db.query<FlightRow>(
    `SELECT ${FLIGHT_COLUMNS} FROM saranggola_rounds WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export async function isFlight(db: Db, id: string): Promise<boolean> {
  return (await findFlight(db, id)) !== null;
}

export interface LatestFlight extends FlightRow {
  readonly bets: number;
  readonly paid: number;
}

export async function latestFlight(db: Db): Promise<LatestFlight | null> {
  const { rows } = await db.query<LatestFlight>({
    name: "saranggola_latest",
    text: `WITH f AS MATERIALIZED (
             SELECT ${FLIGHT_COLUMNS} FROM saranggola_rounds ORDER BY number DESC LIMIT 1)
           SELECT f.*, b.bets, b.paid FROM f, (
             SELECT count(*)::int AS bets,
               (count(*) FILTER (WHERE state IN ('cashed', 'voided')))::int AS paid
             FROM saranggola_bets WHERE round_id = (SELECT id FROM f)) b`,
  });
  return rows[0] ?? null;
}

export async function unfinishedFlights(db: Db): Promise<FlightRow[]> {
  const { rows } = await db.query<FlightRow>(
    `SELECT ${FLIGHT_COLUMNS} FROM saranggola_rounds WHERE phase IN ('waiting', 'flying')
     ORDER BY number`,
  );
  return rows;
}

export const OVER_FLIGHTS: EventTable = {
  table: "saranggola_rounds",
  columns: FLIGHT_COLUMNS,
  isOver: "phase IN ('crashed', 'voided')",
  eventColumn: "round_id",
};

export async function insertFlight(
  db: Db,
  flight: Omit<FlightRow, "number" | "phase" | "starts_at" | "ended_at" | "told"> & {
    readonly form: ChainForm;
  },
  startsAt: Instant,
): Promise<FlightRow> {
  const { rows } = await db.query<FlightRow>(
    `INSERT INTO saranggola_rounds (id, number, chain_id, chain_index, seed_hash, crash_at, phase,
       starts_at, form)
     SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, 'waiting',
       to_timestamp($6 / 1000.0), $7 FROM saranggola_rounds
     RETURNING ${FLIGHT_COLUMNS}`,
    [
      ...[flight.id, flight.chain_id, flight.chain_index, flight.seed_hash, flight.crash_at],
      ...[startsAt, flight.form],
    ],
  );
  return present(rows[0], "the row of an inserted flight");
}

/** As a Date can hold it: an earlier version wrote parts of a millisecond for some flights. */
const STARTS_AT = "date_trunc('milliseconds', starts_at)";

/**
 * Moves a flight on; false if it is not as the caller knows it: in the phase that it should leave,
 * with the announced take-off. A flight that was not announced never crashes: if the database lost
 * the announcement, every cash-out on it was refused.
 */
export async function setPhase(
  db: Db,
  known: Pick<FlightRow, "id" | "starts_at">,
  change: { readonly from: StoredPhase; readonly to: StoredPhase; readonly at: Instant },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE saranggola_rounds SET phase = $3,
       ended_at = CASE WHEN $3 IN ('crashed', 'voided') THEN to_timestamp($4 / 1000.0) END
     WHERE id = $1 AND phase = $2 AND ${STARTS_AT} = to_timestamp($5 / 1000.0)
       AND (told OR $3 <> 'crashed')`,
    [known.id, change.from, change.to, change.at, known.starts_at.getTime()],
  );
  return rowCount === 1;
}

/** Takes off a flight that nobody was told of yet; false if it does not wait as it is known. */
export async function setFlying(
  db: Db,
  known: Pick<FlightRow, "id" | "starts_at">,
  startsAt: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE saranggola_rounds SET phase = 'flying', told = false,
       starts_at = to_timestamp($2 / 1000.0)
     WHERE id = $1 AND phase = 'waiting' AND ${STARTS_AT} = to_timestamp($3 / 1000.0)`,
    [known.id, startsAt, known.starts_at.getTime()],
  );
  return rowCount === 1;
}

/** Its keeper announces its take-off from here on; false if it no longer flies. */
export async function setTold(db: Db, { id }: Pick<FlightRow, "id">): Promise<boolean> {
  const { rowCount } = await db.query(
    "UPDATE saranggola_rounds SET told = true WHERE id = $1 AND phase = 'flying'",
    [id],
  );
  return rowCount === 1;
}

/** Makes a flight wait anew; false if it does not wait any more, or not for the time known. */
export async function setStart(
  db: Db,
  known: Pick<FlightRow, "id" | "starts_at">,
  startsAt: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE saranggola_rounds SET starts_at = to_timestamp($2 / 1000.0)
     WHERE id = $1 AND phase = 'waiting' AND ${STARTS_AT} = to_timestamp($3 / 1000.0)`,
    [known.id, startsAt, known.starts_at.getTime()],
  );
  return rowCount === 1;
}

export async function recentCrashes(
  db: Db,
  limit: number,
): Promise<{ id: string; crash_at: number }[]> {
  const { rows } = await db.query<{ id: string; crash_at: number }>(
    `SELECT id, crash_at FROM saranggola_rounds WHERE phase = 'crashed'
     ORDER BY number DESC LIMIT $1`,
    [limit],
  );
  return rows;
}

export interface ChainRow {
  readonly id: string;
  readonly last_seed: string;
  readonly salt: string;
  readonly length: number;
  readonly next_index: number;
  readonly form: ChainForm;
  /** What was published of it; null before that. */
  readonly committed: StoredCommitment | null;
}

/** The part of a commitment that is not in its chain anyway. */
export interface StoredCommitment {
  readonly firstIndex: number;
  readonly firstHash: string;
  readonly committedAt: Instant;
  readonly publicKey: string;
  readonly signature: string;
}

interface ChainColumns extends Omit<ChainRow, "committed"> {
  readonly first_index: number | null;
  readonly first_hash: string;
  readonly committed_at: Date;
  readonly public_key: string;
  readonly signature: string;
}

const CHAIN_COLUMNS = `id, last_seed, salt, length, next_index, form, first_index, first_hash,
  committed_at, public_key, signature`;

export async function findChain(db: Db, id: string): Promise<ChainRow | null> {
  const { rows } = await db.query<ChainColumns>(
    `SELECT ${CHAIN_COLUMNS} FROM saranggola_chains WHERE id = $1`,
    [id],
  );
  return rows.map(chainRow)[0] ?? null;
}

export async function currentChain(db: Db): Promise<ChainRow | null> {
  const { rows } = await db.query<ChainColumns>(
    `SELECT ${CHAIN_COLUMNS} FROM saranggola_chains
     WHERE next_index < length ORDER BY created_at DESC LIMIT 1`,
  );
  return rows.map(chainRow)[0] ?? null;
}

/** Chains of which something was published, the latest first. */
export async function committedChains(db: Db, limit: number): Promise<ChainRow[]> {
  const { rows } = await db.query<ChainColumns>(
    `SELECT ${CHAIN_COLUMNS} FROM saranggola_chains WHERE committed_at IS NOT NULL
     ORDER BY committed_at DESC, id DESC LIMIT $1`,
    [limit],
  );
  return rows.map(chainRow);
}

export async function insertChain(
  db: Db,
  chain: Omit<ChainRow, "next_index" | "committed">,
  at: Instant,
): Promise<void> {
  await db.query(
    `INSERT INTO saranggola_chains (id, last_seed, salt, length, next_index, created_at, form)
     VALUES ($1, $2, $3, $4, 0, to_timestamp($5 / 1000.0), $6)`,
    [chain.id, chain.last_seed, chain.salt, chain.length, at, chain.form],
  );
}

/** Stores what is published of a chain, once: an existing commitment stays. */
export async function commitChain(db: Db, id: string, given: StoredCommitment): Promise<void> {
  const { firstIndex, firstHash, committedAt, publicKey, signature } = given;
  await db.query(
    `UPDATE saranggola_chains SET first_index = $2, first_hash = $3,
       committed_at = to_timestamp($4 / 1000.0), public_key = $5, signature = $6
     WHERE id = $1 AND committed_at IS NULL`,
    [id, firstIndex, firstHash, committedAt, publicKey, signature],
  );
}

function chainRow(row: ChainColumns): ChainRow {
  const { first_index, first_hash, committed_at, public_key, signature, ...chain } = row;
  if (first_index === null) return { ...chain, committed: null };
  return {
    ...chain,
    committed: {
      firstIndex: first_index,
      firstHash: first_hash,
      committedAt: committed_at.getTime(),
      publicKey: public_key,
      signature,
    },
  };
}

/** Uses a seed up; false if it was used already. Runs with the insertion of its flight. */
export async function takeSeed(db: Db, id: string, index: number): Promise<boolean> {
  const { rowCount } = await db.query(
    "UPDATE saranggola_chains SET next_index = next_index + 1 WHERE id = $1 AND next_index = $2",
    [id, index],
  );
  return rowCount === 1;
}

/**
 * Ends every chain, and voids the flight that waits: their seeds fly no more. It was never in the
 * air, whatever its take-off time was, so none of its targets was reached.
 */
export async function retireChains(db: pg.ClientBase): Promise<void> {
  await db.query("UPDATE saranggola_chains SET next_index = length WHERE next_index < length");
  await db.query(
    `UPDATE saranggola_rounds SET phase = 'voided', ended_at = now(),
       starts_at = greatest(starts_at, now())
     WHERE phase = 'waiting'`,
  );
}

export const saranggolaBook = wagerBook({
  check: "each bet on a flight stands as its entries say",
  rows: `SELECT account_id, round_id, stake_minor AS stake, payout_minor AS payout,
           CASE WHEN state = 'voided' THEN stake_minor ELSE 0 END AS returned
         FROM saranggola_bets WHERE lane = $1`,
  entries: "counter_account = 'vendor:BGS' AND key ~ ':kite-(bet|win|refund)$'",
});
