import { LOGIN_USERNAME } from "@perya/contract/login-name";
import { fieldRefusal, type Refusal, type RefusalCode, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Clock, type Entropy, HOUR_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { hashOfToken } from "../../../platform/bearer-token.ts";
import { addJob } from "../../../platform/jobs.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import type { HasHungUp } from "../../../platform/turns.ts";
import type { Merchant } from "../../brand/brand.ts";
import {
  AbuseCounts,
  limitsOfAddress,
  limitsOfKnown,
  limitsOfMails,
  subjectOf,
} from "../defence/abuse-counts.ts";
import { KnownDevices } from "../defence/known-devices.ts";
import type { OwnerMails } from "../defence/owner-mails.ts";
import {
  type OwnerProof,
  TAKES_NOTHING,
  type TakeProof,
  tryOwnerProof,
} from "../factors/owner-proof.ts";
import { type PhoneProofs, takenBy } from "../factors/phone-proofs.ts";
import type { Asker, SmsCodes } from "../factors/sms-codes.ts";
import type { Totp } from "../factors/totp.ts";
import { ownSubjectsOf } from "../logins/login-gate.ts";
import {
  type AccountRow,
  findAccount,
  findAccountByName,
  findMailLink,
  findUsedMailLink,
  lockMember,
  setPassword,
  sweepMailLinks,
  useMailLink,
} from "../members/account.store.ts";
import { findMemberByMobile, forgetFailures } from "../members/members.store.ts";
import { newPasswordFaults } from "../members/new-password.ts";
import type { Passwords } from "../members/passwords.ts";
import { e164, type PhoneNumber, readMobile } from "../members/phone-numbers.ts";
import type { Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { RESET_LINK_MS, resetMailJob } from "./reset-mails.ts";

/** Reset requests per address, for any names. */
const ADDRESS_PER_HOUR = 20;
/** Requests whether a member's used links and codes set the password. */
const AGAIN_MAX = 5;

export interface RecoveryOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly totp: Totp;
  readonly codes: Pick<SmsCodes, "judge" | "wasTaken">;
  /** Null if no outside service verifies numbers for us. */
  readonly phoneProofs: PhoneProofs | null;
  /** False if this installation sends no mail, so that recovery by mail is off. */
  readonly mailsAreSent: boolean;
  readonly ownerMails: Pick<OwnerMails, "tell">;
}

/** The caller, and the language of the mail that follows. */
interface Caller {
  readonly address: string;
  readonly language: string;
  /** From the phone's cookie (`deviceHashOf`); absent if it has none. */
  readonly deviceHash?: Buffer | null;
}

interface GivenChange {
  readonly oldPassword?: string | undefined;
  readonly code?: string | undefined;
  readonly newPassword: string;
  readonly confirmNewPassword: string;
}

/** Refusals of the proof by which a member changes their password. */
const OF_A_PROOF: readonly RefusalCode[] = ["password_wrong", "code_wrong", "fresh_login_needed"];

interface GivenByPhone {
  readonly username: string;
  readonly newPassword: string;
  readonly countryDialingCode: string;
  readonly mobileNum: string;
  readonly verificationCode?: string | undefined;
  readonly firebaseChannel?: string | undefined;
  readonly firebaseIdToken?: string | undefined;
}

interface CallerByPhone {
  readonly language: string;
  readonly asker: Asker;
  readonly hasHungUp?: HasHungUp;
  /** As `Caller.deviceHash`. */
  readonly deviceHash?: Buffer | null;
}

/**
 * Ways to a new password: by a link in a mail, by a code on the phone, or by the old one. The first
 * two give a stranger the same answer whether or not an account exists, after the same work.
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #counts: AbuseCounts;
  readonly #devices: KnownDevices;

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
    this.#devices = new KnownDevices(options.pool, options.clock, options.entropy);
  }

  /**
   * Sends a link by a job if name and address belong together. The reply waits for nothing that
   * only a member has, and the mail that it announces survives this process. Refuses with
   * `feature_off` or `rate_limited`, which also count names that nobody has.
   */
  async forgot(
    merchant: Merchant,
    given: { readonly username: string; readonly email: string },
    { address, language, deviceHash = null }: Caller,
  ): Promise<Result<void, Refusal>> {
    const { clock, mailsAreSent } = this.#options;
    if (merchant.settings.recoveryByPhone || !mailsAreSent) return refuse(refusal("feature_off"));
    const { username, email } = given;
    const account = await findAccountByName(this.#options.pool, merchant.id, username);
    const known = await this.#devices.phoneOf(account?.id ?? null, deviceHash);
    const links = `reset:${subjectOf(username, email)}`;
    // Neither strangers who know a name and its address, nor others behind the same address, use up
    // what the owner may request on a phone of theirs.
    const limits =
      known === null
        ? [
            ...limitsOfMails(links, address),
            ...limitsOfAddress("reset:address", address, ADDRESS_PER_HOUR, HOUR_MS),
          ]
        : [
            ...limitsOfKnown(links, known),
            // For any text typed on it, since each made-up address would have a count of its own.
            { subject: `reset:phone:${known.by}`, max: ADDRESS_PER_HOUR, windowMs: HOUR_MS },
          ];
    const asked = {
      merchantId: merchant.id,
      username,
      email,
      address,
      known,
      language,
      at: clock.now(),
    };
    const counted = await this.#counts.spend(merchant.id, limits, (client) =>
      addJob(client, resetMailJob(asked)),
    );
    return counted.ok ? ok(undefined) : refuse(refusal("rate_limited", { retryAt: counted.error }));
  }

  /** The account of the link while it can be used; else `link_spent`. */
  async linkOwner(merchant: Merchant, token: string): Promise<Result<AccountRow, Refusal>> {
    const { pool, clock } = this.#options;
    const link = await findMailLink(pool, resetLink(merchant, token), clock.now());
    if (link === null) return refuse(refusal("link_spent"));
    const account = await findAccount(pool, merchant.id, link.member_id);
    return ok(present(account, "the member of a link"));
  }

  /**
   * Sets a new password by a link and ends all sessions. A repetition is answered as done, for a
   * caller who lost the answer. Refuses with `link_spent`, field faults or `modify.new.old.same`;
   * after the last two the link is still valid.
   */
  async setByLink(
    merchant: Merchant,
    given: GivenByLink,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const set = await this.#setByUnusedLink(merchant, given, language);
    if (set.ok || set.error.code !== "link_spent") return set;
    return (await this.#wasSetByLink(merchant, given)) ? ok(undefined) : set;
  }

  async #setByUnusedLink(
    merchant: Merchant,
    given: GivenByLink,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const { clock, passwords } = this.#options;
    const owner = await this.linkOwner(merchant, given.token);
    if (!owner.ok) return owner;
    const account = owner.value;
    const faults = newPasswordFaults(merchant, account.username, given);
    if (faults.length > 0) return refuse(refusal("invalid_input", { fields: faults }));
    if (await passwords.matches(account.password_hash, given.newPassword)) {
      return refuse(refusal("modify.new.old.same"));
    }
    const link = resetLink(merchant, given.token);
    const take: TakeProof = async (db) => (await useMailLink(db, link, clock.now())) !== null;
    // The address to which the link was sent, verified or not.
    const to = present(account.email, "the address of a reset link");
    const caller = { merchant, language, to };
    const by = { take, taken: refusal("link_spent"), session: null };
    return this.#setPassword(account, given.newPassword, by, caller);
  }

  /** Whether the link has set a password and the given one is in force. */
  async #wasSetByLink(merchant: Merchant, { token, newPassword }: GivenByLink): Promise<boolean> {
    const { pool, clock, passwords } = this.#options;
    const link = resetLink(merchant, token);
    const used = await findUsedMailLink(pool, link, clock.now());
    if (used === null) return false;
    if (!(await this.#mayAskAgain(merchant, used.member_id))) return false;
    const account = await findAccount(pool, merchant.id, used.member_id);
    return passwords.matches(account?.password_hash ?? null, newPassword);
  }

  /** Only a few times: a person who finds a used link must not guess by it what its owner chose. */
  async #mayAskAgain(merchant: Merchant, memberId: string): Promise<boolean> {
    const limit = { subject: `reset:again:${memberId}`, max: AGAIN_MAX, windowMs: RESET_LINK_MS };
    return (await this.#counts.spend(merchant.id, [limit])).ok;
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
    const { pool, passwords, phoneProofs } = this.#options;
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
    const named = await findAccountByName(pool, merchant.id, username);
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
    if (!(await this.#mayAskAgain(merchant, account.id))) return set;
    const now = await findAccount(pool, merchant.id, account.id);
    const isDone = await passwords.matches(now?.password_hash ?? null, newPassword, hasHungUp);
    return isDone ? ok(undefined) : set;
  }

  async #setByUnusedWord(
    merchant: Merchant,
    account: AccountRow | null,
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
    return this.#setPassword(account, newPassword, by, told);
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
    if (set.ok || !(await this.#wasChanged(set.error, merchant, session, given))) return set;
    return ok(undefined);
  }

  async #change(
    merchant: Merchant,
    session: Session,
    given: GivenChange,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const { pool, passwords } = this.#options;
    const { newPassword } = given;
    const faults = newPasswordFaults(merchant, session.username, given);
    if (faults.length > 0) return refuse(refusal("invalid_input", { fields: faults }));
    const account = present(
      await findAccount(pool, merchant.id, session.memberId),
      "the member of a session",
    );
    const proven = await this.#proveOwner(session, account, given);
    if (!proven.ok) return proven;
    if (await passwords.matches(account.password_hash, newPassword)) {
      return refuse(refusal("modify.new.old.same"));
    }
    const caller = { merchant, language, to: null };
    return this.#setPassword(account, newPassword, { ...proven.value, session }, caller);
  }

  /**
   * Whether a refused change was made by this very session. A change ends all other sessions, so an
   * older session that is still open must have made it. Checked only if the proof was wrong, whose
   * tries are counted, or if it was right until the same change took it. If no proof is needed, as
   * for a first password, the check itself is counted like a wrong one.
   */
  async #wasChanged(
    { code, fields }: Refusal,
    merchant: Merchant,
    session: Session,
    { newPassword }: GivenChange,
  ): Promise<boolean> {
    const hasNone = fields?.some(({ field }) => field === "oldPassword") === true;
    if (!hasNone && !OF_A_PROOF.includes(code)) return false;
    const { pool, passwords } = this.#options;
    const account = await findAccount(pool, merchant.id, session.memberId);
    const changedAt = account?.password_changed_at?.getTime() ?? null;
    if (account === null || changedAt === null || session.createdAt >= changedAt) return false;
    const isTheSame = () => passwords.matches(account.password_hash, newPassword);
    if (!hasNone) return isTheSame();
    const judge = async () => ((await isTheSame()) ? TAKES_NOTHING : null);
    return (await tryOwnerProof(this.#counts, session, judge, "password_wrong")).ok;
  }

  async #proveOwner(
    session: Session,
    account: AccountRow,
    given: { readonly oldPassword?: string | undefined; readonly code?: string | undefined },
  ): Promise<Result<OwnerProof, Refusal>> {
    const { passwords, sessions, totp } = this.#options;
    const { oldPassword, code } = given;
    if (oldPassword !== undefined) {
      const judge = async () =>
        (await passwords.matches(account.password_hash, oldPassword)) ? TAKES_NOTHING : null;
      const proven = await tryOwnerProof(this.#counts, session, judge, "password_wrong");
      return proven.ok ? ok({ take: proven.value, taken: refusal("password_wrong") }) : proven;
    }
    if (await totp.isOn(account.id)) {
      if (code === undefined) return refuse(fieldRefusal("code", "required"));
      const judge = () => totp.judge(account.id, code);
      const proven = await tryOwnerProof(this.#counts, session, judge, "code_wrong");
      return proven.ok ? ok({ take: proven.value, taken: refusal("code_wrong") }) : proven;
    }
    const required = fieldRefusal("oldPassword", "required");
    if (account.password_hash !== null) return refuse(required);
    const taken = refusal("fresh_login_needed");
    if (!(await sessions.isFresh(session.id))) return refuse(taken);
    const take: TakeProof = async (db) =>
      !(await totp.isOn(account.id, db)) && (await sessions.isFresh(session.id, db));
    return ok({ take, taken });
  }

  /** A job runs this: it deletes links that are over. */
  async sweep(): Promise<void> {
    await sweepMailLinks(this.#options.pool, this.#options.clock.now());
  }

  /** The proof that the caller gives for the number; null for a service's invalid token. */
  async #shownBy(
    merchant: Merchant,
    number: PhoneNumber,
    given: {
      readonly verificationCode?: string | undefined;
      readonly firebaseChannel?: string | undefined;
      readonly firebaseIdToken?: string | undefined;
      readonly asker: Asker;
    },
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

  /**
   * Takes the proof, sets the password and ends the other sessions, all or nothing, and mails the
   * owner. Refuses with `taken`, and does nothing, if another took the proof or set a password
   * meanwhile, or with `session_ended`.
   */
  async #setPassword(
    account: AccountRow,
    password: string,
    { take, taken, session }: Setting,
    { merchant, language, to }: Told,
  ): Promise<Result<void, Refusal>> {
    const { pool, clock, passwords, sessions, ownerMails } = this.#options;
    const passwordHash = await passwords.hash(password);
    const seen = account.password_changed_at?.getTime() ?? null;
    const set = await withTransaction(pool, async (client): Promise<Result<string[], Refusal>> => {
      const changedAt = await lockMember(client, account.id);
      const still = session === null ? ok(undefined) : await sessions.lockStanding(client, session);
      if (!still.ok) return still;
      // If the password was changed by now, the old one and its proofs are no longer valid.
      if (changedAt !== seen || !(await take(client))) return refuse(taken);
      const next = { memberId: account.id, passwordHash, except: session?.id ?? null };
      const signedOut = await setPassword(client, next, clock.now());
      const owned = { merchant, memberId: account.id, language };
      await ownerMails.tell(client, owned, { what: "password" }, to);
      return ok(signedOut);
    });
    if (!set.ok) return set;
    for (const id of set.value) sessions.forget(id);
    return ok(undefined);
  }
}

/** A code or a service's token that the caller gave for a number. */
interface ShownNumber {
  /** For a caller who took it and lost the answer. */
  wasTaken(): Promise<boolean>;
  /** Takes it for a member; null if it proves nothing. */
  judge(memberId: string | null): Promise<TakeProof | null>;
}

/** The proof by which a password is set, and the session, which stays; null for a visitor. */
interface Setting extends OwnerProof {
  readonly session: Session | null;
}

interface GivenByLink {
  readonly token: string;
  readonly newPassword: string;
  readonly confirmNewPassword: string;
}

/** Where the mail about a new password goes. */
interface Told {
  readonly merchant: Merchant;
  readonly language: string;
  /** Null for the member's verified address. */
  readonly to: string | null;
}

function resetLink(merchant: Merchant, token: string) {
  return { merchantId: merchant.id, purpose: "reset" as const, tokenHash: hashOfToken(token) };
}
