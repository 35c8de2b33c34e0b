import type { ExternalProvider } from "@perya/contract/external-login";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { voidOpenChallenges } from "../members/open-challenges.store.ts";

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

/** Voids what was begun while it let the member in, and what sessions other than `by` proved. */
export async function removeExternalAccount(
  client: pg.ClientBase,
  by: { readonly sessionId: string; readonly memberId: string },
  provider: ExternalProvider,
  at: Instant,
): Promise<void> {
  await client.query("DELETE FROM external_identities WHERE member_id = $1 AND provider = $2", [
    by.memberId,
    provider,
  ]);
  await voidOpenChallenges(client, by, at);
}
