import { LOTTERY_VENDORS } from "@perya/contract/launch-terms";
import type { LotteryLine } from "@perya/games/lottery";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { ADD_JOBS, type NewJob } from "../../platform/jobs.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { type Account, type BatchStatement, wagerBook } from "../ledger/ledger.ts";
import { counterAccounts, settleLostRounds } from "../vendors/vendors.ts";

type Db = pg.Pool | pg.ClientBase;

/**
 * Checked: a draw that is over takes no ticket. The draw's row is locked until the ticket is
 * committed, so that none comes in beside the draw and is never settled.
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
        ON CONFLICT (lane, account_id, id) DO NOTHING`,
  mustAffectEach: true,
};

/** Checked: a ticket that was settled meanwhile must not be paid. */
export const payTicket: BatchStatement = {
  name: "lottery_70_pay_ticket",
  sql: `UPDATE lottery_tickets t SET state = 'won', payout_minor = u.payout_minor
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text,
          payout_minor bigint)
        WHERE t.lane = u.lane AND t.account_id = u.account_id AND t.id = u.id
          AND t.state = 'placed'`,
  mustAffectEach: true,
};

export const voidTicket: BatchStatement = {
  name: "lottery_80_void_ticket",
  sql: `UPDATE lottery_tickets t SET state = 'voided'
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text)
        WHERE t.lane = u.lane AND t.account_id = u.account_id AND t.id = u.id
          AND t.state = 'placed'`,
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

/** Which of these instants have a draw already. */
export async function plannedTimes(
  db: Db,
  gameId: string,
  after: Instant,
  until: Instant,
): Promise<Set<Instant>> {
  const { rows } = await db.query<{ draws_at: Date }>(
    `SELECT draws_at FROM lottery_draws WHERE game_id = $1
       AND draws_at > to_timestamp($2 / 1000.0) AND draws_at <= to_timestamp($3 / 1000.0)`,
    [gameId, after, until],
  );
  return new Set(rows.map((row) => row.draws_at.getTime()));
}

/** Draws and the jobs that hold them, together; one that another process planned is left. */
export async function insertDraws(
  pool: pg.Pool,
  draws: readonly NewDraw[],
  at: Instant,
  jobOf: (draw: { readonly id: string; readonly drawsAt: Instant }) => NewJob,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string; draws_at: Date }>(
      `INSERT INTO lottery_draws (id, game_id, number, draws_at, server_seed, seed_hash, state,
         created_at)
       SELECT u.id, u.game_id, u.number, to_timestamp(u.draws_at / 1000.0), u.server_seed,
         u.seed_hash, 'open', to_timestamp($2 / 1000.0)
       FROM jsonb_to_recordset($1) AS u(id text, game_id text, number text, draws_at bigint,
         server_seed text, seed_hash text)
       ON CONFLICT (game_id, draws_at) DO NOTHING
       RETURNING id, draws_at`,
      [JSON.stringify(draws), at],
    );
    const jobs = rows.map((row) => jobOf({ id: row.id, drawsAt: row.draws_at.getTime() }));
    if (jobs.length > 0) await client.query(ADD_JOBS, [JSON.stringify(jobs)]);
  });
}

export async function findDraw(db: Db, id: string): Promise<DrawRow | null> {
  const { rows } = await db.query<DrawRow>(
    `SELECT ${DRAW_COLUMNS} FROM lottery_draws WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** The next draw of a game that takes tickets at this instant. */
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

/** Draws past this instant whose tickets were not all settled, oldest first. */
export async function unsettledDraws(db: Db, before: Instant, limit: number): Promise<DrawRow[]> {
  const { rows } = await db.query<DrawRow>(
    `SELECT ${DRAW_COLUMNS} FROM lottery_draws
     WHERE settled_at IS NULL AND draws_at < to_timestamp($1 / 1000.0)
     ORDER BY draws_at LIMIT $2`,
    [before, limit],
  );
  return rows;
}

/** Ends an open draw, with its numbers or without; false when another process ended it. */
export async function endDraw(
  db: Db,
  id: string,
  state: "drawn" | "voided",
  numbers: readonly number[] | null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    "UPDATE lottery_draws SET state = $2, numbers = $3 WHERE id = $1 AND state = 'open'",
    [id, state, numbers],
  );
  return rowCount === 1;
}

export async function markSettled(db: Db, id: string, at: Instant): Promise<void> {
  await db.query(
    `UPDATE lottery_draws SET settled_at = to_timestamp($2 / 1000.0)
     WHERE id = $1 AND settled_at IS NULL`,
    [id, at],
  );
}

export interface TicketRow {
  readonly lane: number;
  readonly account_id: string;
  readonly id: string;
  readonly draw_id: string;
  readonly game_id: string;
  readonly currency: string;
  readonly lines: readonly LotteryLine[];
  readonly line_stake_minor: bigint;
  readonly stake_minor: bigint;
  readonly payout_minor: bigint;
  readonly state: "placed" | "won" | "lost" | "voided";
  readonly placed_at: Date;
}

const TICKET_COLUMNS = `t.lane, t.account_id, t.id, t.draw_id, t.game_id, t.currency, t.lines,
  t.line_stake_minor, t.stake_minor, t.payout_minor, t.state, t.placed_at`;

export interface TicketOfDraw extends TicketRow {
  readonly number: string;
  readonly draws_at: Date;
  readonly numbers: number[] | null;
}

export async function findTicket(
  db: Db,
  account: Account,
  ticketId: string,
): Promise<TicketOfDraw | null> {
  const { rows } = await db.query<TicketOfDraw>(
    `SELECT ${TICKET_COLUMNS}, d.number, d.draws_at, d.numbers
     FROM lottery_tickets t JOIN lottery_draws d ON d.id = t.draw_id
     WHERE t.lane = $1 AND t.account_id = $2 AND t.id = $3`,
    [account.lane, account.id, ticketId],
  );
  return rows[0] ?? null;
}

/** Newest first by their ids, which browsers mint by the hour; before `before`. */
export async function ticketsOf(
  db: Db,
  account: Account,
  page: { readonly before: string | null; readonly limit: number },
): Promise<TicketOfDraw[]> {
  const { rows } = await db.query<TicketOfDraw>(
    `SELECT ${TICKET_COLUMNS}, d.number, d.draws_at, d.numbers
     FROM lottery_tickets t JOIN lottery_draws d ON d.id = t.draw_id
     WHERE t.lane = $1 AND t.account_id = $2 AND ($3::text IS NULL OR t.id < $3)
     ORDER BY t.id DESC LIMIT $4`,
    [account.lane, account.id, page.before, page.limit],
  );
  return rows;
}

/** Tickets of a draw that still wait, after the last one seen. */
export async function placedTickets(
  db: Db,
  drawId: string,
  after: Pick<TicketRow, "lane" | "account_id" | "id"> | null,
  limit: number,
): Promise<TicketRow[]> {
  const { rows } = await db.query<TicketRow>(
    `SELECT ${TICKET_COLUMNS} FROM lottery_tickets t
     WHERE t.draw_id = $1 AND t.state = 'placed'
       AND (t.lane, t.account_id, t.id) > ($2::smallint, $3, $4)
     ORDER BY t.lane, t.account_id, t.id LIMIT $5`,
    [drawId, after?.lane ?? -1, after?.account_id ?? "", after?.id ?? "", limit],
  );
  return rows;
}

/** Lost tickets, and with them the vendor's rounds: no money moves. */
export async function loseTickets(
  pool: pg.Pool,
  vendor: string,
  tickets: readonly TicketRow[],
  at: Instant,
): Promise<void> {
  if (tickets.length === 0) return;
  const keys = JSON.stringify(
    tickets.map(({ lane, account_id, id }) => ({ lane, account_id, id })),
  );
  await withTransaction(pool, async (client) => {
    const { rows } = await client.query(
      `UPDATE lottery_tickets t SET state = 'lost'
       FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text)
       WHERE t.lane = u.lane AND t.account_id = u.account_id AND t.id = u.id
         AND t.state = 'placed'
       RETURNING t.lane, t.account_id, t.id`,
      [keys],
    );
    await settleLostRounds(client, vendor, rows, at);
  });
}

/** The latest tickets that are counted; more would tell no more and cost the more. */
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

/** Those of the games with tickets for money since then, counted in the index alone, one by one. */
export async function pickedGames(
  db: Db,
  merchantId: string,
  gameIds: readonly string[],
  since: Instant,
): Promise<{ game_id: string; tickets: number }[]> {
  const { rows } = await db.query<{ game_id: string; tickets: number }>(
    `SELECT g.id AS game_id, t.tickets FROM unnest($2::text[]) g(id),
       LATERAL (SELECT count(*)::int AS tickets FROM lottery_tickets
                WHERE merchant_id = $1 AND game_id = g.id COLLATE "C" AND currency <> 'FUN'
                  AND placed_at > to_timestamp($3 / 1000.0)) t
     WHERE t.tickets > 0`,
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
         FROM lottery_tickets WHERE lane = l.lane`,
  entries: `counter_account IN (${counterAccounts(LOTTERY_VENDORS)})
    AND key ~ ':lottery-(bet|win|refund)$'`,
});
