import { CLOCKS_APART_MS, type Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";

/** The member who changes what proves who they are, and the session; null for a visitor. */
export interface ChangedBy {
  readonly memberId: string;
  readonly sessionId: string | null;
}

/**
 * Voids all open challenges of a member: links, codes, half-done log-ins, enrolments and proofs,
 * and what was proven in other sessions. The person who began or proved them knew the account as it
 * was until now, and may be the reason why its owner changes it. Runs in the transaction of the
 * change; see docs/security/factors.md and `proofsChangedAt`.
 * @param at read under the member's lock; no change is as early as the one before it
 */
export async function voidOpenChallenges(
  client: pg.ClientBase,
  { memberId, sessionId }: ChangedBy,
  at: Instant,
): Promise<void> {
  for (const statement of STATEMENTS) await client.query(statement, [memberId]);
  // Not null: for an account with nothing else, null would make the log-in the proof again.
  await client.query(
    `UPDATE sessions SET proven_at = to_timestamp(0)
     WHERE member_id = $1 AND id IS DISTINCT FROM $2 AND ended_at IS NULL`,
    [memberId, sessionId],
  );
  await client.query(
    `UPDATE members SET proofs_changed_at = greatest(to_timestamp($2 / 1000.0), ${AFTER_LAST})
     WHERE id = $1`,
    [memberId, at],
  );
}

/**
 * In SQL, a millisecond after the last change. Through UTC: what depends on the zone of a session is
 * not computed with a column where a table stands on every node of a cluster.
 */
export const AFTER_LAST = `(proofs_changed_at AT TIME ZONE 'UTC' + interval '1 millisecond')
  AT TIME ZONE 'UTC'`;

/**
 * In SQL, when the member of `members` under this alias last changed what proves who they are, null
 * for never: an earlier request may be the reason for the change. A process of an earlier version
 * notes new passwords only.
 */
export function proofsChangedAt(member: string): string {
  return `greatest(${member}.proofs_changed_at, ${member}.password_changed_at)`;
}

/**
 * Whether the member has changed it at that time or since. A change later than now was noted by a
 * wrong clock.
 */
export async function isChangedSince(
  db: Db,
  memberId: string,
  at: Instant,
  now: Instant,
): Promise<boolean> {
  const changedAt = proofsChangedAt("m");
  const { rowCount } = await db.query(
    `SELECT FROM members m WHERE id = $1 AND ${changedAt} >= to_timestamp($2 / 1000.0)
       AND ${changedAt} <= to_timestamp($3 / 1000.0)`,
    [memberId, at, now + CLOCKS_APART_MS],
  );
  return rowCount === 1;
}

/** Used ones stay until they expire, so that a caller who lost the answer is recognised. */
const STATEMENTS = [
  "DELETE FROM mail_links WHERE member_id = $1 AND used_at IS NULL",
  "DELETE FROM pending_logins WHERE member_id = $1",
  "DELETE FROM webauthn_challenges WHERE member_id = $1",
  "DELETE FROM member_totp WHERE member_id = $1 AND confirmed_at IS NULL",
  "DELETE FROM external_flows WHERE member_id = $1",
  "DELETE FROM external_proofs WHERE member_id = $1",
  "DELETE FROM payment_proofs WHERE member_id = $1 AND used_for IS NULL",
  "DELETE FROM sms_codes WHERE member_id = $1 AND used_hash IS DISTINCT FROM code_hash",
  // Codes that a visitor asked for are known by the number alone.
  `DELETE FROM sms_codes c USING members m
   WHERE m.id = $1 AND m.mobile_verified_at IS NOT NULL AND c.used_hash IS DISTINCT FROM c.code_hash
     AND c.merchant_id = m.merchant_id
     AND c.purpose IN ('login', 'reset')
     AND c.dialing_code = m.dialing_code AND c.mobile_num = m.mobile_num`,
] as const;
