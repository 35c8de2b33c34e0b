import { HOUSE_VENDOR, LOTTERY_VENDORS, SPORTS_LOBBIES } from "@perya/contract/launch-terms";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { FAR_FUTURE } from "../../platform/http/cursor.ts";
import { pageOfWalk, WALKED_MAX } from "../../platform/postgres/walk.ts";
import {
  type Account,
  type BatchStatement,
  type BookCheck,
  checkByLane,
} from "../ledger/ledger.ts";
import { heldWinBook } from "./held-wins.store.ts";
import { PAID_UNHELD } from "./win-bounds.store.ts";

/** Names are numbered because a batch runs its statements in the order of their names. */
export const openRound: BatchStatement = {
  name: "vendors_10_open_round",
  // A second bet of the same round raises its stake; a bet that lost at once arrives settled.
  // Checked: a settled round takes no bet, nor one of another game. It answers what it wrote, since
  // a cluster counts what a SELECT offers to an INSERT.
  sql: `INSERT INTO vendor_rounds AS r (lane, account_id, vendor, round_id, merchant_id, game_id,
          currency, stake_minor, payout_minor, state, opened_at, settled_at)
        SELECT lane, account_id, vendor, round_id, min(merchant_id), min(game_id), min(currency),
          sum(stake_minor), sum(payout_minor), max(state), to_timestamp(min(at) / 1000.0),
          CASE WHEN max(state) = 'settled' THEN to_timestamp(min(at) / 1000.0) END
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, vendor text,
          round_id text, merchant_id text, game_id text, currency text, stake_minor bigint,
          payout_minor bigint, state text, at bigint)
        GROUP BY lane, account_id, vendor, round_id
        ON CONFLICT (lane, account_id, vendor, round_id)
        DO UPDATE SET stake_minor = r.stake_minor + excluded.stake_minor,
          payout_minor = r.payout_minor + excluded.payout_minor,
          state = CASE WHEN excluded.state = 'settled' OR r.state = 'voided'
            THEN excluded.state ELSE r.state END,
          settled_at = CASE WHEN excluded.state = 'settled' OR r.state = 'voided'
            THEN excluded.settled_at ELSE r.settled_at END
        WHERE r.state <> 'settled' AND r.game_id = excluded.game_id
        RETURNING 1`,
  mustAffectEach: true,
};

/**
 * Checked: a settled round has had its last win, and a win that is not held leaves what the round
 * paid without an operator within its bounds. Several rows of one round in a batch miss and are
 * tried one by one.
 */
export const addWin: BatchStatement = {
  name: "vendors_20_add_win",
  sql: `UPDATE vendor_rounds r SET payout_minor = r.payout_minor + u.payout_minor,
          won_by_bet = jsonb_set(r.won_by_bet, ARRAY[u.bet_id],
            (coalesce((r.won_by_bet ->> u.bet_id)::bigint, 0) + u.payout_minor)::text::jsonb),
          state = CASE WHEN u.closes THEN 'settled' ELSE r.state END,
          settled_at = CASE WHEN u.closes THEN to_timestamp(u.at / 1000.0) ELSE r.settled_at END
        FROM (SELECT lane, account_id, vendor, round_id, sum(payout_minor)::bigint AS payout_minor,
                min(bet_id) AS bet_id, bool_or(closes) AS closes, max(at) AS at,
                min(most_minor) AS most_minor, min(most_stakes) AS most_stakes
              FROM jsonb_to_recordset($1) AS w(lane smallint, account_id text, vendor text,
                round_id text, bet_id text, payout_minor bigint, closes boolean, at bigint,
                most_minor bigint, most_stakes integer)
              GROUP BY lane, account_id, vendor, round_id) u
        WHERE r.lane = u.lane AND r.account_id = u.account_id AND r.vendor = u.vendor
          AND r.round_id = u.round_id AND r.state <> 'settled'
          AND (u.most_minor IS NULL OR ${PAID_UNHELD} + u.payout_minor
            <= least(u.most_minor, r.stake_minor::numeric * u.most_stakes))`,
  mustAffectEach: true,
};

export const voidStake: BatchStatement = {
  name: "vendors_30_void_stake",
  // A round whose whole stake came back is voided; one with other bets stays as it is. Checked:
  // what the bet has won is exactly what the caller takes back of it, or nothing; none of it waits
  // for an operator; and the remaining stake is enough for all that the round still pays, including
  // what is or was held, since an operator decides by the remaining stake.
  sql: `UPDATE vendor_rounds r SET stake_minor = r.stake_minor - u.stake_minor,
          payout_minor = r.payout_minor - u.payout_minor, won_by_bet = r.won_by_bet - u.bet_id,
          state = CASE WHEN r.stake_minor = u.stake_minor THEN 'voided' ELSE r.state END,
          settled_at = CASE WHEN r.stake_minor = u.stake_minor
            THEN to_timestamp(u.at / 1000.0) ELSE r.settled_at END
        FROM (SELECT lane, account_id, vendor, round_id, sum(stake_minor)::bigint AS stake_minor,
                min(bet_id) AS bet_id, sum(payout_minor)::bigint AS payout_minor, max(at) AS at,
                min(most_stakes) AS most_stakes
              FROM jsonb_to_recordset($1) AS w(lane smallint, account_id text, vendor text,
                round_id text, bet_id text, stake_minor bigint, payout_minor bigint, at bigint,
                most_stakes integer)
              GROUP BY lane, account_id, vendor, round_id) u
        WHERE r.lane = u.lane AND r.account_id = u.account_id AND r.vendor = u.vendor
          AND r.round_id = u.round_id
          AND coalesce((r.won_by_bet ->> u.bet_id)::bigint, 0) = u.payout_minor
          AND (u.most_stakes IS NULL OR r.payout_minor - u.payout_minor
            <= (r.stake_minor - u.stake_minor)::numeric * u.most_stakes)
          AND NOT EXISTS (SELECT 1 FROM held_wins h WHERE h.lane = r.lane
            AND h.account_id = r.account_id AND h.vendor = r.vendor AND h.round_id = r.round_id
            AND h.bet_id = u.bet_id AND h.state IN ('held', 'marked'))`,
  mustAffectEach: true,
};

/**
 * The game of a round, what one of its bets has won, and whether some of that waits for an
 * operator; null for an unknown round.
 */
export async function findRound(
  pool: pg.Pool,
  { lane, id }: Account,
  vendor: string,
  roundId: string,
  betId = "",
): Promise<RoundState | null> {
  const { rows } = await pool.query<RoundState>(
    `SELECT game_id, coalesce((won_by_bet ->> $5)::bigint, 0) AS won_minor,
       EXISTS (SELECT 1 FROM held_wins h WHERE h.lane = $1 AND h.account_id = $2 AND h.vendor = $3
         AND h.round_id = $4 AND h.bet_id = $5 AND h.state IN ('held', 'marked')) AS waits
     FROM vendor_rounds
     WHERE lane = $1 AND account_id = $2 AND vendor = $3 AND round_id = $4`,
    [lane, id, vendor, roundId, betId],
  );
  return rows[0] ?? null;
}

export interface RoundState {
  readonly game_id: string;
  readonly won_minor: bigint;
  readonly waits: boolean;
}

interface RoundRecord {
  readonly vendor: string;
  readonly round_id: string;
  readonly game_id: string;
  readonly game_name: string | null;
  readonly state: "open" | "settled" | "voided";
  readonly stake_minor: bigint;
  readonly payout_minor: bigint;
  readonly opened_at: Date;
}

export interface RecordPosition {
  readonly at: Instant;
  readonly roundId: string;
}

/** Rounds newest first, and the position of the next page; null if there is none. */
export interface Records {
  readonly rounds: readonly RoundRecord[];
  readonly nextBefore: RecordPosition | null;
}

/**
 * The latest rounds before `before`, of one game or of all, at most `limit`. No index is by game,
 * since every round of every game would pay for it: a page walks through `WALKED_MAX` rounds, and
 * if the game is rare among them, it answers what it found, or nothing, and where to go on.
 */
export async function readRecords(
  pool: pg.Pool,
  account: Account,
  { before, limit }: { readonly before: RecordPosition | null; readonly limit: number },
  gameId: string | null,
): Promise<Records> {
  const { rows } = await pool.query<RoundRecord & { readonly walked: bigint }>({
    name: "vendors_records",
    // Ends at the first page that is full: the last row of all that it walks tells where it stopped.
    text: `SELECT r.vendor, r.round_id, r.game_id, g.name AS game_name, r.state, r.stake_minor,
                  r.payout_minor, r.opened_at, r.walked
           FROM (SELECT * FROM (
                   SELECT *, row_number() OVER (ORDER BY opened_at DESC, round_id DESC) AS walked
                   FROM vendor_rounds
                   WHERE lane = $1 AND account_id = $2
                     AND (opened_at, round_id) < (to_timestamp($3 / 1000.0), $4)
                   ORDER BY opened_at DESC, round_id DESC LIMIT ${WALKED_MAX}) w
                 WHERE $5::text IS NULL OR game_id = $5 OR walked = ${WALKED_MAX}
                 ORDER BY opened_at DESC, round_id DESC LIMIT $6) r
           LEFT JOIN catalogue_games g ON g.merchant_id = r.merchant_id AND g.game_id = r.game_id
           ORDER BY r.opened_at DESC, r.round_id DESC`,
    values: [
      account.lane,
      account.id,
      before?.at ?? FAR_FUTURE,
      before?.roundId ?? "",
      gameId,
      limit + 1,
    ],
  });
  const isListed = ({ game_id }: RoundRecord) => gameId === null || game_id === gameId;
  const { shown, goesOnAfter: after } = pageOfWalk(rows, isListed, limit);
  const nextBefore =
    after === null ? null : { at: after.opened_at.getTime(), roundId: after.round_id };
  return { rounds: shown, nextBefore };
}

export interface Win {
  readonly username: string;
  readonly game_name: string;
  readonly node_id: number;
  readonly payout_minor: bigint;
  readonly currency: string;
  readonly settled_at: Date;
}

/**
 * The latest wins of at least five times the stake, in real money, without held wins, of the game
 * types that the brand has on.
 */
export async function readWins(
  pool: pg.Pool,
  merchantId: string,
  limit: number,
  typesOff: readonly string[],
): Promise<Win[]> {
  const { rows } = await pool.query<Win>({
    name: "vendors_wins",
    text: `SELECT m.username, g.name AS game_name, g.node_id, r.payout_minor, r.currency,
                  r.settled_at
           FROM vendor_rounds r
           JOIN ledger_wallets a ON a.lane = r.lane AND a.id = r.account_id
           JOIN identity_members m ON m.id = a.owner_id
           JOIN catalogue_games g ON g.merchant_id = r.merchant_id AND g.game_id = r.game_id
           WHERE r.merchant_id = $1 AND r.currency <> 'FUN' AND r.state = 'settled'
             AND g.game_type <> ALL($3) AND r.payout_minor >= 5 * r.stake_minor
             AND NOT EXISTS (SELECT 1 FROM held_wins h WHERE h.lane = r.lane
               AND h.account_id = r.account_id AND h.vendor = r.vendor
               AND h.round_id = r.round_id AND h.state IN ('held', 'marked'))
           ORDER BY r.settled_at DESC LIMIT $2`,
    values: [merchantId, limit, typesOff],
  });
  return rows;
}

/**
 * Settles the rounds of lost bets in our own lobbies, whose ids are their rounds': no money moves.
 * In the transaction that marks the bets.
 */
export async function settleLostRounds(
  client: pg.ClientBase,
  vendor: string,
  bets: readonly { readonly lane: number; readonly account_id: string; readonly id: string }[],
  at: Instant,
): Promise<void> {
  await client.query(
    `UPDATE vendor_rounds r SET state = 'settled', settled_at = to_timestamp($3 / 1000.0)
     FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text)
     WHERE r.lane = u.lane AND r.account_id = u.account_id AND r.vendor = $2
       AND r.round_id = u.id AND r.state = 'open'`,
    [JSON.stringify(bets), vendor, at],
  );
}

/** How long a vendor's transaction id belongs to its first player; then any player may use it. */
export const TRANSACTION_KEPT_DAYS = 90;

/** Vendors that are rooms of this server, whose bets have ids that browsers mint. */
const OWN_VENDORS: readonly string[] = [
  HOUSE_VENDOR,
  ...LOTTERY_VENDORS,
  ...Object.keys(SPORTS_LOBBIES),
];

/** Whether the vendor is a room of this server, whose payouts are limited when bets are taken. */
export function isOwnVendor(vendor: string): boolean {
  return OWN_VENDORS.includes(vendor);
}

/** The counter accounts of vendors whose codes are in our code, as a list in SQL. */
export function counterAccounts(vendors: readonly string[]): string {
  return vendors.map((vendor) => `'vendor:${vendor}'`).join(", ");
}

export const vendorBooks: readonly BookCheck[] = [
  heldWinBook,
  checkByLane(
    "each round stands as its entries say",
    // A stake that was given back is no longer part of the round.
    `SELECT concat_ws(' ', coalesce(r.account_id, e.account_id), coalesce(r.counter_account,
              e.counter_account), coalesce(r.round_id, e.round_id)) AS subject,
            'round ' || concat_ws('/', r.stake, r.payout) ||
              ', entries ' || concat_ws('/', e.stake, e.payout) AS found
     FROM (SELECT account_id, 'vendor:' || vendor AS counter_account, round_id,
             stake_minor AS stake, payout_minor AS payout
           FROM vendor_rounds WHERE lane = $1) r
     FULL JOIN (
       SELECT account_id, counter_account, ref AS round_id,
         coalesce(-sum(amount) FILTER (WHERE kind IN ('bet', 'refund')), 0)::bigint AS stake,
         coalesce(sum(amount) FILTER (WHERE kind IN ('win', 'win-reversal')), 0)::bigint AS payout
       FROM ledger_booked
       WHERE lane = $1 AND kind IN ('bet', 'win', 'win-reversal', 'refund')
         AND counter_account LIKE 'vendor:%'
       GROUP BY account_id, counter_account, ref) e
       ON e.account_id = r.account_id AND e.counter_account = r.counter_account
         AND e.round_id = r.round_id
     WHERE r.account_id IS NULL OR e.account_id IS NULL
       OR r.stake <> e.stake OR r.payout <> e.payout`,
  ),
  {
    check: "a vendor's transaction stands under one account",
    // An id is free once its owner is forgotten: a vendor whose counter begins anew harms nobody.
    sql: `SELECT key AS subject, count(*)::text AS found FROM (
            SELECT key, account_id, at, lag(account_id) OVER ids AS owner, lag(at) OVER ids AS owned_at
            FROM ledger_booked
            WHERE counter_account LIKE 'vendor:%'
              AND counter_account NOT IN (${counterAccounts(OWN_VENDORS)})
            WINDOW ids AS (PARTITION BY key ORDER BY at)) booked
          WHERE owner <> account_id AND at < owned_at + interval '${TRANSACTION_KEPT_DAYS} days'
          GROUP BY key`,
  },
];
