import type { authCalls } from "@perya/contract/auth";
import type { BodyOf } from "@perya/contract/call";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { mintId } from "@perya/kernel/ids";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import { type HasHungUp, NoTurn } from "../../../platform/turns.ts";
import { isOn, type Merchant } from "../../brand/brand.ts";
import type { Captchas } from "../defence/captcha.ts";
import { deviceHashOf, KnownDevices } from "../defence/known-devices.ts";
import { mustTake, ProofTaken, TAKES_NOTHING, type TakeProof } from "../factors/owner-proof.ts";
import type { PasskeyOwner } from "../factors/passkeys.ts";
import { type PhoneProofs, takenBy } from "../factors/phone-proofs.ts";
import type { PendingLogin, SecondFactor } from "../factors/second-factor.ts";
import type { SmsCodes } from "../factors/sms-codes.ts";
import { doorFault } from "../members/member-type.ts";
import {
  findMemberByMobile,
  findMemberByName,
  type MemberRow,
  renewPasswordHash,
} from "../members/members.store.ts";
import type { PasswordWork } from "../members/passwords.ts";
import { e164, readMobile } from "../members/phone-numbers.ts";
import type { SessionMethod } from "../sessions/session.ts";
import {
  type Device,
  FactorsChanged,
  type LoggedIn,
  type Sessions,
  USER_AGENT_MAX,
} from "../sessions/sessions.ts";
import { LoginGate } from "./login-gate.ts";
import { insertLoginEvent, type NewLoginEvent } from "./logins.store.ts";

/** What a login form sends; each type of login reads its own part (accounts §3). */
export type LoginForm = BodyOf<(typeof authCalls)["POST /api/v1/auth/login"]>;

export interface LoginsOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly captchas: Captchas;
  readonly passwords: PasswordWork;
  readonly smsCodes: SmsCodes;
  /** Null if no outside service verifies numbers for us. */
  readonly phoneProofs: PhoneProofs | null;
  readonly secondFactor: SecondFactor;
  readonly sessions: Sessions;
}

/** Every way to log in, by whatever proves who the member is. */
export class Logins {
  readonly #options: LoginsOptions;
  readonly #gate: LoginGate;
  readonly #devices: KnownDevices;

  constructor(options: LoginsOptions) {
    const { pool, clock, entropy, captchas } = options;
    this.#options = options;
    this.#gate = new LoginGate(pool, clock, captchas);
    this.#devices = new KnownDevices(pool, clock, entropy);
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
    if (await this.#options.secondFactor.needed(member.id)) {
      return unlessOvertaken(proof, () =>
        this.#options.secondFactor.hold(member, method, proof.take),
      );
    }
    const alone = async (client: pg.ClientBase) => {
      // Checked again under the member's lock: it may have been switched on since.
      if (await this.#options.secondFactor.needed(member.id, client)) throw new FactorsChanged();
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
    const judged = await this.#options.secondFactor.judge(merchant, given, device.token);
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
      const started = await this.#options.sessions.start(member, device, method, async (client) => {
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
    const member = await findMemberByName(this.#options.pool, merchant.id, username);
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
    const right = await this.#options.passwords.matches(stored, password, hasHungUp);
    if (right && member !== null && stored !== null && this.#options.passwords.isDated(stored)) {
      await this.#renew(member.id, stored, password);
    }
    return right;
  }

  async #renew(memberId: string, stored: string, password: string): Promise<void> {
    try {
      const hash = await this.#options.passwords.hash(password);
      await renewPasswordHash(this.#options.pool, memberId, stored, hash);
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
      member: await findMemberByMobile(this.#options.pool, merchant.id, number),
      method: "sms",
      prove: () =>
        this.#options.smsCodes.judge(merchant, "login", number, { code: password, asker }),
      wrong: "code_wrong",
    });
  }

  /** The service's token says whose number it is; a number that the form names is ignored. */
  async #loginByPhoneProof(merchant: Merchant, form: LoginForm, device: Device) {
    if (this.#options.phoneProofs === null || !isOn(merchant, "MOBILEVERCODELOGIN3")) {
      return refuse(refusal("feature_off"));
    }
    const { firebaseIdToken, firebaseChannel = "" } = form;
    if (firebaseIdToken === undefined) return refuse(fieldRefusal("firebaseIdToken", "required"));
    const taken = refusal("code_wrong");
    const proof = await this.#options.phoneProofs.judge(firebaseChannel, firebaseIdToken);
    if (proof === null) return refuse(taken);
    const { number } = proof;
    const member = await findMemberByMobile(this.#options.pool, merchant.id, number);
    // The holder of the number's phone may learn that no member has it.
    if (member === null) return refuse(refusal("user_missing"));
    const take: TakeProof = async (db) => {
      const holder = await findMemberByMobile(db, merchant.id, number);
      return holder?.id === member.id && (await takenBy(member.id, proof, this.#options.clock)(db));
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
    db: Db = this.#options.pool,
  ): Promise<void> {
    const now = this.#options.clock.now();
    const event = {
      id: mintId("loginEvent", now, this.#options.entropy.bytes(16)),
      merchantId: merchant.id,
      memberId: member?.id ?? null,
      method,
      outcome,
      address,
      userAgent: userAgent.slice(0, USER_AGENT_MAX),
    };
    await insertLoginEvent(db, event, now);
  }
}

interface Claim {
  readonly subject: string;
  readonly member: MemberRow | null;
  readonly method: SessionMethod;
  /** Does as much work for a claim on nobody. */
  prove(): Promise<TakeProof | null>;
  readonly wrong: "login_failed" | "code_wrong";
}

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
