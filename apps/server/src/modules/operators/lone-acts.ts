import { type Clock, DAY_MS } from "@perya/kernel/instant";
import type pg from "pg";
import type { Operator } from "../../platform/http/handlers.ts";

/** What an operator would let in or out: a payment or a win, by its id. */
export interface LoneAct {
  readonly subject: string;
  readonly memberId: string;
  readonly amountMinor: bigint;
}

/** What one operator alone lets in and out within 24 hours: for one player, and in all. */
export interface LoneBounds {
  readonly playerMinor: bigint;
  readonly dayMinor: bigint;
}

/**
 * Whether an operator may do this alone; if so, it is counted at once. Anything else that they
 * would do alone waits until the transaction ends, so that many at the same moment count each
 * other. A payment counts once, however many of its steps are theirs, and what two people said
 * counts nowhere. A token that was revoked meanwhile does nothing at all: see `recordAction`.
 */
export async function mayActAlone(
  client: pg.ClientBase,
  { id: operatorId, tokenHash }: Pick<Operator, "id" | "tokenHash">,
  { subject, memberId, amountMinor }: LoneAct,
  { playerMinor, dayMinor }: LoneBounds,
  clock: Clock,
): Promise<boolean> {
  const { rowCount: existing } = await client.query(
    `SELECT FROM operators WHERE id = $1 AND token_hash = $2 AND revoked_at IS NULL
     FOR NO KEY UPDATE`,
    [operatorId, tokenHash],
  );
  if (existing !== 1) return false;
  // Read under the lock: an earlier instant would miss what was done meanwhile.
  const now = clock.now();
  await client.query(
    "DELETE FROM lone_acts WHERE operator_id = $1 AND at <= to_timestamp($2 / 1000.0)",
    [operatorId, now - DAY_MS],
  );
  const { rowCount } = await client.query(
    `INSERT INTO lone_acts (operator_id, subject, member_id, amount_minor, at)
     SELECT $1, $2, $3, $4, to_timestamp($5 / 1000.0)
     FROM (SELECT coalesce(sum(amount_minor), 0) AS day,
             coalesce(sum(amount_minor) FILTER (WHERE member_id = $3), 0) AS player
           FROM lone_acts WHERE operator_id = $1 AND subject <> $2) done
     WHERE done.player + $4::bigint <= $6 AND done.day + $4::bigint <= $7
     ON CONFLICT (operator_id, subject) DO UPDATE SET at = excluded.at`,
    [operatorId, subject, memberId, amountMinor, now, playerMinor, dayMinor],
  );
  return rowCount === 1;
}
