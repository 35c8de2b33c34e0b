import type { Call } from "@perya/contract/call";
import { type FieldFault, type Refusal, refusal } from "@perya/contract/refusal";
import { assert, present } from "@perya/kernel/assert";
import { type Id, mintId } from "@perya/kernel/ids";
import type { Clock, Entropy, Instant } from "@perya/kernel/instant";
import { MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { Handlers } from "../../platform/http/call-server.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { isOn, type Merchant } from "../brand/brand.ts";
import type { Captchas } from "./captcha.ts";
import {
  countFailure,
  findMember,
  findMemberByName,
  forgetFailures,
  insertMember,
  type MemberRow,
  type NewMember,
  readFailures,
  setBlocked,
  sweepExpired,
} from "./identity.store.ts";
import { Passwords } from "./passwords.ts";
import { registrationFaults } from "./registration.ts";
import { type Session, TRIAL_TYPE } from "./session.ts";
import { type Device, type LoggedIn, Sessions } from "./sessions.ts";

export type { Merchant } from "../brand/brand.ts";
export { createCaptchas } from "./captcha.ts";
export { identityRoutes } from "./identity.routes.ts";
export { findMemberByName, insertMember, useNonce } from "./identity.store.ts";
export { Passwords } from "./passwords.ts";
export { createPayloadKeys } from "./payload-keys.ts";
export { recoveryRoutes } from "./recovery.routes.ts";
export { Recovery } from "./recovery.ts";
export { callerOfType, type Session, TRIAL_TYPE } from "./session.ts";
export type { Device, Halves, LoggedIn } from "./sessions.ts";
export { smsRoutes } from "./sms-codes.routes.ts";
export { SmsCodes } from "./sms-codes.ts";

/** Handlers of a part of the contract, as modules behind the login write them. */
export type Routes<Cs extends Record<string, Call>> = Handlers<Cs, Merchant, Session>;

const FAILURES_FORGOTTEN_MS = 15 * MINUTE_MS;
/** Failures from one address on one name after which the next try must wait, doubling. */
const FREE_FAILURES = 5;
const DELAY_MAX_MS = 15 * MINUTE_MS;

/** What identity needs of the wallets, which it does not know: wired in build.ts. */
export interface Wallets {
  /** Opens the wallet of a new member in the member's own transaction. */
  open(client: pg.ClientBase, member: OpenedMember): Promise<void>;
  /** Gives a new trial account its credit. */
  giveTrialCredit(member: OpenedMember, amountMinor: bigint): Promise<void>;
}

export interface OpenedMember {
  readonly id: string;
  readonly merchant: Merchant;
  readonly type: number;
}

export interface Registration {
  readonly username: string;
  readonly password: string;
  readonly confirmPassword: string;
  readonly nickname?: string | undefined;
  readonly email?: string | undefined;
  readonly affiliateCode?: string | undefined;
  readonly birthday?: string | undefined;
  readonly captchaId?: string | undefined;
  readonly captcha?: string | undefined;
}

export interface IdentityOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly captchas: Captchas;
  readonly wallets: Wallets;
}

/** Members, their passwords and their sessions. Every look-up is keyed by merchant. */
export class Identity {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #captchas: Captchas;
  readonly #wallets: Wallets;
  readonly #passwords: Passwords;
  readonly sessions: Sessions;

  constructor(options: IdentityOptions) {
    this.#pool = options.pool;
    this.#clock = options.clock;
    this.#entropy = options.entropy;
    this.#captchas = options.captchas;
    this.#wallets = options.wallets;
    this.#passwords = new Passwords(options.entropy);
    this.sessions = new Sessions(options.pool, options.clock, options.entropy);
  }

  /**
   * Adds a member after the brand's own field rules.
   * Refuses with field faults, `captcha_wrong` or `username_taken`.
   */
  async register(
    merchant: Merchant,
    registration: Registration,
  ): Promise<Result<{ id: Id<"member"> }, Refusal>> {
    const faults: FieldFault[] = registrationFaults(merchant, registration, this.#clock.now());
    if (faults.length > 0) return refuse(refusal("invalid_input", { fields: faults }));
    const asked = merchant.settings.registerFields.captcha?.enabled === true;
    const { captchaId, captcha } = registration;
    if (asked && !(await this.#captchas.check(merchant.id, captchaId, captcha))) {
      return refuse(refusal("captcha_wrong", { captchaRequired: true }));
    }
    const id = mintId("member", this.#clock.now(), this.#entropy.bytes(16));
    const added = await this.#addMember(merchant, {
      id,
      merchantId: merchant.id,
      username: registration.username,
      nickname: registration.nickname || null,
      email: registration.email || null,
      birthday: registration.birthday || null,
      affiliateCode: registration.affiliateCode || null,
      type: 0,
      passwordHash: await this.#passwords.hash(registration.password),
    });
    if (added) return ok({ id });
    const fields: FieldFault[] = [{ field: "username", code: "taken" }];
    return refuse(refusal("username_taken", { fields }));
  }

  async isFree(merchant: Merchant, username: string): Promise<boolean> {
    return (await findMemberByName(this.#pool, merchant.id, username)) === null;
  }

  /**
   * One neutral answer for an unknown name and a wrong password, after the same work.
   * Any failure asks for a captcha from then on; many make the next try wait, doubling.
   */
  async login(
    merchant: Merchant,
    given: {
      readonly username: string;
      readonly password: string;
      readonly captchaId?: string | undefined;
      readonly captcha?: string | undefined;
    },
    device: Device,
  ): Promise<Result<LoggedIn, Refusal>> {
    const now = this.#clock.now();
    const name = given.username.toLowerCase();
    const pair = `pair:${name}|${device.address}`;
    const subjects = [pair, `name:${name}`];
    const failed = await readFailures(this.#pool, merchant.id, subjects);
    const recent = [...failed.values()].filter((f) => f.lastAt > now - FAILURES_FORGOTTEN_MS);
    const retryAt = waitUntil(failed.get(pair));
    if (retryAt > now) return refuse(refusal("rate_limited", { retryAt, captchaRequired: true }));
    if (recent.length > 0) {
      const read = await this.#captchas.check(merchant.id, given.captchaId, given.captcha);
      if (!read) return refuse(refusal("captcha_wrong", { captchaRequired: true }));
    }
    const member = await findMemberByName(this.#pool, merchant.id, name);
    const right = await this.#passwords.matches(member?.password_hash ?? null, given.password);
    if (member === null || !right) {
      const forgetBefore = now - FAILURES_FORGOTTEN_MS;
      await countFailure(this.#pool, merchant.id, subjects, now, forgetBefore);
      return refuse(refusal("login_failed", { captchaRequired: true }));
    }
    await forgetFailures(this.#pool, merchant.id, subjects);
    return ok(await this.sessions.start(member, device, "password"));
  }

  /** A free-play account with the brand's trial credit, logged in. */
  async startTrial(merchant: Merchant, device: Device): Promise<Result<LoggedIn, Refusal>> {
    if (!isOn(merchant, "FREEPLAY3")) return refuse(refusal("feature_off"));
    const id = mintId("member", this.#clock.now(), this.#entropy.bytes(16));
    const added = await this.#addMember(merchant, {
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
    assert(added, "a fresh trial name is free");
    const opened = { id, merchant, type: TRIAL_TYPE };
    await this.#wallets.giveTrialCredit(opened, merchant.settings.trialCreditMinor);
    const member = present(await findMember(this.#pool, merchant.id, id), "the new trial member");
    return ok(await this.sessions.start(member, device, "trial"));
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

  /** Run by a job: what has expired goes. */
  async sweep(): Promise<void> {
    const now = this.#clock.now();
    await sweepExpired(this.#pool, now, now - FAILURES_FORGOTTEN_MS);
  }

  /** Adds a member with its wallet, both or neither; false when the name is taken. */
  async #addMember(merchant: Merchant, member: NewMember): Promise<boolean> {
    return withTransaction(this.#pool, async (client) => {
      const added = await insertMember(client, member, this.#clock.now());
      if (added) await this.#wallets.open(client, { id: member.id, merchant, type: member.type });
      return added;
    });
  }
}

function waitUntil(pair: { readonly failures: number; readonly lastAt: Instant } | undefined) {
  if (pair === undefined || pair.failures < FREE_FAILURES) return 0;
  const delay = Math.min(SECOND_MS * 2 ** (pair.failures - FREE_FAILURES + 1), DELAY_MAX_MS);
  return pair.lastAt + delay;
}
