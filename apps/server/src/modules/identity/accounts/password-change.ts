import type { BodyOf } from "@perya/contract/call";
import type { recoveryCalls } from "@perya/contract/recovery";
import { fieldRefusal, type Refusal, type RefusalCode, refusal } from "@perya/contract/refusal";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import { AbuseCounts } from "../defence/abuse-counts.ts";
import { type OwnerProof, TAKES_NOTHING, tryOwnerProof } from "../factors/owner-proof.ts";
import type { OwnerProofs } from "../factors/owner-proofs.ts";
import type { Totp } from "../factors/totp.ts";
import { type MemberRow, ownAccount } from "../members/members.store.ts";
import { newPasswordFaults } from "../members/new-password.ts";
import type { PasswordWork } from "../members/passwords.ts";
import type { Session } from "../sessions/session.ts";
import type { PasswordSetting } from "./password-setting.ts";

export interface PasswordChangeOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly passwords: PasswordWork;
  readonly totp: Totp;
  readonly proofs: OwnerProofs;
  readonly setting: PasswordSetting;
}

type GivenChange = BodyOf<(typeof recoveryCalls)["POST /api/v1/auth/password"]>;

const OF_A_PROOF: readonly RefusalCode[] = ["password_wrong", "code_wrong", "fresh_login_needed"];

export class PasswordChange {
  readonly #options: PasswordChangeOptions;
  readonly #counts: AbuseCounts;

  constructor(options: PasswordChangeOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
  }

  /**
   * Changes the password of a session's member and ends all other sessions, by the old one or, with
   * two-factor login, by a code. A member who has neither sets their first one while the login is
   * fresh. A repetition is answered as done, for a caller who lost the answer. Refuses with field
   * faults, `password_wrong`, `code_wrong`, `rate_limited`, `fresh_login_needed` or
   * `modify.new.old.same`.
   */
  async change(
    merchant: Merchant,
    session: Session,
    given: GivenChange,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const set = await this.#change(merchant, session, given, language);
    if (set.ok || !(await this.#wasChanged(set.error, session, given))) return set;
    return ok(undefined);
  }

  async #change(
    merchant: Merchant,
    session: Session,
    given: GivenChange,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const { pool, passwords, setting } = this.#options;
    const { newPassword } = given;
    const faults = newPasswordFaults(merchant, session.username, given);
    if (faults.length > 0) return refuse(refusal("invalid_input", { fields: faults }));
    const account = await ownAccount(pool, session);
    const proven = await this.#proveOwner(session, account, given);
    if (!proven.ok) return proven;
    if (await passwords.matches(account.password_hash, newPassword)) {
      return refuse(refusal("modify.new.old.same"));
    }
    const caller = { merchant, language, to: null };
    return setting.set(account, newPassword, { ...proven.value, session }, caller);
  }

  /**
   * Whether a refused change was made by this very session. A change ends all other sessions, so an
   * older session that is still open must have made it. Checked only if the proof was wrong, whose
   * tries are counted, or if it was right until the same change took it. If no proof is needed, as
   * for a first password, the check itself is counted like a wrong one.
   */
  async #wasChanged(
    { code, fields }: Refusal,
    session: Session,
    { newPassword }: GivenChange,
  ): Promise<boolean> {
    const hasNone = fields?.some(({ field }) => field === "oldPassword") === true;
    if (!hasNone && !OF_A_PROOF.includes(code)) return false;
    const { pool, passwords } = this.#options;
    const account = await ownAccount(pool, session);
    const changedAt = account.password_changed_at?.getTime() ?? null;
    if (changedAt === null || session.createdAt >= changedAt) return false;
    const isTheSame = () => passwords.matches(account.password_hash, newPassword);
    if (!hasNone) return isTheSame();
    const judge = async () => ((await isTheSame()) ? TAKES_NOTHING : null);
    return (await tryOwnerProof(this.#counts, session, judge, "password_wrong")).ok;
  }

  async #proveOwner(
    session: Session,
    account: MemberRow,
    { oldPassword, code }: Pick<GivenChange, "oldPassword" | "code">,
  ): Promise<Result<OwnerProof, Refusal>> {
    const { proofs, totp } = this.#options;
    if (oldPassword !== undefined) return proofs.byPassword(session, account, oldPassword);
    if (await totp.isOn(account.id)) return proofs.byCode(session, code);
    if (account.password_hash === null) return proofs.byFreshness(session);
    return refuse(fieldRefusal("oldPassword", "required"));
  }
}
