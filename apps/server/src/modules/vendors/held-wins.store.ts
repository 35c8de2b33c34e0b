import type { HoldReason } from "@perya/contract/operator-wins";
import type { TimeAndId } from "../../platform/http/cursor.ts";
import type { Db } from "../../platform/postgres/pool.ts";
import { type BatchStatement, type BookCheck, checkByLane } from "../ledger/ledger.ts";

/** Runs with the credit and the hold of the win; the round's stake is stored with it. */
export const insertHeldWin: BatchStatement = {
  name: "vendors_50_insert_held_win",
  sql: `INSERT INTO held_wins (id, merchant_id, member_id, lane, account_id, vendor,
          transaction_id, bet_id, round_id, game_id, currency, stake_minor, amount_minor, reasons,
          state, held_at)
        SELECT u.id, r.merchant_id, u.member_id, u.lane, u.account_id, u.vendor, u.transaction_id,
          u.bet_id, u.round_id, r.game_id, r.currency, r.stake_minor, u.amount_minor,
          array(SELECT jsonb_array_elements_text(u.reasons)), 'held', to_timestamp(u.at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(id text, member_id text, lane smallint, account_id text,
          vendor text, transaction_id text, bet_id text, round_id text, amount_minor bigint,
          reasons jsonb, at bigint)
        JOIN vendor_rounds r ON r.lane = u.lane AND r.account_id = u.account_id
          AND r.vendor = u.vendor AND r.round_id = u.round_id`,
  mustAffectEach: true,
};

/**
 * Checked: a win that was decided or marked meanwhile is not decided again. If one operator alone
 * lets it go, a mark that no longer counts is cleared; the mark may be the decider's own.
 */
export const decideHeldWin: BatchStatement = {
  name: "vendors_60_decide_held_win",
  sql: `UPDATE held_wins h SET state = u.state, decided_by = u.decided_by, reason = u.reason,
          marked_by = CASE WHEN u.alone THEN NULL ELSE h.marked_by END,
          decided_at = to_timestamp(u.at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(id text, state text, from_state text, from_marker text,
          alone boolean, decided_by text, reason text, at bigint)
        WHERE h.id = u.id AND h.state = u.from_state
          AND h.marked_by IS NOT DISTINCT FROM u.from_marker`,
  mustAffectEach: true,
};

/** Runs with the refusal of a held win: its round has not paid it. */
export const unpayWin: BatchStatement = {
  name: "vendors_70_unpay_win",
  sql: `UPDATE vendor_rounds r SET payout_minor = r.payout_minor - h.amount_minor,
          won_by_bet = jsonb_set(r.won_by_bet, ARRAY[h.bet_id],
            ((r.won_by_bet ->> h.bet_id)::bigint - h.amount_minor)::text::jsonb)
        FROM jsonb_to_recordset($1) AS u(id text) JOIN held_wins h ON h.id = u.id
        WHERE r.lane = h.lane AND r.account_id = h.account_id AND r.vendor = h.vendor
          AND r.round_id = h.round_id`,
  mustAffectEach: true,
};

export interface HeldWinRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly member_id: string;
  readonly username: string;
  readonly lane: number;
  readonly account_id: string;
  readonly vendor: string;
  readonly transaction_id: string;
  readonly round_id: string;
  readonly game_id: string;
  readonly currency: string;
  readonly stake_minor: bigint;
  readonly amount_minor: bigint;
  readonly reasons: readonly HoldReason[];
  readonly state: "held" | "marked" | "released" | "refused";
  readonly held_at: Date;
  readonly marked_by: string | null;
  readonly marker: string | null;
  readonly decided_by: string | null;
}

const HELD_WINS = `SELECT h.id, h.merchant_id, h.member_id, m.username, h.lane, h.account_id,
    h.vendor, h.transaction_id, h.round_id, h.game_id, h.currency, h.stake_minor, h.amount_minor,
    h.reasons, h.state, h.held_at, h.marked_by, o.name AS marker, h.decided_by
  FROM held_wins h JOIN identity_members m ON m.id = h.member_id
    LEFT JOIN operators_names o ON o.id = h.marked_by`;

export async function findHeldWin(
  db: Db,
  merchantId: string,
  id: string,
): Promise<HeldWinRow | null> {
  const { rows } = await db.query<HeldWinRow>(
    `${HELD_WINS} WHERE h.merchant_id = $1 AND h.id = $2`,
    [merchantId, id],
  );
  return rows[0] ?? null;
}

/** Longest waiting first, from just after `after`. */
export async function waitingHeldWins(
  db: Db,
  merchantId: string,
  page: { readonly after: TimeAndId | null; readonly limit: number },
): Promise<HeldWinRow[]> {
  const { rows } = await db.query<HeldWinRow>(
    `${HELD_WINS} WHERE h.merchant_id = $1 AND h.state IN ('held', 'marked')
       AND (h.held_at, h.id) > (to_timestamp($2 / 1000.0), $3)
     ORDER BY h.held_at, h.id LIMIT $4`,
    [merchantId, page.after?.at ?? 0, page.after?.id ?? "", page.limit],
  );
  return rows;
}

/** False if the win is no longer as it was found. */
export async function markHeldWin(db: Db, win: HeldWinRow, operatorId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE held_wins SET state = 'marked', marked_by = $2
     WHERE id = $1 AND state = $3 AND marked_by IS NOT DISTINCT FROM $4`,
    [win.id, operatorId, win.state, win.marked_by],
  );
  return rowCount === 1;
}

export const heldWinBook: BookCheck = checkByLane(
  "each held win stands as its entries say",
  `SELECT coalesce(h.account_id, e.account_id) || ' ' || coalesce(h.hold_key, e.key) AS subject,
          coalesce(h.state, 'none') || ' ' || coalesce(h.amount_minor, 0) || ', entries ' ||
            coalesce(e.ended, 'held') || ' ' || coalesce(e.held_change, 0) AS found
   FROM (SELECT account_id, 'held-win:' || vendor || ':' || transaction_id AS hold_key, state,
           amount_minor FROM held_wins WHERE lane = $1) h
   FULL JOIN (
     SELECT w.account_id, w.key, w.held_change, r.kind AS ended
     FROM ledger_booked w LEFT JOIN ledger_booked r
       ON r.lane = w.lane AND r.account_id = w.account_id AND r.resolves = w.key
     WHERE w.lane = $1 AND w.kind = 'win-hold') e
     ON e.account_id = h.account_id AND e.key = h.hold_key
   WHERE h.account_id IS NULL OR e.account_id IS NULL OR h.amount_minor <> e.held_change
     OR e.ended IS DISTINCT FROM CASE h.state WHEN 'released' THEN 'win-release'
                                              WHEN 'refused' THEN 'win-reversal' END`,
);
