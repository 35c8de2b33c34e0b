import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";
import { lockMember } from "../members/members.store.ts";
import { voidOpenChallenges } from "../members/open-challenges.store.ts";
import { isSessionOpen, whileSessionIsOpen } from "../sessions/sessions.store.ts";

export interface PasskeyRow {
  readonly id: string;
  readonly member_id: string;
  readonly credential_id: string;
  readonly public_key: Buffer;
  readonly counter: bigint;
  readonly transports: string[];
  readonly name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const PASSKEY = `SELECT id, member_id, credential_id, public_key, counter, transports, name,
  created_at, last_used_at FROM passkeys`;

export async function listPasskeys(db: Db, memberId: string): Promise<PasskeyRow[]> {
  const { rows } = await db.query<PasskeyRow>(
    `${PASSKEY} WHERE member_id = $1 ORDER BY created_at, id`,
    [memberId],
  );
  return rows;
}

export async function findPasskey(
  db: Db,
  merchantId: string,
  credentialId: string,
): Promise<PasskeyRow | null> {
  const { rows } = await db.query<PasskeyRow>(
    `${PASSKEY} WHERE merchant_id = $1 AND credential_id = $2`,
    [merchantId, credentialId],
  );
  return rows[0] ?? null;
}

export interface NewPasskey {
  readonly id: string;
  readonly merchantId: string;
  readonly memberId: string;
  readonly credentialId: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
}

/**
 * Stores one more passkey; false if it is known or its member has `max` of them already, even if
 * many come at once.
 */
export async function insertPasskey(
  client: pg.ClientBase,
  passkey: NewPasskey,
  { at, max }: { at: Instant; max: number },
): Promise<boolean> {
  await lockMember(client, passkey.memberId);
  const { rowCount } = await client.query(
    `INSERT INTO passkeys (id, merchant_id, member_id, credential_id, public_key, counter,
       transports, name, created_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9 / 1000.0)
     WHERE (SELECT count(*) FROM passkeys WHERE member_id = $3) < $10
     ON CONFLICT (merchant_id, credential_id) DO NOTHING`,
    [
      passkey.id,
      passkey.merchantId,
      passkey.memberId,
      passkey.credentialId,
      Buffer.from(passkey.publicKey),
      passkey.counter,
      passkey.transports,
      passkey.name,
      at,
      max,
    ],
  );
  return rowCount === 1;
}

/** Notes a use; false for a passkey that was removed, or whose counter another use has moved. */
export async function usePasskey(
  db: Db,
  passkey: PasskeyRow,
  newCounter: number,
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE passkeys SET counter = $3, last_used_at = to_timestamp($4 / 1000.0)
     WHERE id = $1 AND counter = $2`,
    [passkey.id, passkey.counter, newCounter, at],
  );
  return rowCount === 1;
}

/**
 * Voids what was begun while it was valid, and what the member's sessions other than `by` proved;
 * false, with nothing done, for a passkey that is not theirs.
 */
export async function removePasskey(
  client: pg.ClientBase,
  by: { readonly sessionId: string; readonly memberId: string },
  id: string,
  at: Instant,
): Promise<boolean> {
  await lockMember(client, by.memberId);
  const { rowCount } = await client.query("DELETE FROM passkeys WHERE id = $1 AND member_id = $2", [
    id,
    by.memberId,
  ]);
  if (rowCount !== 1) return false;
  await voidOpenChallenges(client, by, at);
  return true;
}

/** What signing a challenge does, and in which session; a login has none yet. */
export type ChallengeUse =
  | { readonly purpose: "login"; readonly memberId: null; readonly sessionId: null }
  | {
      readonly purpose: "registration" | "payment";
      readonly memberId: string;
      readonly sessionId: string;
    };

export interface Challenge {
  readonly id: string;
  readonly merchantId: string;
  readonly use: ChallengeUse;
  readonly challenge: string;
  readonly expiresAt: Instant;
}

export async function insertChallenge(db: Db, given: Challenge): Promise<void> {
  await db.query(
    `INSERT INTO webauthn_challenges (id, merchant_id, purpose, member_id, session_id, challenge,
       expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0))`,
    [given.id, given.merchantId, ...valuesOf(given.use), given.challenge, given.expiresAt],
  );
}

/** Names a challenge; a challenge of another brand or use is not found. */
export type ChallengeKey = Pick<Challenge, "id" | "merchantId" | "use">;

const KEY = `id = $1 AND merchant_id = $2 AND purpose = $3 AND member_id IS NOT DISTINCT FROM $4
  AND session_id IS NOT DISTINCT FROM $5`;
const IS_IN_TIME = "expires_at > to_timestamp($6 / 1000.0)";

/** The challenge to be signed while it is valid; does not use it up. */
export async function findChallenge(
  db: Db,
  key: ChallengeKey,
  at: Instant,
): Promise<string | null> {
  const { rows } = await db.query<{ challenge: string }>(
    `SELECT challenge FROM webauthn_challenges 
     WHERE ${KEY} AND ${IS_IN_TIME} AND ${whileSessionIsOpen("session_id")}`,
    [key.id, key.merchantId, ...valuesOf(key.use), at],
  );
  return rows[0]?.challenge ?? null;
}

/** Takes the challenge away, so that it is signed for once; false for one that is not valid. */
export async function takeChallenge(db: Db, key: ChallengeKey, at: Instant): Promise<boolean> {
  const { rows } = await db.query<{ in_time: boolean }>(
    `DELETE FROM webauthn_challenges WHERE ${KEY} RETURNING ${IS_IN_TIME} AS in_time`,
    [key.id, key.merchantId, ...valuesOf(key.use), at],
  );
  return rows[0]?.in_time === true && isSessionOpen(db, key.use.sessionId);
}

function valuesOf({ purpose, memberId, sessionId }: ChallengeUse) {
  return [purpose, memberId, sessionId];
}

export async function sweepChallenges(pool: pg.Pool, at: Instant): Promise<void> {
  await sweep(pool, { table: "webauthn_challenges", by: "expires_at" }, at);
}
