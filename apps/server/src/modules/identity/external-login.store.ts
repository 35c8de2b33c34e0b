import type { ExternalProvider } from "@perya/contract/external-login";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";

type Db = pg.Pool | pg.ClientBase;

export interface Flow {
  readonly stateHash: Buffer;
  readonly merchantId: string;
  readonly provider: ExternalProvider;
  readonly sealedVerifier: string;
  readonly nonce: string;
  readonly browserHash: Buffer;
  readonly expiresAt: Instant;
}

export async function insertFlow(db: Db, flow: Flow): Promise<void> {
  await db.query(
    `INSERT INTO external_flows (state_hash, merchant_id, provider, sealed_verifier, nonce,
       browser_hash, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0))`,
    [
      flow.stateHash,
      flow.merchantId,
      flow.provider,
      flow.sealedVerifier,
      flow.nonce,
      flow.browserHash,
      flow.expiresAt,
    ],
  );
}

/** Takes the flow away, so that it ends once; null for one of another brand, browser or time. */
export async function takeFlow(
  db: Db,
  given: Pick<Flow, "stateHash" | "merchantId" | "provider" | "browserHash">,
  at: Instant,
): Promise<{ sealedVerifier: string; nonce: string } | null> {
  const { rows } = await db.query<{ sealed_verifier: string; nonce: string; valid: boolean }>(
    `DELETE FROM external_flows
     WHERE state_hash = $1 AND merchant_id = $2 AND provider = $3 AND browser_hash = $4
     RETURNING sealed_verifier, nonce, expires_at > to_timestamp($5 / 1000.0) AS valid`,
    [given.stateHash, given.merchantId, given.provider, given.browserHash, at],
  );
  const row = rows[0];
  return row?.valid === true ? { sealedVerifier: row.sealed_verifier, nonce: row.nonce } : null;
}

/** Who a provider says that the player is. */
export interface ExternalIdentity {
  /** The account's name at the provider, which never changes. */
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
}

export interface Proof extends ExternalIdentity {
  readonly flowHash: Buffer;
  readonly merchantId: string;
  readonly browserHash: Buffer;
  readonly provider: ExternalProvider;
  readonly expiresAt: Instant;
}

export async function insertProof(db: Db, proof: Proof): Promise<void> {
  await db.query(
    `INSERT INTO external_proofs (flow_hash, merchant_id, browser_hash, provider, subject, email,
       email_verified, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0))`,
    [
      proof.flowHash,
      proof.merchantId,
      proof.browserHash,
      proof.provider,
      proof.subject,
      proof.email,
      proof.emailVerified,
      proof.expiresAt,
    ],
  );
}

/** Takes the proof away, so that it counts once; null for one of another brand, browser or time. */
export async function takeProof(
  db: Db,
  given: Pick<Proof, "flowHash" | "merchantId" | "browserHash">,
  at: Instant,
): Promise<(ExternalIdentity & { readonly provider: ExternalProvider }) | null> {
  const { rows } = await db.query<{
    provider: ExternalProvider;
    subject: string;
    email: string | null;
    email_verified: boolean;
    valid: boolean;
  }>(
    `DELETE FROM external_proofs
     WHERE flow_hash = $1 AND merchant_id = $2 AND browser_hash = $3
     RETURNING provider, subject, email, email_verified,
       expires_at > to_timestamp($4 / 1000.0) AS valid`,
    [given.flowHash, given.merchantId, given.browserHash, at],
  );
  const row = rows[0];
  if (row?.valid !== true) return null;
  const { provider, subject, email } = row;
  return { provider, subject, email, emailVerified: row.email_verified };
}

/** An account at a provider, as one brand knows it. */
export interface ExternalAccount {
  readonly merchantId: string;
  readonly provider: ExternalProvider;
  readonly subject: string;
}

/** The id of the member whose account it is. */
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

/** @throws a unique violation of `external_identities_pkey` when the account has a member */
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

export async function sweepExternal(db: Db, at: Instant): Promise<void> {
  await db.query("DELETE FROM external_flows WHERE expires_at <= to_timestamp($1 / 1000.0)", [at]);
  await db.query("DELETE FROM external_proofs WHERE expires_at <= to_timestamp($1 / 1000.0)", [at]);
}
