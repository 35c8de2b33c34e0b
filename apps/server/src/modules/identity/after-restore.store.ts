import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { AFTER_LAST } from "./members/open-challenges.store.ts";

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
    const { rows } = await pool.query<{ id: string }>(
      `SELECT id FROM members WHERE id > $1 ORDER BY id LIMIT ${AT_ONCE}`,
      [last],
    );
    const ids = rows.map(({ id }) => id);
    ended += await withTransaction(pool, (client) => trustNothingOf(client, ids));
    if (ids.length < AT_ONCE) break;
    last = ids.at(-1) ?? "";
  }
  for (const table of BEGUN) await pool.query(`TRUNCATE ${table}`);
  return ended;
}

/** @returns how many sessions ended */
async function trustNothingOf(client: pg.ClientBase, ids: readonly string[]): Promise<number> {
  await client.query(
    `UPDATE members SET proofs_changed_at = greatest(now(), ${AFTER_LAST}) WHERE id = ANY ($1)`,
    [ids],
  );
  const { rowCount } = await client.query(
    "UPDATE sessions SET ended_at = now() WHERE member_id = ANY ($1) AND ended_at IS NULL",
    [ids],
  );
  await client.query("DELETE FROM payment_proofs WHERE member_id = ANY ($1) AND used_for IS NULL", [
    ids,
  ]);
  return rowCount ?? 0;
}
