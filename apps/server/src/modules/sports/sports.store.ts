import { SPORTS_LOBBIES } from "@perya/contract/launch-terms";
import type { Market, Selection, Sport } from "@perya/games/sports";
import type { Instant } from "@perya/kernel/instant";
import type { Db } from "../../platform/postgres/pool.ts";
import { type BatchStatement, wagerBook } from "../ledger/ledger.ts";
import type { WagerRow } from "../rounds/rounds.ts";
import { counterAccounts } from "../vendors/vendors.ts";

/**
 * Checked: a match that is over takes no bet. The fixtures' rows are locked until the bet is
 * committed, so that no bet arrives during the end and is never settled.
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
        ON CONFLICT (lane, account_id, id) DO NOTHING
        RETURNING 1`,
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

/** Takes fixtures as `PlannedEvents.add` passes them. */
export const INSERT_FIXTURES = `
  INSERT INTO sports_fixtures (id, sport, home, away, home_chance, away_chance, starts_at,
    ends_at, server_seed, seed_hash, state, created_at)
  SELECT u.id, u.sport, u.home, u.away, u.home_chance, u.away_chance,
    to_timestamp(u.starts_at / 1000.0), to_timestamp(u.ends_at / 1000.0), u.server_seed,
    u.seed_hash, 'open', to_timestamp($2 / 1000.0)
  FROM jsonb_to_recordset($1) AS u(id text, sport text, home text, away text,
    home_chance integer, away_chance integer, starts_at bigint, ends_at bigint,
    server_seed text, seed_hash text)
  ON CONFLICT (sport, starts_at) DO NOTHING
  RETURNING id, ends_at AS due`;

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

/** Ends an open fixture with its score, or as void; one that has ended stays as it is. */
export async function endFixture(
  db: Db,
  id: string,
  score: { readonly home: number; readonly away: number } | null,
): Promise<void> {
  await db.query(
    `UPDATE sports_fixtures SET state = $2, home_score = $3, away_score = $4
     WHERE id = $1 AND state = 'open'`,
    [id, score === null ? "voided" : "played", score?.home ?? null, score?.away ?? null],
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

export interface BetRow extends WagerRow {
  readonly sport: Sport;
  readonly legs: readonly Leg[];
  readonly potential_minor: bigint;
  readonly payout_minor: bigint;
  readonly state: "placed" | "won" | "lost" | "voided" | "cashed";
  readonly placed_at: Date;
}

export const BET_TABLE = {
  name: "sports",
  table: "sports_bets",
  columns: `b.lane, b.account_id, b.id, b.sport, b.currency, b.legs, b.stake_minor,
    b.potential_minor, b.payout_minor, b.state, b.placed_at`,
  onEvent: "b.fixture_ids @> ARRAY[$1::text]",
} as const;

export const sportsBook = wagerBook({
  check: "each sports bet stands as its entries say",
  rows: `SELECT account_id, id AS round_id, stake_minor AS stake, payout_minor AS payout,
           CASE WHEN state = 'voided' THEN stake_minor ELSE 0 END AS returned
         FROM sports_bets WHERE lane = $1`,
  entries: `counter_account IN (${counterAccounts(Object.keys(SPORTS_LOBBIES))})
    AND key ~ ':sports-(bet|won|cashed|refund)$'`,
});
