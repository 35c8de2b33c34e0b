import { type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { generateAuthenticationOptions, generateRegistrationOptions } from "@simplewebauthn/server";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { OwnerMails } from "../defence/owner-mails.ts";
import { findMember, type MemberRow } from "../members/members.store.ts";
import { ownerIn, type Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { TakeProof } from "./owner-proof.ts";
import {
  type ChallengeKey,
  type ChallengeUse,
  findChallenge,
  findPasskey,
  insertChallenge,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  removePasskey,
  takeChallenge,
  usePasskey,
} from "./passkeys.store.ts";
import { ALGORITHMS, madeFor, type Site, signedFor } from "./webauthn.ts";

const CHALLENGE_BYTES = 32;
const CHALLENGE_MS = 5 * MINUTE_MS;
/** More devices than a person has; options list them all. */
const PASSKEYS_MAX = 20;

export interface Answered {
  readonly challengeId: string;
  readonly response: unknown;
}

export interface Options {
  readonly challengeId: string;
  readonly options: Record<string, unknown>;
}

export interface PasskeysOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly sessions: Sessions;
  readonly ownerMails: Pick<OwnerMails, "tell">;
}

interface Signed {
  readonly passkey: PasskeyRow;
  readonly take: TakeProof;
}

/** What a passkey has signed, and since when that passkey is the member's. */
export interface SignedPayment {
  readonly take: TakeProof;
  readonly keptSince: Instant;
}

/** The member whose passkey signed a log-in; valid once, and only while that passkey is kept. */
export interface PasskeyOwner {
  readonly member: MemberRow;
  /** Run under the member's lock, with what it begins. */
  readonly take: TakeProof;
}

/**
 * Passkeys (WebAuthn, https://www.w3.org/TR/webauthn-3/): discoverable, so that a login needs no
 * name, and always with the user verified, so that one counts as both factors. `webauthn.ts`
 * judges what browsers answer; this class takes what is valid once.
 */
export class Passkeys {
  readonly #options: PasskeysOptions;

  constructor(options: PasskeysOptions) {
    this.#options = options;
  }

  async list({ memberId }: Session) {
    const rows = await listPasskeys(this.#options.pool, memberId);
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      createdAt: row.created_at.getTime(),
      lastUsedAt: row.last_used_at?.getTime() ?? null,
    }));
  }

  /** What the browser needs to make one; refuses with `fresh_login_needed` or `passkey_refused`. */
  async registrationOptions(
    merchant: Merchant,
    session: Session,
    { rpId }: Site,
  ): Promise<Result<Options, Refusal>> {
    const { pool, sessions } = this.#options;
    if (!(await sessions.isFresh(session.id))) return refuse(refusal("fresh_login_needed"));
    const kept = await listPasskeys(pool, session.memberId);
    if (kept.length >= PASSKEYS_MAX) return refuse(refusal("passkey_refused"));
    const challenge = this.#freshChallenge();
    const options = await generateRegistrationOptions({
      rpName: merchant.name,
      rpID: rpId,
      userName: session.username,
      userDisplayName: session.nickname ?? session.username,
      userID: new TextEncoder().encode(session.memberId),
      challenge,
      attestationType: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: kept.map((row) => ({
        id: row.credential_id,
        transports: row.transports,
      })),
      supportedAlgorithmIDs: ALGORITHMS,
      timeout: CHALLENGE_MS,
    });
    const use = useIn(session, "registration");
    const challengeId = await this.#keep(merchant, use, options.challenge);
    return ok({ challengeId, options: { ...options } });
  }

  /**
   * Stores what the browser made, and mails the owner; refuses with `fresh_login_needed` or
   * `passkey_refused`. The challenge is taken with it, so that voiding the one voids the other.
   */
  async register(
    merchant: Merchant,
    session: Session,
    site: Site,
    given: Answered & { readonly name: string },
    language: string,
  ): Promise<Result<{ id: string }, Refusal>> {
    const { clock, entropy, sessions, ownerMails } = this.#options;
    if (!(await sessions.isFresh(session.id))) return refuse(refusal("fresh_login_needed"));
    const use = useIn(session, "registration");
    const key = { id: given.challengeId, merchantId: merchant.id, use };
    const credential = await this.#madeFor(key, site, given.response);
    if (credential === null) return refuse(refusal("passkey_refused"));
    const id = mintId("passkey", clock.now(), entropy.bytes(16));
    const passkey = {
      ...{ id, merchantId: merchant.id, memberId: session.memberId, name: given.name },
      ...credential,
    };
    const limits = { at: clock.now(), max: PASSKEYS_MAX };
    const owned = { merchant, memberId: session.memberId, language };
    return sessions.whileFresh(session, async (client) => {
      const added =
        (await takeChallenge(client, key, clock.now())) &&
        (await insertPasskey(client, passkey, limits));
      if (!added) return refuse(refusal("passkey_refused"));
      await ownerMails.tell(client, owned, { what: "passkey", added: true });
      return ok({ id });
    });
  }

  /** The credential that was made for the challenge, which is still to be taken; or null. */
  async #madeFor(key: ChallengeKey, site: Site, given: unknown) {
    const { pool, clock } = this.#options;
    const challenge = await findChallenge(pool, key, clock.now());
    return (challenge && (await madeFor(challenge, site, given))) || this.#spend(key);
  }

  /** Refuses with `fresh_login_needed`, or `not_found` for another member's; mails the owner. */
  async remove(
    merchant: Merchant,
    session: Session,
    id: string,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const { clock, sessions, ownerMails } = this.#options;
    if (!(await sessions.isFresh(session.id))) return refuse(refusal("fresh_login_needed"));
    const by = ownerIn(session);
    const owned = { merchant, memberId: session.memberId, language };
    return sessions.whileFresh(session, async (client) => {
      if (!(await removePasskey(client, by, id, clock.now()))) return refuse(refusal("not_found"));
      await ownerMails.tell(client, owned, { what: "passkey", added: false });
      return ok(undefined);
    });
  }

  async loginOptions(merchant: Merchant, { rpId }: Site): Promise<Options> {
    const options = await generateAuthenticationOptions({
      rpID: rpId,
      challenge: this.#freshChallenge(),
      userVerification: "required",
      timeout: CHALLENGE_MS,
    });
    const challengeId = await this.#keep(merchant, LOGIN, options.challenge);
    return { challengeId, options: { ...options } };
  }

  /** What the browser needs so that the session's member confirms a payment by passkey. */
  async paymentOptions(merchant: Merchant, session: Session, { rpId }: Site): Promise<Options> {
    const kept = await listPasskeys(this.#options.pool, session.memberId);
    const options = await generateAuthenticationOptions({
      rpID: rpId,
      challenge: this.#freshChallenge(),
      userVerification: "required",
      allowCredentials: kept.map((row) => ({ id: row.credential_id, transports: row.transports })),
      timeout: CHALLENGE_MS,
    });
    const use = useIn(session, "payment");
    const challengeId = await this.#keep(merchant, use, options.challenge);
    return { challengeId, options: { ...options } };
  }

  /**
   * Null unless a passkey of the session's own member signed its payment challenge. It is taken
   * under the member's lock, once, while the challenge is valid and the passkey is kept.
   */
  async paysBy(
    merchant: Merchant,
    session: Session,
    site: Site,
    given: Answered,
  ): Promise<SignedPayment | null> {
    const use = useIn(session, "payment");
    const key = { id: given.challengeId, merchantId: merchant.id, use };
    const signed = await this.#signed(key, site, given.response);
    if (signed?.passkey.member_id !== session.memberId) return this.#spend(key);
    return { take: signed.take, keptSince: signed.passkey.created_at.getTime() };
  }

  /**
   * The member whose passkey signed the challenge; `passkey_refused` for anything else. It is taken
   * as `paysBy` says, so that the same answer proves it again if the session was not begun.
   */
  async owner(
    merchant: Merchant,
    site: Site,
    given: Answered,
  ): Promise<Result<PasskeyOwner, Refusal>> {
    const key = { id: given.challengeId, merchantId: merchant.id, use: LOGIN };
    const signed = await this.#signed(key, site, given.response);
    if (signed === null) return refuse(refusal("passkey_refused"));
    const { passkey, take } = signed;
    const member = await findMember(this.#options.pool, merchant.id, passkey.member_id);
    return ok({ member: present(member, "the member of a passkey"), take });
  }

  /**
   * The passkey that signed the challenge, and what takes both: the challenge once, and the use of
   * the passkey while that is kept. Null for anything else.
   */
  async #signed(key: ChallengeKey, site: Site, given: unknown): Promise<Signed | null> {
    const { pool, clock } = this.#options;
    const challenge = await findChallenge(pool, key, clock.now());
    const find = (id: string) => findPasskey(pool, key.merchantId, id);
    const signed = challenge && (await signedFor(challenge, site, given, find));
    if (!signed) return this.#spend(key);
    const { passkey, newCounter } = signed;
    const take: TakeProof = async (db) =>
      (await takeChallenge(db, key, clock.now())) &&
      (await usePasskey(db, passkey, newCounter, clock.now()));
    return { passkey, take };
  }

  #freshChallenge() {
    return Uint8Array.from(this.#options.entropy.bytes(CHALLENGE_BYTES));
  }

  async #keep(merchant: Merchant, use: ChallengeUse, challenge: string): Promise<string> {
    const { pool, clock, entropy } = this.#options;
    const now = clock.now();
    const id = mintId("challenge", now, entropy.bytes(16));
    const expiresAt = now + CHALLENGE_MS;
    await insertChallenge(pool, { id, merchantId: merchant.id, use, challenge, expiresAt });
    return id;
  }

  /** One wrong answer uses the challenge up. */
  async #spend(key: ChallengeKey): Promise<null> {
    await takeChallenge(this.#options.pool, key, this.#options.clock.now());
    return null;
  }
}

const LOGIN: ChallengeUse = { purpose: "login", memberId: null, sessionId: null };

function useIn(session: Session, purpose: "registration" | "payment"): ChallengeUse {
  return { purpose, ...ownerIn(session) };
}
