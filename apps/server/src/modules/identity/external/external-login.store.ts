import type { ExternalProvider } from "@perya/contract/external-login";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { eachByItself } from "../../../platform/each-by-itself.ts";
import type { Db } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";
import { voidOpenChallenges } from "../members/open-challenges.store.ts";
import { isSessionOpen } from "../sessions/sessions.store.ts";

export interface Adder {
  readonly memberId: string;
  readonly sessionId: string;
}

export interface Flow {
  readonly stateHash: Buffer;
  readonly merchantId: string;
  readonly provider: ExternalProvider;
  readonly sealedVerifier: string;
  readonly nonce: string;
  readonly browserHash: Buffer;
  /** The member who adds the account, and in which session; null for a login. */
  readonly adder: Adder | null;
  readonly expiresAt: Instant;
}

export async function insertFlow(db: Db, flow: Flow): Promise<void> {
  await db.query(
    `INSERT INTO external_flows (state_hash, merchant_id, provider, sealed_verifier, nonce,
       browser_hash, member_id, session_id, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9 / 1000.0))`,
    [
      flow.stateHash,
      flow.merchantId,
      flow.provider,
      flow.sealedVerifier,
      flow.nonce,
      flow.browserHash,
      flow.adder?.memberId,
      flow.adder?.sessionId,
      flow.expiresAt,
    ],
  );
}

/**
 * Takes the flow, so that it ends once; null for one of another brand or browser, or an expired
 * one. Until `endFlow` the row is kept under the name `taken`, so that statements that void the
 * member's flows find it.
 */
export async function takeFlow(
  db: Db,
  given: Pick<Flow, "stateHash" | "merchantId" | "provider" | "browserHash">,
  taken: Buffer,
  at: Instant,
): Promise<Pick<Flow, "sealedVerifier" | "nonce" | "adder"> | null> {
  const { rows } = await db.query<{
    sealed_verifier: string;
    nonce: string;
    member_id: string | null;
    session_id: string | null;
    in_time: boolean;
  }>(
    `UPDATE external_flows SET state_hash = $6
     WHERE state_hash = $1 AND merchant_id = $2 AND provider = $3 AND browser_hash = $4
     RETURNING sealed_verifier, nonce, member_id, session_id,
       expires_at > to_timestamp($5 / 1000.0) AS in_time`,
    [given.stateHash, given.merchantId, given.provider, given.browserHash, at, taken],
  );
  const row = rows[0];
  if (row?.in_time !== true || !(await isSessionOpen(db, row.session_id))) return null;
  const { sealed_verifier: sealedVerifier, nonce, member_id: memberId, session_id } = row;
  const links = memberId !== null && session_id !== null;
  return { sealedVerifier, nonce, adder: links ? { memberId, sessionId: session_id } : null };
}

/** Ends a flow that was taken; false if it was voided meanwhile. */
export async function endFlow(db: Db, taken: Buffer): Promise<boolean> {
  const { rowCount } = await db.query("DELETE FROM external_flows WHERE state_hash = $1", [taken]);
  return rowCount === 1;
}

export interface ExternalIdentity {
  /** The account's name at the provider; it never changes. */
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/** What a proof is valid for, and for which member if it is bound to one. */
export type ProofUse =
  | {
      readonly purpose: "login" | "registration";
      readonly memberId: null;
      readonly sessionId: null;
    }
  | ({ readonly purpose: "link" } & Adder);

/** Names a proof; a proof of another brand, browser or use is not found. */
export interface ProofKey {
  readonly flowHash: Buffer;
  readonly merchantId: string;
  readonly browserHash: Buffer;
  readonly use: ProofUse;
}

export interface ProvenIdentity extends ExternalIdentity {
  readonly provider: ExternalProvider;
}

export async function insertProof(
  db: Db,
  key: ProofKey,
  proven: ProvenIdentity,
  expiresAt: Instant,
): Promise<void> {
  await db.query(
    `INSERT INTO external_proofs (flow_hash, merchant_id, browser_hash, purpose, member_id,
       session_id, provider, subject, email, email_verified, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0))`,
    [
      ...valuesOf(key),
      proven.provider,
      proven.subject,
      proven.email,
      proven.emailVerified,
      expiresAt,
    ],
  );
}

const KEY = `flow_hash = $1 AND merchant_id = $2 AND browser_hash = $3 AND purpose = $4
  AND member_id IS NOT DISTINCT FROM $5 AND session_id IS NOT DISTINCT FROM $6`;

function valuesOf({ flowHash, merchantId, browserHash, use }: ProofKey): unknown[] {
  return [flowHash, merchantId, browserHash, use.purpose, use.memberId, use.sessionId];
}

interface ProofRow {
  readonly provider: ExternalProvider;
  readonly subject: string;
  readonly email: string | null;
  readonly email_verified: boolean;
  readonly in_time: boolean;
}

const PROOF = `provider, subject, email, email_verified,
  expires_at > to_timestamp($7 / 1000.0) AS in_time`;

/** The proof while it can be used; does not use it up. */
export async function findProof(
  db: Db,
  key: ProofKey,
  at: Instant,
): Promise<ProvenIdentity | null> {
  const { rows } = await db.query<ProofRow>(`SELECT ${PROOF} FROM external_proofs WHERE ${KEY}`, [
    ...valuesOf(key),
    at,
  ]);
  return provenIn(db, key, rows[0]);
}

/** Takes the proof away, so that it counts once. */
export async function takeProof(
  db: Db,
  key: ProofKey,
  at: Instant,
): Promise<ProvenIdentity | null> {
  const { rows } = await db.query<ProofRow>(
    `DELETE FROM external_proofs WHERE ${KEY} RETURNING ${PROOF}`,
    [...valuesOf(key), at],
  );
  return provenIn(db, key, rows[0]);
}

async function provenIn(
  db: Db,
  { use }: ProofKey,
  row: ProofRow | undefined,
): Promise<ProvenIdentity | null> {
  if (row?.in_time !== true || !(await isSessionOpen(db, use.sessionId))) return null;
  const { provider, subject, email } = row;
  return { provider, subject, email, emailVerified: row.email_verified };
}

export interface ExternalAccount {
  readonly merchantId: string;
  readonly provider: ExternalProvider;
  readonly subject: string;
}

export async function findExternalMember(
  db: Db,
  { merchantId, provider, subject }: ExternalAccount,
): Promise<string | null> {
  const { rows } = await db.query<{ member_id: string }>(
    `SELECT member_id FROM external_identities
     WHERE merchant_id = $1 AND provider = $2 AND subject = $3`,
    [merchantId, provider, subject],
  );
  return rows[0]?.member_id ?? null;
}

/**
 * @throws a unique violation of `external_identities_pkey` if the account has a member, and of
 *   another constraint if the member has another account at this provider
 */
export async function insertExternalMember(
  db: Db,
  { merchantId, provider, subject }: ExternalAccount,
  memberId: string,
  at: Instant,
): Promise<void> {
  await db.query(
    `INSERT INTO external_identities (merchant_id, provider, subject, member_id, linked_at)
     VALUES ($1, $2, $3, $4, to_timestamp($5 / 1000.0))`,
    [merchantId, provider, subject, memberId, at],
  );
}

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

export function sweepExternal(pool: pg.Pool, at: Instant): Promise<void> {
  return eachByItself({
    flows: () => sweep(pool, { table: "external_flows", by: "expires_at" }, at),
    proofs: () => sweep(pool, { table: "external_proofs", by: "expires_at" }, at),
  });
}
