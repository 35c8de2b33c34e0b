import type pg from "pg";
import type { Account, BatchStatement } from "../ledger/ledger.ts";

/**
 * What a round `r` has paid that no operator decides. A win that was taken back with its bet is no
 * longer part of the round.
 */
export const PAID_UNHELD = `(r.payout_minor - coalesce((SELECT sum(h.amount_minor) FROM held_wins h
  WHERE h.lane = r.lane AND h.account_id = r.account_id AND h.vendor = r.vendor
    AND h.round_id = r.round_id AND h.state <> 'refused' AND r.won_by_bet ? h.bet_id), 0))`;

/**
 * Runs with the credit of a vendor's win that is not held. Checked: the vendor's day has so much
 * left. It answers one row per win, since those of one day share theirs, and it runs last of the
 * vendors' statements, because every writer of a vendor waits for that row.
 */
export const payOfDay: BatchStatement = {
  name: "vendors_90_pay_of_day",
  sql: `WITH u AS (
          SELECT * FROM jsonb_to_recordset($1) AS w(merchant_id text, vendor text, currency text,
            day date, paid_minor bigint, most_minor bigint)
        ), paid AS (
          INSERT INTO vendor_days AS d (merchant_id, vendor, currency, day, paid_minor, most_minor)
          SELECT merchant_id, vendor, currency, day, sum(paid_minor), min(most_minor)
          FROM u GROUP BY 1, 2, 3, 4 HAVING sum(paid_minor) <= min(most_minor)
          ORDER BY 1, 2, 3, 4
          ON CONFLICT (merchant_id, vendor, currency, day)
          DO UPDATE SET paid_minor = d.paid_minor + excluded.paid_minor,
            most_minor = excluded.most_minor
          WHERE d.paid_minor + excluded.paid_minor <= excluded.most_minor
          RETURNING merchant_id, vendor, currency, day
        )
        SELECT 1 FROM u JOIN paid USING (merchant_id, vendor, currency, day)`,
  mustAffectEach: true,
};

export interface WinState {
  /** The round has ended and pays nothing more. */
  readonly over: boolean;
  readonly stake_minor: bigint;
  /** What the round, and the vendor's day, have paid without an operator. */
  readonly paid_minor: bigint;
  readonly day_minor: bigint;
}

/** Null if there is no such round. */
export async function totalsOfWin(
  pool: pg.Pool,
  { lane, id, currency }: Account,
  of: {
    readonly merchantId: string;
    readonly vendor: string;
    readonly roundId: string;
    readonly day: string;
  },
): Promise<WinState | null> {
  const { rows } = await pool.query<WinState>({
    name: "vendors_standing_of_win",
    text: `SELECT r.state = 'settled' AS over, r.stake_minor, ${PAID_UNHELD}::bigint AS paid_minor,
             coalesce((SELECT d.paid_minor FROM vendor_days d WHERE d.merchant_id = $5
               AND d.vendor = $3 AND d.currency = $6 AND d.day = $7), 0) AS day_minor
           FROM vendor_rounds r
           WHERE r.lane = $1 AND r.account_id = $2 AND r.vendor = $3 AND r.round_id = $4`,
    values: [lane, id, of.vendor, of.roundId, of.merchantId, currency, of.day],
  });
  return rows[0] ?? null;
}
