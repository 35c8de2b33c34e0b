import { type Refusal, refusal } from "@perya/contract/refusal";
import { MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { OwnerMails } from "../defence/owner-mails.ts";
import { voidOpenChallenges } from "../members/open-challenges.store.ts";
import { ownerIn, type Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { OwnerProofs } from "./owner-proofs.ts";
import { confirmTotp, findTotp, removeTotp, saveRecoveryCodes } from "./totp.store.ts";
import type { Totp } from "./totp.ts";

const ENROLMENT_MS = 30 * MINUTE_MS;

export interface TwoFactorOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly sessions: Sessions;
  readonly totp: Totp;
  readonly proofs: OwnerProofs;
  readonly ownerMails: Pick<OwnerMails, "tell">;
}

export class TwoFactor {
  readonly #options: TwoFactorOptions;

  constructor(options: TwoFactorOptions) {
    this.#options = options;
  }

  /** A secret for the authenticator app: `fresh_login_needed`, or `wrong_state` if one is on. */
  async begin(
    merchant: Merchant,
    session: Session,
  ): Promise<Result<{ secret: string; uri: string }, Refusal>> {
    const { totp, sessions } = this.#options;
    const fresh = await sessions.admitFresh(session);
    return fresh.ok ? totp.begin(merchant.name, session) : fresh;
  }

  /**
   * Puts the secret that this session began with in force, voids what was begun or, in other
   * sessions, proven without it, and mails the owner. Answers the recovery codes, which nobody can
   * read again. Refuses with `fresh_login_needed`, with `wrong_state` if one is in force, another
   * session began, or it began too long ago, or with `code_wrong`.
   */
  async confirm(
    merchant: Merchant,
    session: Session,
    code: string,
    language: string,
  ): Promise<Result<string[], Refusal>> {
    const { pool, clock, totp, sessions, ownerMails } = this.#options;
    const { memberId } = session;
    const fresh = await sessions.admitFresh(session);
    if (!fresh.ok) return fresh;
    const row = await findTotp(pool, memberId);
    if (row === null || row.confirmed_at !== null || row.session_id !== session.id) {
      return refuse(refusal("wrong_state"));
    }
    const since = clock.now() - (row.begun_at?.getTime() ?? 0);
    if (since >= ENROLMENT_MS) return refuse(refusal("wrong_state"));
    const step = await totp.stepOf(row.sealed_secret, code);
    if (step === null) return refuse(refusal("code_wrong"));
    const { codes, hashed } = await totp.freshRecoveryCodes(memberId);
    const one = { sealedSecret: row.sealed_secret, step };
    // Checked again under the member's lock, since the recovery codes take their time.
    return sessions.whileFresh(session, async (client) => {
      const first = await confirmTotp(client, memberId, one, clock.now());
      if (!first) return refuse(refusal("wrong_state"));
      await saveRecoveryCodes(client, memberId, hashed);
      await voidOpenChallenges(client, ownerIn(session), clock.now());
      const owned = { merchant, memberId, language };
      await ownerMails.tell(client, owned, { what: "twoFactor", on: true });
      return ok(codes);
    });
  }

  /**
   * Makes ten new recovery codes in place of the earlier ones, voids what was begun or, in other
   * sessions, proven by them, and mails the owner: for a member who lost them, or the answer that
   * held them. Refuses with `fresh_login_needed`, or `wrong_state` if two-factor login is off.
   */
  async renewRecoveryCodes(
    merchant: Merchant,
    session: Session,
    language: string,
  ): Promise<Result<string[], Refusal>> {
    const { clock, totp, sessions, ownerMails } = this.#options;
    const { memberId } = session;
    const fresh = await sessions.admitFresh(session);
    if (!fresh.ok) return fresh;
    if (!(await totp.isOn(memberId))) return refuse(refusal("wrong_state"));
    const { codes, hashed } = await totp.freshRecoveryCodes(memberId);
    return sessions.whileFresh(session, async (client) => {
      if (!(await totp.isOn(memberId, client))) return refuse(refusal("wrong_state"));
      await saveRecoveryCodes(client, memberId, hashed);
      await voidOpenChallenges(client, ownerIn(session), clock.now());
      const owned = { merchant, memberId, language };
      await ownerMails.tell(client, owned, { what: "recoveryCodes" });
      return ok(codes);
    });
  }

  /**
   * Switches two-factor login off by one of its codes or a recovery code, however fresh the login
   * is, voids what was begun or, in other sessions, proven by them, and mails the owner. Refuses
   * with `wrong_state` if it is off, `code_wrong` or `rate_limited`.
   */
  async remove(
    merchant: Merchant,
    session: Session,
    code: string,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const { clock, totp, sessions, proofs, ownerMails } = this.#options;
    const { memberId } = session;
    if (!(await totp.isOn(memberId))) return refuse(refusal("wrong_state"));
    const proven = await proofs.byCode(session, code);
    if (!proven.ok) return proven;
    const { take, taken } = proven.value;
    return sessions.whileOpen(session, async (client) => {
      if (!(await take(client))) return refuse(taken);
      await voidOpenChallenges(client, ownerIn(session), clock.now());
      if (!(await removeTotp(client, memberId))) return refuse(refusal("wrong_state"));
      const owned = { merchant, memberId, language };
      await ownerMails.tell(client, owned, { what: "twoFactor", on: false });
      return ok(undefined);
    });
  }
}
