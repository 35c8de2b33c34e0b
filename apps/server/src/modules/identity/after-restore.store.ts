import type pg from "pg";

/** Members per transaction: far from a statement's limit. */
const AT_ONCE = 1_000;

/** Challenges that were open in the restored history; they may have been used since. */
const BEGUN = [
  "mail_links",
  "pending_logins",
  "webauthn_challenges",
  "external_flows",
  "external_proofs",
  "sms_codes",
];

/**
 * Trusts nothing that was proven in a database restored to an earlier moment: an owner who was
 * robbed may since have ended a session, password or other way in that is valid there. Sessions
 * end, open challenges are deleted, and each account counts as changed, so that only people let out
 * what was requested earlier. Only for a site that is down, since processes cache sessions.
 * @returns how many sessions ended
 */
export async function trustNothing(pool: pg.Pool): Promise<number> {
  let ended = 0;
  for (let last = ""; ; ) {
    const { rows } = await pool.query<{ members: number; ended: number; last: string | null }>(
      `WITH slice AS MATERIALIZED (
         SELECT id FROM members WHERE id > $1 ORDER BY id LIMIT ${AT_ONCE}),
       changed AS (
         UPDATE members m SET proofs_changed_at =
           greatest(now(), m.proofs_changed_at + interval '1 millisecond')
         FROM slice WHERE m.id = slice.id),
       ended AS (
         UPDATE sessions s SET ended_at = now() FROM slice
         WHERE s.member_id = slice.id AND s.ended_at IS NULL RETURNING s.id),
       unused AS (
         DELETE FROM payment_proofs p USING slice
         WHERE p.member_id = slice.id AND p.used_for IS NULL)
       SELECT (SELECT count(*)::int FROM slice) AS members,
         (SELECT count(*)::int FROM ended) AS ended, (SELECT max(id) FROM slice) AS last`,
      [last],
    );
    const [slice] = rows;
    ended += slice?.ended ?? 0;
    if (slice === undefined || slice.last === null || slice.members < AT_ONCE) break;
    last = slice.last;
  }
  for (const table of BEGUN) await pool.query(`TRUNCATE ${table}`);
  return ended;
}
