import type { BodyOf } from "@perya/contract/call";
import { LOGIN_USERNAME } from "@perya/contract/login-name";
import type { recoveryCalls } from "@perya/contract/recovery";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { HasHungUp } from "../../../platform/turns.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { TakeProof } from "../factors/owner-proof.ts";
import { type PhoneProofs, takenBy } from "../factors/phone-proofs.ts";
import type { Asker, SmsCodes } from "../factors/sms-codes.ts";
import { ownSubjectsOf } from "../logins/login-gate.ts";
import { forgetFailures } from "../logins/logins.store.ts";
import {
  findMember,
  findMemberByMobile,
  findMemberByName,
  type MemberRow,
} from "../members/members.store.ts";
import { newPasswordFaults } from "../members/new-password.ts";
import type { PasswordWork } from "../members/passwords.ts";
import { e164, type PhoneNumber, readMobile } from "../members/phone-numbers.ts";
import type { PasswordSetting } from "./password-setting.ts";

export interface RecoveryByPhoneOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly passwords: PasswordWork;
  readonly setting: PasswordSetting;
  readonly codes: Pick<SmsCodes, "judge" | "wasTaken">;
  /** Null if no outside service verifies numbers for us. */
  readonly phoneProofs: PhoneProofs | null;
}

type GivenByPhone = BodyOf<(typeof recoveryCalls)["POST /api/v1/auth/password-by-phone"]>;

interface CallerByPhone {
  readonly language: string;
  readonly asker: Asker;
  readonly hasHungUp?: HasHungUp;
  /** From the phone's cookie (`deviceHashOf`); absent if it has none. */
  readonly deviceHash?: Buffer | null;
}

/**
 * A new password by a code on the phone, or by an outside service's word for the number. A stranger
 * gets the same answer whether or not an account exists, after the same work.
 */
export class RecoveryByPhone {
  readonly #options: RecoveryByPhoneOptions;

  constructor(options: RecoveryByPhoneOptions) {
    this.#options = options;
  }

  /** The first step by phone: judges the form of a name, and never tells whether anyone has it. */
  acceptName(merchant: Merchant, username: string): Result<void, Refusal> {
    if (!merchant.settings.recoveryByPhone) return refuse(refusal("feature_off"));
    if (LOGIN_USERNAME.test(username)) return ok(undefined);
    const fields = [{ field: "username", code: "bad_format" as const }];
    return refuse(refusal("invalid_input", { fields }));
  }

  /**
   * Sets a new password by a code that was sent to the account's own verified number, and ends all
   * sessions. A repetition is answered as done, for a caller who lost the answer. Refuses with
   * `feature_off`, field faults, `code_wrong` (also for an unknown name) or `modify.new.old.same`,
   * after which the code is still valid.
   */
  async setByPhone(
    merchant: Merchant,
    given: GivenByPhone,
    caller: CallerByPhone,
  ): Promise<Result<void, Refusal>> {
    const set = await this.#setByPhone(merchant, given, caller);
    if (set.ok) {
      // A player who forgot it has failed to log in, and logs in next: no captcha comes in between.
      const device = caller.deviceHash?.toString("base64url") ?? null;
      const own = ownSubjectsOf(given.username.toLowerCase(), device);
      await forgetFailures(this.#options.pool, merchant.id, own);
    }
    return set;
  }

  async #setByPhone(
    merchant: Merchant,
    given: GivenByPhone,
    caller: CallerByPhone,
  ): Promise<Result<void, Refusal>> {
    const { pool, passwords, phoneProofs, setting } = this.#options;
    const { language, asker, hasHungUp } = caller;
    const outside = (given.firebaseIdToken ?? "") !== "";
    if (!merchant.settings.recoveryByPhone || (outside && phoneProofs === null)) {
      return refuse(refusal("feature_off"));
    }
    const { username, newPassword } = given;
    const faults = newPasswordFaults(merchant, username, { newPassword });
    const number = readMobile(given.countryDialingCode, given.mobileNum);
    if (!number.ok) faults.push(number.error);
    if (!outside && given.verificationCode === undefined) {
      faults.push({ field: "verificationCode", code: "required" });
    }
    if (faults.length > 0 || !number.ok) {
      return refuse(refusal("invalid_input", { fields: faults }));
    }
    const named = await findMemberByName(pool, merchant.id, username);
    const { dialingCode, mobileNum } = number.value;
    const account =
      named?.mobile_verified_at != null &&
      named.dialing_code === dialingCode &&
      named.mobile_num === mobileNum
        ? named
        : null;
    // Compared for an unknown name as well; otherwise the time taken would tell.
    const same = await passwords.matches(account?.password_hash ?? null, newPassword, hasHungUp);
    const shown = await this.#shownBy(merchant, number.value, { ...given, asker });
    const wish = { newPassword, same, language };
    const set = await this.#setByUnusedWord(merchant, account, number.value, shown, wish);
    if (set.ok || set.error.code !== "code_wrong") return set;
    // The same request, earlier or at the same time, has done it by now.
    if (!(await shown?.wasTaken()) || account === null) return set;
    if (!(await setting.mayAskAgain(merchant, account.id))) return set;
    const now = await findMember(pool, merchant.id, account.id);
    const isDone = await passwords.matches(now?.password_hash ?? null, newPassword, hasHungUp);
    return isDone ? ok(undefined) : set;
  }

  async #setByUnusedWord(
    merchant: Merchant,
    account: MemberRow | null,
    number: PhoneNumber,
    shown: ShownNumber | null,
    { newPassword, same, language }: { newPassword: string; same: boolean; language: string },
  ): Promise<Result<void, Refusal>> {
    const { pool } = this.#options;
    const take = (await shown?.judge(account?.id ?? null)) ?? null;
    if (take === null) return refuse(refusal("code_wrong"));
    if (account === null) {
      // One code allows a request for one name.
      await take(pool);
      return refuse(refusal("code_wrong"));
    }
    if (same) return refuse(refusal("modify.new.old.same"));
    const told = { merchant, language, to: null };
    // A service's token stays valid for the number, even if another member has it by now.
    const still: TakeProof = async (db) => {
      const holder = await findMemberByMobile(db, merchant.id, number);
      return holder?.id === account.id && (await take(db));
    };
    const by = { take: still, taken: refusal("code_wrong"), session: null };
    return this.#options.setting.set(account, newPassword, by, told);
  }

  /** The proof that the caller gives for the number; null for a service's invalid token. */
  async #shownBy(
    merchant: Merchant,
    number: PhoneNumber,
    given: GivenByPhone & { readonly asker: Asker },
  ): Promise<ShownNumber | null> {
    const { pool, clock, codes, phoneProofs } = this.#options;
    const { verificationCode = "", firebaseChannel = "", firebaseIdToken = "", asker } = given;
    if (firebaseIdToken === "" || phoneProofs === null) {
      const code = { code: verificationCode, asker };
      return {
        wasTaken: () => codes.wasTaken(merchant, "reset", number, code),
        judge: () => codes.judge(merchant, "reset", number, code),
      };
    }
    const proof = await phoneProofs.judge(firebaseChannel, firebaseIdToken);
    if (proof === null || e164(proof.number) !== e164(number)) return null;
    return {
      wasTaken: () => proof.wasTaken(pool),
      async judge(memberId) {
        if (await proof.wasTaken(pool)) return null;
        return memberId === null ? proof.take : takenBy(memberId, proof, clock);
      },
    };
  }
}

interface ShownNumber {
  /** For a caller who took it and lost the answer. */
  wasTaken(): Promise<boolean>;
  /** Takes it for a member; null if it proves nothing. */
  judge(memberId: string | null): Promise<TakeProof | null>;
}
