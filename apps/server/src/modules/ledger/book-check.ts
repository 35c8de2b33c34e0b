/** Rows that a check lists at most; a single one is already an alarm. */
export const LISTED_MAX = 20;

/**
 * A module's guarantee that its own rows and the ledger's entries agree: a query that answers a row
 * (`subject`, `found`) only where they differ.
 */
export interface BookCheck {
  readonly check: string;
  readonly sql: string;
  /** It is asked of each lane, which is `$1` in `sql`. */
  readonly byLane?: boolean;
}

/** Of one lane, `$1` in `sql`: books are compared lane by lane, however long they are. */
export function checkByLane(check: string, sql: string): BookCheck {
  return { check, sql, byLane: true };
}

/** What a wager's rows and its entries must agree on. */
export interface WagerBook {
  readonly check: string;
  /** The wagers of the lane `$1`: account_id, round_id, stake, payout and returned, in minor units. */
  readonly rows: string;
  /** A condition for their entries in that lane. */
  readonly entries: string;
}

/** Each wager has its bet, its wins and its refund in the ledger, and each of those its wager. */
export function wagerBook({ check, rows, entries }: WagerBook): BookCheck {
  return checkByLane(
    check,
    `SELECT coalesce(b.account_id, e.account_id) || ' ' || coalesce(b.round_id, e.round_id, '')
              AS subject,
            'book ' || coalesce(concat_ws('/', b.stake, b.payout, b.returned), '') ||
              ', entries ' || coalesce(concat_ws('/', e.stake, e.payout, e.returned), '') AS found
     FROM (${rows}) b FULL JOIN (
       SELECT account_id, ref AS round_id,
         coalesce(-sum(amount) FILTER (WHERE kind = 'bet'), 0)::bigint AS stake,
         coalesce(sum(amount) FILTER (WHERE kind = 'win'), 0)::bigint AS payout,
         coalesce(sum(amount) FILTER (WHERE kind = 'refund'), 0)::bigint AS returned
       FROM ledger_entries
       WHERE lane = $1 AND kind IN ('bet', 'win', 'refund') AND ${entries}
       GROUP BY account_id, ref) e
       ON e.account_id = b.account_id AND e.round_id = b.round_id
     WHERE b.account_id IS NULL OR e.account_id IS NULL
       OR b.stake IS DISTINCT FROM e.stake OR b.payout <> e.payout OR b.returned <> e.returned`,
  );
}
