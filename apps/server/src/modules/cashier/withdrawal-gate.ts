import type { WithdrawalState } from "@perya/contract/cashier";
import { type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { SIGNATURE_FRESH_MS } from "../../platform/http/signature.ts";
import type { Db } from "../../platform/postgres/pool.ts";
import { accountChangedAt, IS_CHANGED } from "./payments.store.ts";
import type { WithdrawalRow } from "./withdrawals.store.ts";

/**
 * A call that nobody answered may still arrive for as long as its signature is valid; only after
 * that can a provider that does not know a pay-out never come to know it. A provider whose clock is
 * behind ours takes it for as much longer, at most for as long again: one further behind takes no
 * call at all.
 */
export const ARRIVES_MS = 2 * SIGNATURE_FRESH_MS + MINUTE_MS;

/**
 * What may not leave: money of a player who was blocked after the withdrawal was let out, or whose
 * account was changed (`accountChangedAt`). An operator who lets one out although its reasons name
 * that has decided that it goes, but decides nothing about a later change.
 */
const IS_BLOCKED = "m.blocked AND NOT 'member_blocked' = ANY (w.wait_reasons)";
const IS_BARRED = `(${IS_BLOCKED} OR ${IS_CHANGED})`;
/** An earlier approver did not know of that, and must say so anew. */
const NOTED = `first_approver = NULL, second_approver = NULL,
  account_changed_at = ${accountChangedAt("w")},
  wait_reasons = CASE WHEN ${IS_BLOCKED} THEN '{member_blocked}'::text[] ELSE '{}' END
    || CASE WHEN ${IS_CHANGED} THEN array_prepend('account_changed',
         array_remove(wait_reasons, 'account_changed')) ELSE wait_reasons END`;

/**
 * The last check before a provider is called, written down in the same step: true while the
 * withdrawal is let out, and its player is neither blocked nor changed since. For one that was sent
 * and that its provider has lost: true while it is sent. False for one that operators took over.
 */
export async function passToProvider(db: Db, row: WithdrawalRow, at: Instant): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE withdrawals w SET tried_at = to_timestamp($4 / 1000.0) FROM identity_members m
     WHERE w.lane = $1 AND w.account_id = $2 AND w.id = $3 AND w.state = $5
       AND w.taken_over_at IS NULL AND m.id = w.member_id AND (w.state = 'sent' OR NOT ${IS_BARRED})`,
    [row.lane, row.account_id, row.id, at, row.state],
  );
  return rowCount === 1;
}

/**
 * Leaves the withdrawal of a player who was blocked, or whose account was changed, to an operator,
 * with the reason; earlier approvers did not know of that, and must say so anew. False if it is in
 * none of the states, was barred before, or is not barred. One that a provider may have by now
 * stays as it is: `isUntaken` says that it certainly has not. So does one that operators took over
 * from a provider.
 */
export async function keepBack(
  db: Db,
  row: Pick<WithdrawalRow, "id">,
  from: readonly WithdrawalState[],
  at: Instant,
  isUntaken = true,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE withdrawals w SET state = 'held', approved_at = NULL, look_at = NULL,
       ${NOTED},
       history = CASE WHEN state = 'held' THEN history
         ELSE history || $5::jsonb END
     FROM identity_members m
     WHERE w.id = $1 AND w.state = ANY ($2) AND m.id = w.member_id AND ${IS_BARRED}
       AND w.taken_over_at IS NULL
       AND ($4 OR w.tried_at IS NULL OR w.tried_at < to_timestamp(($3::bigint - ${ARRIVES_MS}) / 1000.0))`,
    [row.id, from, at, isUntaken, JSON.stringify({ state: "held", at })],
  );
  return rowCount === 1;
}

/**
 * A withdrawal that is held while its player changes what proves who they are gets that reason
 * beside any other, and waits for an operator from then on.
 */
export async function noteAccountChanges(db: Db): Promise<void> {
  await db.query(
    `UPDATE withdrawals w SET look_at = NULL, ${NOTED} FROM identity_members m
     WHERE w.state = 'held' AND m.id = w.member_id AND ${IS_CHANGED}`,
  );
}
