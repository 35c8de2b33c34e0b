import type pg from "pg";

/**
 * Voids whatever is under way of a member: links, codes, half-done log-ins, enrolments and proofs.
 * Whoever began it knew the account as it was until now, and may be why its owner changes it.
 * Runs in the transaction of the change; see docs/security/factors.md.
 */
export async function voidOpenChallenges(client: pg.ClientBase, memberId: string): Promise<void> {
  for (const statement of STATEMENTS) await client.query(statement, [memberId]);
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
