import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

/**
 * Voids whatever is under way of a member: links, codes, half-done log-ins, enrolments and proofs.
 * Whoever began it knew the account as it was until now, and may be why its owner changes it.
 * Runs in the transaction of the change; see docs/security/factors.md.
 */
export async function voidOpenChallenges(
  client: pg.ClientBase,
  memberId: string,
  at: Instant,
): Promise<void> {
  for (const statement of STATEMENTS) await client.query(statement, [memberId]);
  await noteProofsChanged(client, memberId, at);
}

/** In the transaction of the change; see `proofsChangedAt`. */
export async function noteProofsChanged(
  client: pg.ClientBase,
  memberId: string,
  at: Instant,
): Promise<void> {
  await client.query(
    "UPDATE members SET proofs_changed_at = to_timestamp($2 / 1000.0) WHERE id = $1",
    [memberId, at],
  );
}

/**
 * In SQL, when a member of `members` under this alias last changed what proves who they are, null
 * for never: what was asked for before that may be why they did. A process of an earlier version
 * notes new passwords alone.
 */
export function proofsChangedAt(member: string): string {
  return `greatest(${member}.proofs_changed_at, ${member}.password_changed_at)`;
}

/**
 * As `voidOpenChallenges`, where something that let the member in is taken off: whoever came in by
 * it, wherever they are now, has shown nothing any more. Its owner has, in the session `by`.
 */
export async function voidWayIn(
  client: pg.ClientBase,
  by: { readonly sessionId: string; readonly memberId: string },
  at: Instant,
): Promise<void> {
  await voidOpenChallenges(client, by.memberId, at);
  // Not null: of an account with nothing else the log-in would be the proof again.
  await client.query(
    `UPDATE sessions SET proven_at = to_timestamp(0)
     WHERE member_id = $1 AND id <> $2 AND ended_at IS NULL`,
    [by.memberId, by.sessionId],
  );
}

const STATEMENTS = [
  "DELETE FROM mail_links WHERE member_id = $1",
  "DELETE FROM pending_logins WHERE member_id = $1",
  "DELETE FROM webauthn_challenges WHERE member_id = $1",
  "DELETE FROM member_totp WHERE member_id = $1 AND confirmed_at IS NULL",
  "DELETE FROM external_flows WHERE member_id = $1",
  "DELETE FROM external_proofs WHERE member_id = $1",
  "DELETE FROM payment_proofs WHERE member_id = $1 AND used_for IS NULL",
  "DELETE FROM sms_codes WHERE member_id = $1",
  // Those that a visitor asked for are known by the number alone.
  `DELETE FROM sms_codes c USING members m
   WHERE m.id = $1 AND m.mobile_verified_at IS NOT NULL AND c.merchant_id = m.merchant_id
     AND c.purpose IN ('login', 'reset')
     AND c.dialing_code = m.dialing_code AND c.mobile_num = m.mobile_num`,
] as const;
