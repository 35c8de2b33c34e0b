import type { Instant } from "@perya/kernel/instant";
import type { Db } from "../../../platform/postgres/pool.ts";

export async function findInviter(
  db: Db,
  merchantId: string,
  code: string,
): Promise<string | null> {
  const { rows } = await db.query<{ member_id: string }>(
    "SELECT member_id FROM invitation_codes WHERE merchant_id = $1 AND code = upper($2)",
    [merchantId, code],
  );
  return rows[0]?.member_id ?? null;
}

export async function findOwnInvitationCode(
  db: Db,
  member: { readonly merchantId: string; readonly memberId: string },
): Promise<string | null> {
  const { rows } = await db.query<{ code: string }>(
    `SELECT code FROM invitation_codes WHERE merchant_id = $1 AND member_id = $2
     ORDER BY created_at, code LIMIT 1`,
    [member.merchantId, member.memberId],
  );
  return rows[0]?.code ?? null;
}

export async function insertInvitationCode(
  db: Db,
  invitation: { readonly merchantId: string; readonly code: string; readonly memberId: string },
  at: Instant,
): Promise<void> {
  await db.query(
    `INSERT INTO invitation_codes (merchant_id, code, member_id, created_at)
     VALUES ($1, upper($2), $3, to_timestamp($4 / 1000.0)) ON CONFLICT DO NOTHING`,
    [invitation.merchantId, invitation.code, invitation.memberId, at],
  );
}
