import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { sweep } from "../../platform/postgres/sweep.ts";
import type { VendorRule } from "../brand/brand.ts";
import type { Account, BatchStatement, Effect } from "../ledger/ledger.ts";

/** Netted per batch: one row per lane, game and day, in one order, since others write them too. */
const addToGameDays: BatchStatement = {
  name: "vendors_40_count_games",
  sql: `INSERT INTO game_days AS g (merchant_id, day, vendor, game_id, currency, lane, bets,
          staked_minor, paid_minor)
        SELECT r.merchant_id, (to_timestamp(u.at / 1000.0) AT TIME ZONE 'UTC')::date, r.vendor,
          r.game_id, r.currency, u.lane, sum(u.bets), sum(u.staked), sum(u.paid)
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, vendor text,
          round_id text, bets integer, staked bigint, paid bigint, at bigint)
        JOIN vendor_rounds r ON r.lane = u.lane AND r.account_id = u.account_id
          AND r.vendor = u.vendor AND r.round_id = u.round_id
        WHERE r.currency <> 'FUN'
        GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
        ON CONFLICT (merchant_id, day, vendor, game_id, currency, lane)
        DO UPDATE SET bets = g.bets + excluded.bets,
          staked_minor = g.staked_minor + excluded.staked_minor,
          paid_minor = g.paid_minor + excluded.paid_minor`,
  mustAffectEach: false,
};

/** Counts what a movement stakes and pays in its round's game; either may be given back. */
export function countGame(
  round: { readonly account: Account; readonly vendor: string; readonly roundId: string },
  change: { readonly bets?: number; readonly staked?: bigint; readonly paid?: bigint },
  at: number,
): Effect {
  const { account, vendor, roundId } = round;
  const { bets = 0, staked = 0n, paid = 0n } = change;
  return {
    statement: addToGameDays,
    row: {
      ...{ lane: account.lane, account_id: account.id, vendor, round_id: roundId, at },
      ...{ bets, staked: `${staked}`, paid: `${paid}` },
    },
  };
}

export interface GameReturn {
  readonly vendor: string;
  readonly game_id: string;
  readonly currency: string;
  readonly bets: bigint;
  readonly basis_points: bigint;
}

export type ReturnBound = VendorRule["returnAlarm"];

/**
 * A brand's games that had enough bets since that day (UTC) and gave back more than their vendor's
 * bound, by how much. Games with fewer bets are left out.
 * @param own the bounds of vendors that have others than `every`
 */
export async function gamesBeyond(
  pool: pg.Pool,
  merchantId: string,
  since: string,
  {
    every,
    own,
  }: { readonly every: ReturnBound; readonly own: Readonly<Record<string, ReturnBound>> },
): Promise<GameReturn[]> {
  const bounds = Object.entries(own).map(([vendor, bound]) => ({ vendor, ...bound }));
  const { rows } = await pool.query<GameReturn>(
    `SELECT g.vendor, g.game_id, g.currency, sum(g.bets)::bigint AS bets,
       (sum(g.paid_minor) * 10000 / sum(g.staked_minor))::bigint AS basis_points
     FROM game_days g LEFT JOIN jsonb_to_recordset($3) AS own(vendor text, "minBets" bigint,
       "aboveBasisPoints" bigint) ON own.vendor = g.vendor
     WHERE g.merchant_id = $1 AND g.day >= $2
     GROUP BY g.vendor, g.game_id, g.currency, own."minBets", own."aboveBasisPoints"
     HAVING sum(g.staked_minor) > 0 AND sum(g.bets) >= coalesce(own."minBets", $4)
       AND sum(g.paid_minor) * 10000
         > sum(g.staked_minor) * coalesce(own."aboveBasisPoints", $5)
     ORDER BY basis_points DESC LIMIT 100`,
    [merchantId, since, JSON.stringify(bounds), every.minBets, every.aboveBasisPoints],
  );
  return rows;
}

/** @param upTo an instant within the last day (UTC) that is deleted */
export function sweepDays(pool: pg.Pool, upTo: Instant): Promise<void> {
  return eachByItself({
    games: () => sweepGameDays(pool, upTo),
    vendors: () => sweep(pool, { table: "vendor_days", by: "day" }, upTo),
  });
}

/** Day by day: a table that is spread by lane has no places that a sweep could delete by. */
async function sweepGameDays(pool: pg.Pool, upTo: Instant): Promise<void> {
  const last = new Date(upTo).toISOString();
  for (;;) {
    const { rows } = await pool.query<{ day: string | null }>(
      "SELECT min(day)::text AS day FROM game_days WHERE day <= $1",
      [last],
    );
    const day = rows[0]?.day ?? null;
    if (day === null) return;
    await pool.query("DELETE FROM game_days WHERE day = $1", [day]);
  }
}
