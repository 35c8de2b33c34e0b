import { LOTTERY_VENDORS } from "@perya/contract/launch-terms";
import type { LotteryLine } from "@perya/games/lottery";
import type { Instant } from "@perya/kernel/instant";
import type { Db } from "../../platform/postgres/pool.ts";
import { type BatchStatement, wagerBook } from "../ledger/ledger.ts";
import type { WagerRow } from "../rounds/rounds.ts";
import { counterAccounts } from "../vendors/vendors.ts";

/**
 * Checked: a draw that is over takes no ticket. The draw's row is locked until the ticket is
 * committed, so that no ticket arrives during the draw and is never settled.
 */
export const insertTicket: BatchStatement = {
  name: "lottery_60_insert_ticket",
  sql: `INSERT INTO lottery_tickets (lane, account_id, id, draw_id, game_id, merchant_id,
          masked_account, currency, lines, line_stake_minor, stake_minor, state, placed_at)
        SELECT u.lane, u.account_id, u.id, u.draw_id, d.game_id, u.merchant_id, u.masked_account,
          u.currency, u.lines, u.line_stake_minor, u.stake_minor, 'placed',
          to_timestamp(u.at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text, draw_id text,
          merchant_id text, masked_account text, currency text, lines jsonb,
          line_stake_minor bigint, stake_minor bigint, at bigint)
        JOIN lottery_draws d ON d.id = u.draw_id AND d.state = 'open'
          AND d.draws_at > to_timestamp(u.at / 1000.0)
        FOR SHARE OF d
        ON CONFLICT (lane, account_id, id) DO NOTHING
        RETURNING 1`,
  mustAffectEach: true,
};

export interface DrawRow {
  readonly id: string;
  readonly game_id: string;
  readonly number: string;
  readonly draws_at: Date;
  readonly server_seed: string;
  readonly seed_hash: string;
  readonly state: "open" | "drawn" | "voided";
  readonly numbers: number[] | null;
  readonly settled_at: Date | null;
}

const DRAW_COLUMNS =
  "id, game_id, number, draws_at, server_seed, seed_hash, state, numbers, settled_at";

export interface NewDraw {
  readonly id: string;
  readonly game_id: string;
  readonly number: string;
  readonly draws_at: Instant;
  readonly server_seed: string;
  readonly seed_hash: string;
}

/** Takes draws as `PlannedEvents.add` passes them. */
export const INSERT_DRAWS = `
  INSERT INTO lottery_draws (id, game_id, number, draws_at, server_seed, seed_hash, state,
    created_at)
  SELECT u.id, u.game_id, u.number, to_timestamp(u.draws_at / 1000.0), u.server_seed,
    u.seed_hash, 'open', to_timestamp($2 / 1000.0)
  FROM jsonb_to_recordset($1) AS u(id text, game_id text, number text, draws_at bigint,
    server_seed text, seed_hash text)
  ON CONFLICT (game_id, draws_at) DO NOTHING
  RETURNING id, draws_at AS due`;

export async function findDraw(db: Db, id: string): Promise<DrawRow | null> {
  const { rows } = await db.query<DrawRow>(
    `SELECT ${DRAW_COLUMNS} FROM lottery_draws WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export async function nextDraw(db: Db, gameId: string, at: Instant): Promise<DrawRow | null> {
  const { rows } = await db.query<DrawRow>(
    `SELECT ${DRAW_COLUMNS} FROM lottery_draws
     WHERE game_id = $1 AND draws_at > to_timestamp($2 / 1000.0) AND state = 'open'
     ORDER BY draws_at LIMIT 1`,
    [gameId, at],
  );
  return rows[0] ?? null;
}

/** Draws whose time has come, newest first, from just before `before`. */
export async function pastDraws(
  db: Db,
  gameId: string,
  page: { readonly before: Instant; readonly limit: number },
): Promise<DrawRow[]> {
  const { rows } = await db.query<DrawRow>(
    `SELECT ${DRAW_COLUMNS} FROM lottery_draws
     WHERE game_id = $1 AND draws_at < to_timestamp($2 / 1000.0) AND state <> 'open'
     ORDER BY draws_at DESC LIMIT $3`,
    [gameId, page.before, page.limit],
  );
  return rows;
}

/** Ends an open draw with its numbers, or as void; one that has ended stays as it is. */
export async function endDraw(
  db: Db,
  id: string,
  numbers: readonly number[] | null,
): Promise<void> {
  const state = numbers === null ? "voided" : "drawn";
  await db.query(
    "UPDATE lottery_draws SET state = $2, numbers = $3 WHERE id = $1 AND state = 'open'",
    [id, state, numbers],
  );
}

export interface TicketRow extends WagerRow {
  readonly draw_id: string;
  readonly game_id: string;
  readonly lines: readonly LotteryLine[];
  readonly line_stake_minor: bigint;
  readonly payout_minor: bigint;
  readonly state: "placed" | "won" | "lost" | "voided";
  readonly placed_at: Date;
  readonly number: string;
  readonly draws_at: Date;
  readonly numbers: number[] | null;
}

export const BET_TABLE = {
  name: "lottery",
  table: "lottery_tickets",
  columns: `b.lane, b.account_id, b.id, b.draw_id, b.game_id, b.currency, b.lines,
    b.line_stake_minor, b.stake_minor, b.payout_minor, b.state, b.placed_at, d.number, d.draws_at,
    d.numbers`,
  join: "JOIN lottery_draws d ON d.id = b.draw_id",
  onEvent: "b.draw_id = $1",
} as const;

/** The latest tickets that are counted; more would cost more and tell nothing new. */
const PICKS_COUNTED = 5_000;

export async function pickedNumbers(
  db: Db,
  merchantId: string,
  gameId: string,
  since: Instant,
  limit: number,
): Promise<{ number: number; picked: number }[]> {
  const { rows } = await db.query<{ number: number; picked: number }>(
    `SELECT n::int AS number, count(*)::int AS picked
     FROM (SELECT lines FROM lottery_tickets
           WHERE merchant_id = $1 AND game_id = $2 AND currency <> 'FUN'
             AND placed_at > to_timestamp($3 / 1000.0)
           ORDER BY placed_at DESC LIMIT ${PICKS_COUNTED}) t,
       jsonb_array_elements(t.lines) line, jsonb_array_elements_text(line -> 'numbers') n
     GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $4`,
    [merchantId, gameId, since, limit],
  );
  return rows;
}

/** Those of the games with tickets for money since then, counted in the index alone. */
export async function pickedGames(
  db: Db,
  merchantId: string,
  gameIds: readonly string[],
  since: Instant,
): Promise<{ game_id: string; tickets: number }[]> {
  const { rows } = await db.query<{ game_id: string; tickets: number }>(
    `SELECT game_id, count(*)::int AS tickets FROM lottery_tickets
     WHERE merchant_id = $1 AND game_id = ANY ($2) AND currency <> 'FUN'
       AND placed_at > to_timestamp($3 / 1000.0)
     GROUP BY game_id`,
    [merchantId, gameIds, since],
  );
  return rows;
}

export interface Prize {
  readonly masked_account: string;
  readonly game_id: string;
  readonly currency: string;
  readonly payout_minor: bigint;
  readonly draws_at: Date;
}

/** The largest prizes in real money since then, the larger first. */
export async function largestPrizes(
  db: Db,
  merchantId: string,
  since: Instant,
  limit: number,
): Promise<Prize[]> {
  const { rows } = await db.query<Prize>(
    `SELECT t.masked_account, t.game_id, t.currency, t.payout_minor, d.draws_at
     FROM lottery_tickets t JOIN lottery_draws d ON d.id = t.draw_id
     WHERE t.merchant_id = $1 AND t.state = 'won' AND t.currency <> 'FUN'
       AND t.placed_at > to_timestamp($2 / 1000.0)
     ORDER BY t.payout_minor DESC, d.draws_at DESC LIMIT $3`,
    [merchantId, since, limit],
  );
  return rows;
}

export const lotteryBook = wagerBook({
  check: "each lottery ticket stands as its entries say",
  rows: `SELECT account_id, id AS round_id, stake_minor AS stake, payout_minor AS payout,
           CASE WHEN state = 'voided' THEN stake_minor ELSE 0 END AS returned
         FROM lottery_tickets WHERE lane = $1`,
  entries: `counter_account IN (${counterAccounts(LOTTERY_VENDORS)})
    AND key ~ ':lottery-(bet|win|refund)$'`,
});
