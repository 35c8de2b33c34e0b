import { type CockfightSide, NO_CONTEST_UP_TO } from "@perya/games/cockfight";
import { present } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import type { Db } from "../../platform/postgres/pool.ts";
import { type Account, type BatchStatement, wagerBook } from "../ledger/ledger.ts";
import type { EventTable, WagerRow } from "../rounds/rounds.ts";

/**
 * Checked: a match whose bets are closed takes none, nor one beyond `bets_max` of a player, counted
 * under the lock of the wallet's row, so that bets of the same moment count each other. The match's
 * row is locked until the bet is committed, so that the pools at the close are the ones that are
 * paid from.
 */
export const insertBet: BatchStatement = {
  name: "cockfight_60_insert_bet",
  sql: `INSERT INTO cockfight_bets (lane, account_id, id, match_id, merchant_id, member_id,
          currency, side, stake_minor, state, placed_at)
        SELECT u.lane, u.account_id, u.id, u.match_id, u.merchant_id, u.member_id, u.currency,
          u.side, u.stake_minor, 'placed', to_timestamp(u.at / 1000.0)
        FROM (SELECT *, row_number() OVER (PARTITION BY lane, account_id, match_id) AS place
              FROM jsonb_to_recordset($1) AS r(lane smallint, account_id text, id text,
                match_id text, merchant_id text, member_id text, currency text, side text,
                stake_minor bigint, bets_max integer, at bigint)) u
        JOIN cockfight_matches m ON m.id = u.match_id AND m.phase = 'betting'
          AND m.closes_at > to_timestamp(u.at / 1000.0)
        LEFT JOIN (SELECT lane, account_id, match_id, count(*) AS bets FROM cockfight_bets
                   WHERE (lane, account_id, match_id) IN (
                     SELECT lane, account_id, match_id FROM jsonb_to_recordset($1)
                       AS r(lane smallint, account_id text, match_id text))
                   GROUP BY lane, account_id, match_id) b
          ON b.lane = u.lane AND b.account_id = u.account_id AND b.match_id = u.match_id
        WHERE u.place + coalesce(b.bets, 0) <= u.bets_max
        FOR SHARE OF m
        ON CONFLICT (lane, account_id, id) DO NOTHING`,
  mustAffectEach: true,
};

export type StoredPhase = "betting" | "closed" | "fighting" | "settled" | "cancelled";

export interface MatchRow {
  readonly id: string;
  readonly number: bigint;
  readonly server_seed: string;
  readonly seed_hash: string;
  readonly phase: StoredPhase;
  readonly closes_at: Date;
  readonly fights_at: Date | null;
  readonly result: CockfightSide | null;
  readonly settled_at: Date | null;
  /** The highest pay of a peso, in centavos, at which its pools are no contest. */
  readonly no_contest_up_to: number;
}

const MATCH_COLUMNS = `id, number, server_seed, seed_hash, phase, closes_at, fights_at, result,
  settled_at, no_contest_up_to`;

export async function findMatch(db: Db, id: string): Promise<MatchRow | null> {
  const { rows } = await db.query<MatchRow>(
    `SELECT ${MATCH_COLUMNS} FROM cockfight_matches WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export async function currentMatch(db: Db): Promise<MatchRow | null> {
  const { rows } = await db.query<MatchRow>(
    `SELECT ${MATCH_COLUMNS} FROM cockfight_matches WHERE settled_at IS NULL`,
  );
  return rows[0] ?? null;
}

export async function latestMatch(db: Db): Promise<(MatchRow & { bets: number }) | null> {
  const { rows } = await db.query<MatchRow & { bets: number }>({
    name: "cockfight_latest",
    text: `WITH m AS MATERIALIZED (
             SELECT ${MATCH_COLUMNS} FROM cockfight_matches ORDER BY number DESC LIMIT 1)
           SELECT m.*, b.bets FROM m, (
             SELECT count(*)::int AS bets FROM cockfight_bets
             WHERE match_id = (SELECT id FROM m)) b`,
  });
  return rows[0] ?? null;
}

/** @throws if another match is not settled yet */
export async function insertMatch(
  db: Db,
  match: Pick<MatchRow, "id" | "server_seed" | "seed_hash">,
  { closesAt, now }: { readonly closesAt: Instant; readonly now: Instant },
): Promise<MatchRow> {
  const { rows } = await db.query<MatchRow>(
    `INSERT INTO cockfight_matches (id, number, server_seed, seed_hash, phase, closes_at,
       created_at, no_contest_up_to)
     SELECT $1, coalesce(max(number), 0) + 1, $2, $3, 'betting', to_timestamp($4 / 1000.0),
       to_timestamp($5 / 1000.0), $6 FROM cockfight_matches
     RETURNING ${MATCH_COLUMNS}`,
    [match.id, match.server_seed, match.seed_hash, closesAt, now, NO_CONTEST_UP_TO],
  );
  return present(rows[0], "the row of an inserted match");
}

/**
 * Cancels the match whose bets are open. In a history that the database has left, its fight may
 * have been shown, and by a clock that is behind bets would be taken on it.
 */
export async function cancelOpenMatch(db: Db): Promise<void> {
  await db.query("UPDATE cockfight_matches SET phase = 'cancelled' WHERE phase = 'betting'");
}

/** Moves a match on; null if it was not in the phase that it should leave. */
export async function setPhase(
  db: Db,
  id: string,
  change: {
    readonly from: StoredPhase;
    readonly to: StoredPhase;
    readonly at: Instant;
    readonly result: CockfightSide | null;
  },
): Promise<MatchRow | null> {
  const { rows } = await db.query<MatchRow>(
    `UPDATE cockfight_matches SET phase = $3, result = $5,
       fights_at = CASE WHEN $3 = 'fighting' THEN to_timestamp($4 / 1000.0) ELSE fights_at END
     WHERE id = $1 AND phase = $2 RETURNING ${MATCH_COLUMNS}`,
    [id, change.from, change.to, change.at, change.result],
  );
  return rows[0] ?? null;
}

export async function markSettled(db: Db, id: string, at: Instant): Promise<MatchRow | null> {
  const { rows } = await db.query<MatchRow>(
    `UPDATE cockfight_matches SET settled_at = to_timestamp($2 / 1000.0)
     WHERE id = $1 AND settled_at IS NULL RETURNING ${MATCH_COLUMNS}`,
    [id, at],
  );
  return rows[0] ?? null;
}

export const OVER_MATCHES: EventTable = {
  table: "cockfight_matches",
  columns: MATCH_COLUMNS,
  isOver: "settled_at IS NOT NULL",
  eventColumn: "match_id",
};

export async function latestResults(
  db: Db,
  limit: number,
): Promise<{ id: string; number: bigint; result: CockfightSide }[]> {
  const { rows } = await db.query<{ id: string; number: bigint; result: CockfightSide }>(
    `SELECT id, number, result FROM cockfight_matches
     WHERE phase = 'settled' AND settled_at IS NOT NULL ORDER BY number DESC LIMIT $1`,
    [limit],
  );
  return rows;
}

export interface PoolRow {
  readonly merchant_id: string;
  readonly currency: string;
  readonly side: CockfightSide;
  readonly stake_minor: bigint;
}

/** The stakes on a match, by brand, currency and side; final once bets are closed. */
export async function poolsOf(db: Db, matchId: string): Promise<PoolRow[]> {
  const { rows } = await db.query<PoolRow>(
    `SELECT merchant_id, currency, side, sum(stake_minor)::bigint AS stake_minor
     FROM cockfight_bets WHERE match_id = $1
     GROUP BY merchant_id, currency, side ORDER BY merchant_id, currency, side`,
    [matchId],
  );
  return rows;
}

export interface BetRow extends WagerRow {
  readonly match_id: string;
  readonly merchant_id: string;
  readonly side: CockfightSide;
  readonly payout_minor: bigint;
  readonly state: "placed" | "won" | "lost" | "returned";
  readonly number: bigint;
}

export const BET_TABLE = {
  name: "cockfight",
  table: "cockfight_bets",
  columns: `b.lane, b.account_id, b.id, b.match_id, b.merchant_id, b.currency, b.side,
    b.stake_minor, b.payout_minor, b.state, m.number`,
  join: "JOIN cockfight_matches m ON m.id = b.match_id",
  onEvent: "b.match_id = $1",
} as const;

export async function countBets(db: Db, account: Account, matchId: string): Promise<number> {
  const { rows } = await db.query<{ bets: number }>(
    `SELECT count(*)::int AS bets FROM cockfight_bets
     WHERE match_id = $3 AND lane = $1 AND account_id = $2`,
    [account.lane, account.id, matchId],
  );
  return rows[0]?.bets ?? 0;
}

export const cockfightBook = wagerBook({
  check: "each cockfight bet stands as its entries say",
  // The payout of a returned bet is its stake, and a refund in the ledger.
  rows: `SELECT account_id, id AS round_id, stake_minor AS stake,
           CASE WHEN state = 'returned' THEN 0 ELSE payout_minor END AS payout,
           CASE WHEN state = 'returned' THEN payout_minor ELSE 0 END AS returned
         FROM cockfight_bets WHERE lane = $1`,
  entries: "counter_account = 'vendor:BGS' AND key ~ ':cockfight-(bet|win|refund)$'",
});
