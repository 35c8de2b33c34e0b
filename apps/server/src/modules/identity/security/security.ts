import type { BodyOf, ReplyOf } from "@perya/contract/call";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import type { securityCalls } from "@perya/contract/security";
import type { Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { isTimeAndIdPosition, pageOf } from "../../../platform/http/cursor.ts";
import { maskAddress } from "../../../platform/mask-address.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import { findPendingEmail } from "../accounts/mail-links.store.ts";
import type { OwnerMails } from "../defence/owner-mails.ts";
import { listExternalAccounts } from "../external/external-login.store.ts";
import type { OwnerProof } from "../factors/owner-proof.ts";
import type { GivenProof, OwnerProofs } from "../factors/owner-proofs.ts";
import type { Totp } from "../factors/totp.ts";
import { type LoginEventRow, listLogins } from "../logins/logins.store.ts";
import { isTooCommon } from "../members/common-passwords.ts";
import { ownAccount, setPaymentPassword } from "../members/members.store.ts";
import type { PasswordWork } from "../members/passwords.ts";
import { e164 } from "../members/phone-numbers.ts";
import { ownerIn, type Session } from "../sessions/session.ts";
import type { OpenSession } from "../sessions/sessions.store.ts";
import type { Sessions } from "../sessions/sessions.ts";

export interface SecurityOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly passwords: PasswordWork;
  readonly sessions: Sessions;
  readonly totp: Totp;
  readonly proofs: OwnerProofs;
  readonly ownerMails: Pick<OwnerMails, "tell">;
}

export type Overview = Omit<
  ReplyOf<(typeof securityCalls)["GET /api/v1/member/security"]>,
  "passkeys"
>;

/**
 * What a member sees and sets of their account's safety. Each change that would let another person in needs
 * a fresh proof of who plays: a session left open on a table sets nothing.
 */
export class Security {
  readonly #options: SecurityOptions;

  constructor(options: SecurityOptions) {
    this.#options = options;
  }

  async overview(session: Session): Promise<Overview> {
    const { pool, clock, totp, sessions } = this.#options;
    const { memberId } = session;
    const [account, pendingEmail, enabled, recoveryCodesLeft, external, freshUntil] =
      await Promise.all([
        ownAccount(pool, session),
        findPendingEmail(pool, memberId, clock.now()),
        totp.isOn(memberId),
        totp.recoveryCodesLeft(memberId),
        listExternalAccounts(pool, memberId),
        sessions.freshUntil(session.id),
      ]);
    const { email, dialing_code: dialingCode, mobile_num: mobileNum } = account;
    return {
      email: masked(email, account.email_verified_at),
      pendingEmail: pendingEmail === null ? null : maskAddress(pendingEmail),
      mobile:
        dialingCode === null || mobileNum === null
          ? null
          : masked(e164({ dialingCode, mobileNum }), account.mobile_verified_at),
      hasPassword: account.password_hash !== null,
      hasPaymentPassword: account.payment_password_hash !== null,
      passwordChangedAt: account.password_changed_at?.getTime() ?? null,
      totp: { enabled, recoveryCodesLeft },
      external: external.accounts.map(({ provider }) => provider),
      freshUntil,
    };
  }

  /** Makes the session fresh; refuses as `OwnerProofs.strongest` does. */
  async prove(
    session: Session,
    given: GivenProof,
  ): Promise<Result<{ freshUntil: Instant }, Refusal>> {
    const { pool, sessions, proofs } = this.#options;
    const proven = await proofs.strongest(session, await ownAccount(pool, session), given);
    if (!proven.ok) return proven;
    const { take, taken } = proven.value;
    return sessions.whileOpen(session, async (client) => {
      if (!(await take(client))) return refuse(taken);
      return ok({ freshUntil: await sessions.prove(session.id, client) });
    });
  }

  async sessions(session: Session): Promise<(OpenSession & { current: boolean })[]> {
    const open = await this.#options.sessions.of(session.memberId);
    return open.map((one) => ({ ...one, current: one.id === session.id }));
  }

  /** Ends one device's session; `not_found` for a session that is not this member's. */
  async endSession(session: Session, id: string): Promise<Result<void, Refusal>> {
    const { sessions } = this.#options;
    const open = await sessions.of(session.memberId);
    if (!open.some((one) => one.id === id)) return refuse(refusal("not_found"));
    if (id === session.id) await sessions.end(id);
    else await sessions.shutOut(id);
    return ok(undefined);
  }

  endOtherSessions(session: Session): Promise<number> {
    return this.#options.sessions.endAll(session.memberId, session.id);
  }

  async logins(
    session: Session,
    page: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<Result<{ rows: LoginEventRow[]; nextCursor: string | null }, Refusal>> {
    const { pool } = this.#options;
    const shown = await pageOf(
      page,
      isTimeAndIdPosition,
      (after, limit) => listLogins(pool, session.memberId, after, limit),
      (row) => row,
      (row) => ({ at: row.at.getTime(), id: row.id }),
    );
    return shown.ok ? ok({ rows: shown.value.items, nextCursor: shown.value.nextCursor }) : shown;
  }

  /**
   * By the earlier payment password, or, for the first one and a forgotten one, by a proof as in
   * `prove`, however fresh the login is. A reset one pays nothing for a day, and its owner gets a
   * mail: a person with the log-in's password could have set it. Refuses with
   * `payment_password_wrong`, as `prove` does, or with `too_common` for six digits that anyone
   * would try.
   */
  async setPaymentPassword(
    merchant: Merchant,
    session: Session,
    given: BodyOf<(typeof securityCalls)["POST /api/v1/member/payment-password"]>,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const { clock, passwords, sessions, proofs, ownerMails } = this.#options;
    const { paymentPassword, current, password, code } = given;
    // First: a code that is taken once must not be used up on digits that are refused anyway.
    if (isTooCommon(paymentPassword, [session.username, merchant.name])) {
      return refuse(fieldRefusal("paymentPassword", "too_common"));
    }
    const proven =
      current === undefined
        ? await this.#proveOwner(session, { password, code })
        : await proofs.byPaymentPassword(session, current);
    if (!proven.ok) return proven;
    const { take, taken } = proven.value;
    const hash = await passwords.hash(paymentPassword);
    return sessions.whileOpen(session, async (client) => {
      if (!(await take(client))) return refuse(taken);
      const isReset = current === undefined;
      // Read under the lock: a request made while it waited counts as before the change.
      const at = clock.now();
      const reset = await setPaymentPassword(client, ownerIn(session), hash, at, isReset);
      const owned = { merchant, memberId: session.memberId, language };
      await ownerMails.tell(client, owned, { what: "paymentPassword", reset });
      return ok(undefined);
    });
  }

  /**
   * As `prove`, in the same call; an account with neither password nor authenticator proves by what
   * else it has, if anything.
   */
  async #proveOwner(session: Session, given: GivenProof): Promise<Result<OwnerProof, Refusal>> {
    const { pool, totp, proofs } = this.#options;
    const account = await ownAccount(pool, session);
    const bare = account.password_hash === null && !(await totp.isOn(account.id));
    return bare ? proofs.byFreshness(session) : proofs.strongest(session, account, given);
  }
}

function masked(value: string | null, verifiedAt: Date | null) {
  return value === null ? null : { masked: maskAddress(value), verified: verifiedAt !== null };
}
