import { SPORTS_LOBBIES } from "@perya/contract/launch-terms";
import type { Market, Selection, Sport } from "@perya/games/sports";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { ADD_JOBS, type NewJob } from "../../platform/jobs.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { type Account, type BatchStatement, wagerBook } from "../ledger/ledger.ts";
import { counterAccounts, settleLostRounds } from "../vendors/vendors.ts";

type Db = pg.Pool | pg.ClientBase;

/**
 * Checked: a match that is over takes no bet. The fixtures' rows are locked until the bet is
 * committed, so that none comes in beside the end and is never settled.
 */
export const insertBet: BatchStatement = {
  name: "sports_60_insert_bet",
  sql: `INSERT INTO sports_bets (lane, account_id, id, sport, merchant_id, currency, legs,
          fixture_ids, stake_minor, potential_minor, state, placed_at)
        SELECT u.lane, u.account_id, u.id, u.sport, u.merchant_id, u.currency, u.legs,
          u.fixture_ids, u.stake_minor, u.potential_minor, 'placed', to_timestamp(u.at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text, sport text,
          merchant_id text, currency text, legs jsonb, fixture_ids text[], stake_minor bigint,
          potential_minor bigint, at bigint)
        WHERE (SELECT count(*) FROM (
            SELECT 1 FROM sports_fixtures f
            WHERE f.id = ANY(u.fixture_ids) AND f.state = 'open'
              AND f.ends_at > to_timestamp(u.at / 1000.0)
            FOR SHARE OF f) taking) = cardinality(u.fixture_ids)
        ON CONFLICT (lane, account_id, id) DO NOTHING`,
  mustAffectEach: true,
};

/** Checked: a bet that was settled or sold meanwhile must not be paid. */
export const payBet: BatchStatement = {
  name: "sports_70_pay_bet",
  sql: `UPDATE sports_bets b SET state = u.state, payout_minor = u.payout_minor
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text, state text,
          payout_minor bigint)
        WHERE b.lane = u.lane AND b.account_id = u.account_id AND b.id = u.id
          AND b.state = 'placed'`,
  mustAffectEach: true,
};

export const voidBet: BatchStatement = {
  name: "sports_80_void_bet",
  sql: `UPDATE sports_bets b SET state = 'voided'
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text)
        WHERE b.lane = u.lane AND b.account_id = u.account_id AND b.id = u.id
          AND b.state = 'placed'`,
  mustAffectEach: true,
};

export interface FixtureRow {
  readonly id: string;
  readonly sport: Sport;
  readonly home: string;
  readonly away: string;
  readonly home_chance: number;
  readonly away_chance: number;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly server_seed: string;
  readonly seed_hash: string;
  readonly state: "open" | "played" | "voided";
  readonly home_score: number | null;
  readonly away_score: number | null;
  readonly settled_at: Date | null;
}

const FIXTURE_COLUMNS = `id, sport, home, away, home_chance, away_chance, starts_at, ends_at,
  server_seed, seed_hash, state, home_score, away_score, settled_at`;

export interface NewFixture {
  readonly id: string;
  readonly sport: Sport;
  readonly home: string;
  readonly away: string;
  readonly home_chance: number;
  readonly away_chance: number;
  readonly starts_at: Instant;
  readonly ends_at: Instant;
  readonly server_seed: string;
  readonly seed_hash: string;
}

/** Which of these instants have a fixture already. */
export async function plannedStarts(
  db: Db,
  sport: Sport,
  after: Instant,
  until: Instant,
): Promise<Set<Instant>> {
  const { rows } = await db.query<{ starts_at: Date }>(
    `SELECT starts_at FROM sports_fixtures WHERE sport = $1
       AND starts_at > to_timestamp($2 / 1000.0) AND starts_at <= to_timestamp($3 / 1000.0)`,
    [sport, after, until],
  );
  return new Set(rows.map((row) => row.starts_at.getTime()));
}

/** Fixtures and the jobs that end them, together; one that another process planned is left. */
export async function insertFixtures(
  pool: pg.Pool,
  fixtures: readonly NewFixture[],
  at: Instant,
  jobOf: (fixture: { readonly id: string; readonly endsAt: Instant }) => NewJob,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string; ends_at: Date }>(
      `INSERT INTO sports_fixtures (id, sport, home, away, home_chance, away_chance, starts_at,
         ends_at, server_seed, seed_hash, state, created_at)
       SELECT u.id, u.sport, u.home, u.away, u.home_chance, u.away_chance,
         to_timestamp(u.starts_at / 1000.0), to_timestamp(u.ends_at / 1000.0), u.server_seed,
         u.seed_hash, 'open', to_timestamp($2 / 1000.0)
       FROM jsonb_to_recordset($1) AS u(id text, sport text, home text, away text,
         home_chance integer, away_chance integer, starts_at bigint, ends_at bigint,
         server_seed text, seed_hash text)
       ON CONFLICT (sport, starts_at) DO NOTHING
       RETURNING id, ends_at`,
      [JSON.stringify(fixtures), at],
    );
    const jobs = rows.map((row) => jobOf({ id: row.id, endsAt: row.ends_at.getTime() }));
    if (jobs.length > 0) await client.query(ADD_JOBS, [JSON.stringify(jobs)]);
  });
}

export async function findFixtures(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, FixtureRow>> {
  const { rows } = await db.query<FixtureRow>(
    `SELECT ${FIXTURE_COLUMNS} FROM sports_fixtures WHERE id = ANY($1)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Those that are not decided yet or were after `since`, up to those that start at `until`. */
export async function fixturesAround(
  db: Db,
  since: Instant,
  until: Instant,
): Promise<FixtureRow[]> {
  const { rows } = await db.query<FixtureRow>(
    `SELECT ${FIXTURE_COLUMNS} FROM sports_fixtures
     WHERE ends_at > to_timestamp($1 / 1000.0) AND starts_at <= to_timestamp($2 / 1000.0)
     ORDER BY starts_at, sport`,
    [since, until],
  );
  return rows;
}

/** Fixtures that ended, newest first by their start, from just before `before`. */
export async function endedFixtures(
  db: Db,
  sport: Sport,
  page: { readonly before: Instant; readonly limit: number },
): Promise<FixtureRow[]> {
  const { rows } = await db.query<FixtureRow>(
    `SELECT ${FIXTURE_COLUMNS} FROM sports_fixtures
     WHERE sport = $1 AND starts_at < to_timestamp($2 / 1000.0) AND state <> 'open'
     ORDER BY starts_at DESC LIMIT $3`,
    [sport, page.before, page.limit],
  );
  return rows;
}

/** Fixtures past this instant whose bets were not all looked at, oldest first. */
export async function unsettledFixtures(
  db: Db,
  before: Instant,
  limit: number,
): Promise<FixtureRow[]> {
  const { rows } = await db.query<FixtureRow>(
    `SELECT ${FIXTURE_COLUMNS} FROM sports_fixtures
     WHERE settled_at IS NULL AND ends_at < to_timestamp($1 / 1000.0)
     ORDER BY ends_at LIMIT $2`,
    [before, limit],
  );
  return rows;
}

/** Ends an open fixture, with its score or without; false when another process ended it. */
export async function endFixture(
  db: Db,
  id: string,
  score: { readonly home: number; readonly away: number } | null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE sports_fixtures SET state = $2, home_score = $3, away_score = $4
     WHERE id = $1 AND state = 'open'`,
    [id, score === null ? "voided" : "played", score?.home ?? null, score?.away ?? null],
  );
  return rowCount === 1;
}

export async function markSettled(db: Db, id: string, at: Instant): Promise<void> {
  await db.query(
    `UPDATE sports_fixtures SET settled_at = to_timestamp($2 / 1000.0)
     WHERE id = $1 AND settled_at IS NULL`,
    [id, at],
  );
}

/** One selection of a bet, at the odds that were taken. */
export interface Leg {
  readonly fixtureId: string;
  readonly market: Market;
  readonly selection: Selection;
  /** Thousandths. */
  readonly odds: number;
}

export interface BetRow {
  readonly lane: number;
  readonly account_id: string;
  readonly id: string;
  readonly sport: Sport;
  readonly currency: string;
  readonly legs: readonly Leg[];
  readonly stake_minor: bigint;
  readonly potential_minor: bigint;
  readonly payout_minor: bigint;
  readonly state: "placed" | "won" | "lost" | "voided" | "cashed";
  readonly placed_at: Date;
}

const BET_COLUMNS = `lane, account_id, id, sport, currency, legs, stake_minor, potential_minor,
  payout_minor, state, placed_at`;

export async function findBet(db: Db, account: Account, betId: string): Promise<BetRow | null> {
  const { rows } = await db.query<BetRow>(
    `SELECT ${BET_COLUMNS} FROM sports_bets WHERE lane = $1 AND account_id = $2 AND id = $3`,
    [account.lane, account.id, betId],
  );
  return rows[0] ?? null;
}

/** Newest first by their ids, which browsers mint by the hour; before `before`. */
export async function betsOf(
  db: Db,
  account: Account,
  page: { readonly before: string | null; readonly limit: number },
): Promise<BetRow[]> {
  const { rows } = await db.query<BetRow>(
    `SELECT ${BET_COLUMNS} FROM sports_bets
     WHERE lane = $1 AND account_id = $2 AND ($3::text IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [account.lane, account.id, page.before, page.limit],
  );
  return rows;
}

/** Bets that wait for a fixture, after the last one seen. */
export async function placedBets(
  db: Db,
  fixtureId: string,
  after: Pick<BetRow, "lane" | "account_id" | "id"> | null,
  limit: number,
): Promise<BetRow[]> {
  const { rows } = await db.query<BetRow>(
    `SELECT ${BET_COLUMNS} FROM sports_bets
     WHERE fixture_ids @> ARRAY[$1::text] AND state = 'placed'
       AND (lane, account_id, id) > ($2::smallint, $3, $4)
     ORDER BY lane, account_id, id LIMIT $5`,
    [fixtureId, after?.lane ?? -1, after?.account_id ?? "", after?.id ?? "", limit],
  );
  return rows;
}

/** Lost bets, and with them the vendor's rounds: no money moves. */
export async function loseBets(
  pool: pg.Pool,
  vendor: string,
  bets: readonly BetRow[],
  at: Instant,
): Promise<void> {
  if (bets.length === 0) return;
  const keys = JSON.stringify(bets.map(({ lane, account_id, id }) => ({ lane, account_id, id })));
  await withTransaction(pool, async (client) => {
    const { rows } = await client.query(
      `UPDATE sports_bets b SET state = 'lost'
       FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text)
       WHERE b.lane = u.lane AND b.account_id = u.account_id AND b.id = u.id
         AND b.state = 'placed'
       RETURNING b.lane, b.account_id, b.id`,
      [keys],
    );
    await settleLostRounds(client, vendor, rows, at);
  });
}

export const sportsBook = wagerBook({
  check: "each sports bet stands as its entries say",
  rows: `SELECT account_id, id AS round_id, stake_minor AS stake, payout_minor AS payout,
           CASE WHEN state = 'voided' THEN stake_minor ELSE 0 END AS returned
         FROM sports_bets WHERE lane = l.lane`,
  entries: `counter_account IN (${counterAccounts(Object.keys(SPORTS_LOBBIES))})
    AND key ~ ':sports-(bet|won|cashed|refund)$'`,
});
