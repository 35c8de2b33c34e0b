import type { ExternalProvider } from "@perya/contract/external-login";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

type Db = pg.Pool | pg.ClientBase;

export interface KeptAccount {
  readonly provider: ExternalProvider;
  readonly linkedAt: Instant;
}

export async function listExternalAccounts(
  db: Db,
  memberId: string,
): Promise<{ hasPassword: boolean; accounts: KeptAccount[] }> {
  const { rows } = await db.query<{
    has_password: boolean;
    provider: ExternalProvider | null;
    linked_at: Date | null;
  }>(
    `SELECT m.password_hash IS NOT NULL AS has_password, e.provider, e.linked_at
     FROM members m LEFT JOIN external_identities e ON e.member_id = m.id
     WHERE m.id = $1 ORDER BY e.provider`,
    [memberId],
  );
  const accounts = rows.flatMap(({ provider, linked_at }) =>
    provider === null || linked_at === null ? [] : [{ provider, linkedAt: linked_at.getTime() }],
  );
  return { hasPassword: rows[0]?.has_password === true, accounts };
}

/** One after another: of two accounts that are taken off at one moment, one stays. */
export async function lockWaysIn(client: pg.ClientBase, memberId: string): Promise<void> {
  await client.query("SELECT 1 FROM members WHERE id = $1 FOR UPDATE", [memberId]);
}

export async function removeExternalAccount(
  db: Db,
  memberId: string,
  provider: ExternalProvider,
): Promise<void> {
  await db.query("DELETE FROM external_identities WHERE member_id = $1 AND provider = $2", [
    memberId,
    provider,
  ]);
}
