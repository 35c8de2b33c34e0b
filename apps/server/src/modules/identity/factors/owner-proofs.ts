import type { BodyOf } from "@perya/contract/call";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import type { securityCalls } from "@perya/contract/security";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { ModuleParts } from "../../../platform/server-module.ts";
import { AbuseCounts } from "../defence/abuse-counts.ts";
import { type MemberRow, ownAccount } from "../members/members.store.ts";
import type { PasswordWork } from "../members/passwords.ts";
import type { Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { type OwnerProof, type TakeProof, tryOwnerProof } from "./owner-proof.ts";
import type { PaymentProofs } from "./payment-proofs.ts";
import type { Totp } from "./totp.ts";

/** What proves who plays: the strongest of what the account has, as `OwnerProofs.strongest` says. */
export type GivenProof = BodyOf<(typeof securityCalls)["POST /api/v1/auth/fresh"]>;

export interface OwnerProofsOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly passwords: PasswordWork;
  readonly sessions: Sessions;
  readonly totp: Totp;
  readonly paymentProofs: Pick<PaymentProofs, "tryPassword">;
}

/** Proofs by which a session's holder shows that they own its account, by what that has. */
export class OwnerProofs {
  readonly #options: OwnerProofsOptions;
  readonly #counts: AbuseCounts;

  constructor(options: OwnerProofsOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
  }

  /**
   * By the strongest that the account has: with two-factor login the code, without it the password,
   * and if there is neither, the payment password. Refuses with `required` for the one that is
   * missing, `password_wrong`, `code_wrong`, `payment_password_wrong` or `rate_limited`.
   */
  async strongest(
    session: Session,
    account: MemberRow,
    { password, code, paymentPassword }: GivenProof,
  ): Promise<Result<OwnerProof, Refusal>> {
    const { totp } = this.#options;
    if (await totp.isOn(account.id)) return this.byCode(session, code);
    const byPayment = account.password_hash === null && account.payment_password_hash !== null;
    const field = byPayment ? "paymentPassword" : "password";
    const given = byPayment ? paymentPassword : password;
    if (given === undefined) return refuse(fieldRefusal(field, "required"));
    const proven = byPayment
      ? await this.byPaymentPassword(session, given)
      : await this.byPassword(session, account, given);
    if (!proven.ok) return proven;
    const { take, taken } = proven.value;
    // If an authenticator was switched on meanwhile, that is what the caller must prove by.
    const alone: TakeProof = async (db) => !(await totp.isOn(account.id, db)) && (await take(db));
    return ok({ take: alone, taken });
  }

  async byCode(session: Session, code: string | undefined): Promise<Result<OwnerProof, Refusal>> {
    if (code === undefined) return refuse(fieldRefusal("code", "required"));
    const judge = () => this.#options.totp.judge(session.memberId, code);
    return this.#tried(session, judge, "code_wrong");
  }

  /** By the log-in's password, while it is still the account's. */
  async byPassword(
    session: Session,
    account: MemberRow,
    password: string,
  ): Promise<Result<OwnerProof, Refusal>> {
    const changedAt = account.password_changed_at?.getTime();
    const take: TakeProof = async (db) =>
      (await ownAccount(db, session)).password_changed_at?.getTime() === changedAt;
    const judge = async () =>
      (await this.#options.passwords.matches(account.password_hash, password)) ? take : null;
    return this.#tried(session, judge, "password_wrong");
  }

  async byPaymentPassword(
    session: Session,
    paymentPassword: string,
  ): Promise<Result<OwnerProof, Refusal>> {
    const proven = await this.#options.paymentProofs.tryPassword(session, paymentPassword);
    const taken = refusal("payment_password_wrong");
    return proven.ok ? ok({ take: proven.value, taken }) : proven;
  }

  /** For an account with neither password nor authenticator: by what else has made it fresh. */
  async byFreshness(session: Session): Promise<Result<OwnerProof, Refusal>> {
    const { sessions, totp } = this.#options;
    const fresh = await sessions.admitFresh(session);
    if (!fresh.ok) return fresh;
    const take: TakeProof = async (db) =>
      !(await totp.isOn(session.memberId, db)) && (await sessions.isFresh(session.id, db));
    return ok({ take, taken: refusal("fresh_login_needed") });
  }

  async #tried(
    session: Session,
    judge: () => Promise<TakeProof | null>,
    wrong: "password_wrong" | "code_wrong",
  ): Promise<Result<OwnerProof, Refusal>> {
    const proven = await tryOwnerProof(this.#counts, session, judge, wrong);
    return proven.ok ? ok({ take: proven.value, taken: refusal(wrong) }) : proven;
  }
}
