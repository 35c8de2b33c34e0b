import { isNameOfNumber } from "@perya/contract/number-names";
import { type FieldFault, fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { assert, present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { type Clock, DAY_MS, type Entropy, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { systemElapsed } from "../../platform/clock.ts";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { constraintOf, withTransaction } from "../../platform/postgres/pool.ts";
import { type HasHungUp, NoTurn } from "../../platform/turns.ts";
import { isOn, type Merchant } from "../brand/brand.ts";
import { AbuseCounts } from "./abuse-counts.ts";
import type { Captchas } from "./captcha.ts";
import {
  deleteTrial,
  findMember,
  findMemberByMobile,
  findMemberByName,
  findUnusedTrials,
  insertLoginEvent,
  insertMember,
  keepTrial,
  type MemberRow,
  type NewLoginEvent,
  type NewMember,
  renewPasswordHash,
  setBlocked,
  sweepExpired,
} from "./identity.store.ts";
import { deviceHashOf, KnownDevices } from "./known-devices.ts";
import { type CaptchaAnswer, LoginGate } from "./login-gate.ts";
import { NewAccounts } from "./new-accounts.ts";
import { mustTake, ProofTaken, TAKES_NOTHING, type TakeProof } from "./owner-proof.ts";
import type { PasskeyOwner } from "./passkeys.ts";
import type { PasswordWork } from "./passwords.ts";
import { e164, readMobile } from "./phone-numbers.ts";
import { type PhoneProofs, takenBy } from "./phone-proofs.ts";
import {
  type OutsideAccount,
  type Registered,
  type Registration,
  type RegistrationFields,
  Registrations,
} from "./registration.ts";
import type { PendingLogin, SecondFactor } from "./second-factor.ts";
import { isForeignKeyViolation } from "./security.store.ts";
import { doorFault, type Session, type SessionMethod, TRIAL_TYPE } from "./session.ts";
import {
  type Device,
  FactorsChanged,
  type LoggedIn,
  Sessions,
  USER_AGENT_MAX,
} from "./sessions.ts";
import type { SmsCodes } from "./sms-codes.ts";

export type { Merchant } from "../brand/brand.ts";
export { lockMember } from "./account.store.ts";
export { trustNothing } from "./after-restore.store.ts";
export type { Captchas } from "./captcha.ts";
export { CLAIMS_NOTHING, type ClaimGift, type Gifts, give, releaseGift } from "./gifts.ts";
export {
  findMemberByName,
  insertInvitationCode,
  insertLoginEvent,
  insertMember,
} from "./identity.store.ts";
export { DEVICE_COOKIE, type DeviceName } from "./known-devices.ts";
export { proofsChangedAt } from "./open-challenges.store.ts";
export type { OwnerMails } from "./owner-mails.ts";
export type { Argon2 } from "./passwords.ts";
export type { PaymentProofs, ProofEffect } from "./payment-proofs.ts";
export type { Routes } from "./routes.ts";
export { isUniqueViolation } from "./security.store.ts";
export { callerOfType, SESSION_IDLE_MS, type Session, TRIAL_TYPE } from "./session.ts";
export { endedByOwnerAt, sessionStands } from "./sessions.store.ts";
export type { Sessions } from "./sessions.ts";

/** For so long an expired session shows its member and the house who was in, and from where. */
const SESSIONS_KEPT_MS = 30 * DAY_MS;
const LOGINS_KEPT_MS = 365 * DAY_MS;
/** By then its session has expired, and nothing else opens a free-play account. */
const TRIALS_KEPT_MS = 30 * DAY_MS;
const TRIALS_A_SLICE = 500;
/** A longer run would delay the later sweeps; the next run does the rest. */
const TRIALS_RUN_MS = MINUTE_MS;

/** What identity needs of the wallets, which it does not know. */
export interface Wallets {
  /** Opens the wallet of a new member in the member's own transaction. */
  open(client: pg.ClientBase, member: OpenedMember): Promise<void>;
  giveTrialCredit(member: OpenedMember, amountMinor: bigint): Promise<void>;
}

interface OpenedMember {
  readonly id: string;
  readonly merchant: Merchant;
  readonly type: number;
}

/** What a login form sends; each type of login reads its own part (accounts §3). */
export interface LoginForm extends CaptchaAnswer {
  readonly type: "username" | "sms" | "firebase";
  /** For type `sms`: the digits of a mobile number. */
  readonly username?: string | undefined;
  /** For type `sms`: the code that was sent to it. */
  readonly password?: string | undefined;
  readonly countryDialingCode?: string | undefined;
  readonly firebaseChannel?: string | undefined;
  readonly firebaseIdToken?: string | undefined;
}

export interface IdentityOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly captchas: Captchas;
  readonly passwords: PasswordWork;
  readonly smsCodes: SmsCodes;
  /** Null if no outside service verifies numbers for us. */
  readonly phoneProofs: PhoneProofs | null;
  readonly secondFactor: SecondFactor;
  readonly wallets: Wallets;
  /** Milliseconds since any fixed moment; tests advance it themselves. */
  readonly elapsed?: () => number;
}

/** Members, their passwords and their sessions. Every look-up is keyed by merchant. */
export class Identity {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #elapsed: () => number;
  readonly #wallets: Wallets;
  readonly #passwords: PasswordWork;
  readonly #smsCodes: SmsCodes;
  readonly #phoneProofs: PhoneProofs | null;
  readonly #secondFactor: SecondFactor;
  readonly #gate: LoginGate;
  readonly #devices: KnownDevices;
  readonly #registrations: Registrations;
  readonly #newAccounts: NewAccounts;
  readonly sessions: Sessions;

  constructor(options: IdentityOptions) {
    const { pool, clock, entropy, captchas } = options;
    this.#pool = pool;
    this.#clock = clock;
    this.#entropy = entropy;
    this.#elapsed = options.elapsed ?? systemElapsed;
    this.#wallets = options.wallets;
    this.#passwords = options.passwords;
    this.#smsCodes = options.smsCodes;
    this.#phoneProofs = options.phoneProofs;
    this.#secondFactor = options.secondFactor;
    this.#gate = new LoginGate(pool, clock, captchas);
    this.#devices = new KnownDevices(pool, clock, entropy);
    this.#registrations = new Registrations({
      ...options,
      devices: this.#devices,
      addMember: (merchant, member, also) => this.addMember(merchant, member, also),
    });
    this.#newAccounts = new NewAccounts(pool, clock);
    this.sessions = new Sessions(pool, clock, entropy);
  }

  register(
    merchant: Merchant,
    form: Registration,
    device: Device,
  ): Promise<Result<Registered, Refusal>> {
    return this.#registrations.register(merchant, form, device);
  }

  registerOutside(
    merchant: Merchant,
    form: RegistrationFields,
    outside: OutsideAccount,
    device: Device,
  ): Promise<Result<Registered, Refusal>> {
    return this.#registrations.registerOutside(merchant, form, outside, device);
  }

  verify(...asked: Parameters<Registrations["verify"]>): FieldFault[] {
    return this.#registrations.verify(...asked);
  }

  /** Whether an invitation code invites to this brand. */
  invites(merchant: Merchant, code: string): Promise<boolean> {
    return this.#registrations.invites(merchant, code);
  }

  /** Whether the name can be chosen; the same answer for any number, taken or not. */
  async isFree(merchant: Merchant, username: string): Promise<boolean> {
    if (isNameOfNumber(username)) return false;
    return (await findMemberByName(this.#pool, merchant.id, username)) === null;
  }

  /**
   * Refuses with a fault of a field, `feature_off`, what `LoginGate.admit` says, what `finishLogin`
   * says, or one neutral answer for an unknown name and a wrong proof, after the same work.
   */
  async login(
    merchant: Merchant,
    form: LoginForm,
    device: Device,
  ): Promise<Result<LoggedIn | PendingLogin, Refusal>> {
    switch (form.type) {
      case "username":
        return this.#loginByPassword(merchant, form, device);
      case "sms":
        return this.#loginByCode(merchant, form, device);
      case "firebase":
        return this.#loginByPhoneProof(merchant, form, device);
    }
  }

  /**
   * The end of every login, once the member has proved who they are: begins the session, or the
   * wait for their second factor, and takes the proof with it. Refuses with `not_member_account`,
   * `not_agent_account` or, for a proof that another request took, `proof.taken`.
   */
  async finishLogin(
    merchant: Merchant,
    member: MemberRow,
    device: Device,
    method: SessionMethod,
    proof: LoginProof,
  ): Promise<Result<LoggedIn | PendingLogin, Refusal>> {
    const admitted = await this.#admit(merchant, member, device, method);
    if (!admitted.ok) return admitted;
    if (await this.#secondFactor.needed(member.id)) {
      return unlessOvertaken(proof, () => this.#secondFactor.hold(member, method, proof.take));
    }
    const alone = async (client: pg.ClientBase) => {
      // Checked again under the member's lock: it may have been switched on since.
      if (await this.#secondFactor.needed(member.id, client)) throw new FactorsChanged();
    };
    return this.#enter(merchant, member, device, method, proof, alone);
  }

  /**
   * The end of a login by passkey. A passkey is something one has, unlocked by something one knows
   * or is: both factors, so no second step follows. Refuses as `finishLogin` does.
   */
  async finishPasskeyLogin(
    merchant: Merchant,
    { member, take }: PasskeyOwner,
    device: Device,
  ): Promise<Result<LoggedIn, Refusal>> {
    const admitted = await this.#admit(merchant, member, device, "passkey");
    if (!admitted.ok) return admitted;
    const taken = refusal("passkey_refused");
    return this.#enter(merchant, member, device, "passkey", { take, taken });
  }

  /**
   * Ends a login that waited for its second factor, on either kind of host. Refuses with
   * `link_spent`, `rate_limited`, `code_wrong`, `not_member_account` or `not_agent_account`.
   */
  async finishSecondFactor(
    merchant: Merchant,
    given: { readonly pending: string; readonly code: string },
    device: Device,
  ): Promise<Result<LoggedIn, Refusal>> {
    const judged = await this.#secondFactor.judge(merchant, given, device.token);
    if (!judged.ok) return judged;
    const { member, method, take } = judged.value;
    const admitted = await this.#admit(merchant, member, device, method);
    if (!admitted.ok) return admitted;
    const taken = refusal("code_wrong");
    if (take !== null) return this.#enter(merchant, member, device, method, { take, taken });
    await this.#noteLogin(merchant, member, device, method, "second_factor_wrong");
    return refuse(taken);
  }

  async #admit(
    merchant: Merchant,
    member: MemberRow,
    device: Device,
    method: SessionMethod,
  ): Promise<Result<void, Refusal>> {
    const closed = doorFault(merchant, member.type, device.host);
    if (closed === null) return ok(undefined);
    await this.#noteLogin(merchant, member, device, method, "refused");
    return refuse(closed);
  }

  /**
   * Writes the session, the device that is known from now on and the line in the member's history,
   * and takes the proof: all or nothing, so that a caller who gets "busy" can prove it once more.
   */
  #enter(
    merchant: Merchant,
    member: MemberRow,
    device: Device,
    method: SessionMethod,
    proof: LoginProof,
    mustHold: (client: pg.ClientBase) => Promise<void> = async () => undefined,
  ): Promise<Result<LoggedIn, Refusal>> {
    return unlessOvertaken(proof, async () => {
      const deviceToken = await this.#devices.tokenOf(device.token);
      const started = await this.sessions.start(member, device, method, async (client) => {
        await mustHold(client);
        await mustTake(client, proof.take);
        await this.#devices.note(member.id, deviceToken, client);
        await this.#noteLogin(merchant, member, device, method, "done", client);
      });
      return { ...started, deviceToken };
    });
  }

  async #loginByPassword(merchant: Merchant, form: LoginForm, device: Device) {
    const { username, password } = form;
    if (username === undefined) return refuse(fieldRefusal("username", "required"));
    if (password === undefined) return refuse(fieldRefusal("password", "required"));
    const member = await findMemberByName(this.#pool, merchant.id, username);
    return this.#judge(merchant, form, device, {
      subject: username.toLowerCase(),
      member,
      method: "password",
      prove: async () =>
        (await this.#isPassword(member, password, device.hasHungUp)) ? TAKES_NOTHING : null,
      wrong: "login_failed",
    });
  }

  /** Renews the hash of a right password if its figures are dated. */
  async #isPassword(
    member: MemberRow | null,
    password: string,
    hasHungUp: HasHungUp | undefined,
  ): Promise<boolean> {
    const stored = member?.password_hash ?? null;
    const right = await this.#passwords.matches(stored, password, hasHungUp);
    if (right && member !== null && stored !== null && this.#passwords.isDated(stored)) {
      await this.#renew(member.id, stored, password);
    }
    return right;
  }

  async #renew(memberId: string, stored: string, password: string): Promise<void> {
    try {
      const hash = await this.#passwords.hash(password);
      await renewPasswordHash(this.#pool, memberId, stored, hash);
    } catch (error) {
      // The password was right: the next log-in renews its hash.
      if (!(error instanceof NoTurn)) throw error;
    }
  }

  async #loginByCode(merchant: Merchant, form: LoginForm, device: Device) {
    if (!isOn(merchant, "MOBILEVERCODELOGIN3")) return refuse(refusal("feature_off"));
    const { username, password, countryDialingCode } = form;
    if (countryDialingCode === undefined) {
      return refuse(fieldRefusal("countryDialingCode", "required"));
    }
    if (username === undefined) return refuse(fieldRefusal("username", "required"));
    if (password === undefined) return refuse(fieldRefusal("password", "required"));
    const read = readMobile(countryDialingCode, username, "username");
    if (!read.ok) return refuse(refusal("invalid_input", { fields: [read.error] }));
    const number = read.value;
    const asker = { browser: device.asker };
    return this.#judge(merchant, form, device, {
      subject: e164(number),
      member: await findMemberByMobile(this.#pool, merchant.id, number),
      method: "sms",
      prove: () => this.#smsCodes.judge(merchant, "login", number, { code: password, asker }),
      wrong: "code_wrong",
    });
  }

  /** The service's token says whose number it is; a number that the form names is ignored. */
  async #loginByPhoneProof(merchant: Merchant, form: LoginForm, device: Device) {
    if (this.#phoneProofs === null || !isOn(merchant, "MOBILEVERCODELOGIN3")) {
      return refuse(refusal("feature_off"));
    }
    const { firebaseIdToken, firebaseChannel = "" } = form;
    if (firebaseIdToken === undefined) return refuse(fieldRefusal("firebaseIdToken", "required"));
    const taken = refusal("code_wrong");
    const proof = await this.#phoneProofs.judge(firebaseChannel, firebaseIdToken);
    if (proof === null) return refuse(taken);
    const { number } = proof;
    const member = await findMemberByMobile(this.#pool, merchant.id, number);
    // The holder of the number's phone may learn that no member has it.
    if (member === null) return refuse(refusal("user_missing"));
    const take: TakeProof = async (db) => {
      const holder = await findMemberByMobile(db, merchant.id, number);
      return holder?.id === member.id && (await takenBy(member.id, proof, this.#clock)(db));
    };
    return this.finishLogin(merchant, member, device, "sms", { take, taken });
  }

  async #judge(
    merchant: Merchant,
    form: LoginForm,
    device: Device,
    claim: Claim,
  ): Promise<Result<LoggedIn | PendingLogin, Refusal>> {
    const { subject, member, method } = claim;
    const deviceHash = deviceHashOf(device.token);
    const known = await this.#devices.knows(member?.id ?? null, deviceHash);
    const knownDevice = known ? (deviceHash?.toString("base64url") ?? null) : null;
    const { address } = device;
    const one = { merchantId: merchant.id, claim: subject, address, knownDevice };
    const admitted = await this.#gate.admit(one, form);
    if (!admitted.ok) return admitted;
    const take = await claim.prove().catch(async (error: unknown) => {
      // A try that was not judged is nobody's failure.
      if (error instanceof NoTurn) await this.#gate.takeBack(admitted.value);
      throw error;
    });
    if (member === null || take === null) {
      await this.#noteLogin(merchant, member, device, method, "wrong");
      return refuse(refusal(claim.wrong, { captchaRequired: true }));
    }
    await this.#gate.forgive(admitted.value);
    const taken = refusal(claim.wrong, { captchaRequired: true });
    return this.finishLogin(merchant, member, device, method, { take, taken });
  }

  /** Also for an unknown name: the time saved by a missing row would tell that nobody has it. */
  async #noteLogin(
    merchant: Merchant,
    member: MemberRow | null,
    { address, userAgent }: Device,
    method: SessionMethod,
    outcome: NewLoginEvent["outcome"],
    db: pg.Pool | pg.ClientBase = this.#pool,
  ): Promise<void> {
    const now = this.#clock.now();
    const event = {
      id: mintId("loginEvent", now, this.#entropy.bytes(16)),
      merchantId: merchant.id,
      memberId: member?.id ?? null,
      method,
      outcome,
      address,
      userAgent: userAgent.slice(0, USER_AGENT_MAX),
    };
    await insertLoginEvent(db, event, now);
  }

  /** A free-play account with the brand's trial credit, logged in. */
  async startTrial(merchant: Merchant, device: Device): Promise<Result<LoggedIn, Refusal>> {
    if (!isOn(merchant, "FREEPLAY3")) return refuse(refusal("feature_off"));
    const closed = doorFault(merchant, TRIAL_TYPE, device.host);
    if (closed !== null) return refuse(closed);
    const place = await this.#newAccounts.takeTrial(merchant, device);
    if (!place.ok) return place;
    let member: MemberRow | null = null;
    try {
      member = await this.#addTrial(merchant);
    } finally {
      if (member === null) await place.value.giveBack();
    }
    return ok(await this.sessions.start(member, device, "trial"));
  }

  async #addTrial(merchant: Merchant): Promise<MemberRow> {
    const id = mintId("member", this.#clock.now(), this.#entropy.bytes(16));
    const added = await this.addMember(merchant, {
      id,
      merchantId: merchant.id,
      username: `trial${id.slice(-10)}`,
      nickname: null,
      email: null,
      birthday: null,
      affiliateCode: null,
      type: TRIAL_TYPE,
      passwordHash: null,
    });
    assert(added === "added", "a fresh trial name is free");
    const opened = { id, merchant, type: TRIAL_TYPE };
    await this.#wallets.giveTrialCredit(opened, merchant.settings.trialCreditMinor);
    return present(await findMember(this.#pool, merchant.id, id), "the new trial member");
  }

  async member(session: Session): Promise<MemberRow> {
    const member = await findMember(this.#pool, session.merchantId, session.memberId);
    return present(member, "the member of a session");
  }

  /** Stops a member from betting and paying, or lets them again. */
  async block(memberId: string, blocked: boolean): Promise<void> {
    await setBlocked(this.#pool, memberId, blocked);
    this.sessions.forgetAll();
  }

  /** A job runs this: it deletes what has expired. */
  async sweep(): Promise<void> {
    const now = this.#clock.now();
    const kept = {
      forgottenBefore: this.#gate.forgottenBefore(),
      sessionsBefore: now - SESSIONS_KEPT_MS,
      loginsBefore: now - LOGINS_KEPT_MS,
    };
    await eachByItself({
      expired: () => sweepExpired(this.#pool, now, kept),
      devices: () => this.#devices.sweep(),
      counts: () => new AbuseCounts(this.#pool, this.#clock).sweep(),
    });
  }

  /**
   * A job runs this: it deletes free-play accounts that nobody used for long, with their sessions.
   * Accounts that were played with stay, and so do all ledger entries, since nothing is deleted
   * from the books. A run takes a minute at most.
   * @param clear deletes what other modules have of a member who never played; false if they played
   */
  async sweepTrials(clear: (memberId: string) => Promise<boolean>): Promise<void> {
    const unusedSince = this.#clock.now() - TRIALS_KEPT_MS;
    const until = this.#elapsed() + TRIALS_RUN_MS;
    const nextSlice = () => findUnusedTrials(this.#pool, unusedSince, TRIALS_A_SLICE);
    // Each account is deleted or marked, so that the next slice has others.
    for (let ids = await nextSlice(); ids.length > 0; ids = await nextSlice()) {
      for (const id of ids) {
        if (this.#elapsed() >= until) return;
        const gone = (await clear(id)) && (await this.#deleteTrial(id));
        if (!gone) await keepTrial(this.#pool, id);
      }
    }
  }

  /** False if another module has something of the account, such as a game that it kept. */
  async #deleteTrial(id: string): Promise<boolean> {
    try {
      await withTransaction(this.#pool, (client) => deleteTrial(client, id));
      return true;
    } catch (error) {
      if (isForeignKeyViolation(error)) return false;
      throw error;
    }
  }

  /** Adds a member with its wallet and what `also` writes, all or nothing. */
  async addMember(
    merchant: Merchant,
    member: NewMember,
    also: (client: pg.ClientBase) => Promise<void> = async () => undefined,
  ): Promise<"added" | "username_taken" | "mobile_taken" | "email_taken"> {
    try {
      return await withTransaction(this.#pool, async (client) => {
        const added = await insertMember(client, member, this.#clock.now());
        if (!added) return "username_taken";
        await this.#wallets.open(client, { id: member.id, merchant, type: member.type });
        await also(client);
        return "added";
      });
    } catch (error) {
      // Another member verified the same number or address at the same moment.
      const constraint = constraintOf(error);
      if (constraint === "members_mobile") return "mobile_taken";
      if (constraint === "members_email") return "email_taken";
      throw error;
    }
  }
}

/** Who claims to log in, and what would prove it. */
interface Claim {
  /** The name or number, whether or not anyone has it. */
  readonly subject: string;
  readonly member: MemberRow | null;
  readonly method: SessionMethod;
  /** Does as much work for a claim on nobody. */
  prove(): Promise<TakeProof | null>;
  readonly wrong: "login_failed" | "code_wrong";
}

/** What proved a log-in right. */
export interface LoginProof {
  readonly take: TakeProof;
  /** The answer if another request took the proof first, or if it no longer lets the member in. */
  readonly taken: Refusal;
}

/** `busy` if a factor changed meanwhile: a repeated log-in is judged by the new state. */
async function unlessOvertaken<T>(
  { taken }: LoginProof,
  enter: () => Promise<T>,
): Promise<Result<T, Refusal>> {
  try {
    return ok(await enter());
  } catch (error) {
    if (error instanceof FactorsChanged) return refuse(refusal("busy"));
    if (error instanceof ProofTaken) return refuse(taken);
    throw error;
  }
}
