import { createHash, timingSafeEqual } from "node:crypto";
import { hash as hashPassword, verify as verifyPassword } from "@node-rs/argon2";
import type { Call } from "@perya/contract/call";
import { type FieldFault, type Refusal, refusal } from "@perya/contract/refusal";
import { assert, present } from "@perya/kernel/assert";
import { type Id, mintId } from "@perya/kernel/ids";
import type { Clock, Entropy, Instant } from "@perya/kernel/instant";
import { MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { isCurrency } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { Handlers } from "../../platform/http/call-server.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { isOn, type Merchant } from "../brand/brand.ts";
import type { Captchas } from "./captcha.ts";
import {
  countFailure,
  endSession,
  findMember,
  findMemberByName,
  findSession,
  forgetFailures,
  insertMember,
  insertSession,
  type MemberRow,
  type NewMember,
  readFailures,
  type SessionRow,
  setBlocked,
  sweepExpired,
  touchSession,
} from "./identity.store.ts";
import { registrationFaults } from "./registration.ts";
import {
  callerOfType,
  SESSION_ABSOLUTE_MS,
  SESSION_IDLE_MS,
  type Session,
  TRIAL_TYPE,
} from "./session.ts";

export type { Merchant } from "../brand/brand.ts";
export { createCaptchas } from "./captcha.ts";
export { identityRoutes } from "./identity.routes.ts";
export { findMemberByName, insertMember } from "./identity.store.ts";
export { createPayloadKeys } from "./payload-keys.ts";
export { callerOfType, type Session, TRIAL_TYPE } from "./session.ts";

/** Handlers of a part of the contract, as modules behind the login write them. */
export type Routes<Cs extends Record<string, Call>> = Handlers<Cs, Merchant, Session>;

/** argon2id, 19 MiB, two passes, one lane: OWASP's first choice for interactive logins. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** A process that did not end a session itself may honour it this much longer. */
const SESSION_CACHE_MS = 3 * SECOND_MS;
const SESSIONS_CACHED = 50_000;
const TOUCH_EVERY_MS = MINUTE_MS;
const FAILURES_FORGOTTEN_MS = 15 * MINUTE_MS;
/** Failures from one address on one name after which the next try must wait, doubling. */
const FREE_FAILURES = 5;
const DELAY_MAX_MS = 15 * MINUTE_MS;
const TOKEN_BYTES = 32;

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

export interface Halves {
  readonly storage: string;
  readonly cookie: string | undefined;
}

export interface LoggedIn {
  readonly member: { readonly id: string; readonly username: string; readonly type: number };
  readonly halves: { readonly storage: string; readonly cookie: string };
  readonly firstLogin: boolean;
}

export interface Device {
  readonly address: string;
  readonly userAgent: string;
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
  readonly #cache = new LRUCache<string, { row: SessionRow; until: Instant }>({
    max: SESSIONS_CACHED,
  });
  readonly #endListeners: ((sessionId: string) => void)[] = [];
  #dummyHash: Promise<string> | null = null;

  constructor(options: IdentityOptions) {
    this.#pool = options.pool;
    this.#clock = options.clock;
    this.#entropy = options.entropy;
    this.#captchas = options.captchas;
    this.#wallets = options.wallets;
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
    const id = this.#mint("member");
    const added = await this.#addMember(merchant, {
      id,
      merchantId: merchant.id,
      username: registration.username,
      nickname: registration.nickname || null,
      email: registration.email || null,
      birthday: registration.birthday || null,
      affiliateCode: registration.affiliateCode || null,
      type: 0,
      passwordHash: await hashPassword(registration.password, ARGON2ID),
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
    const hash = member?.password_hash ?? (await this.#dummy());
    const right = await verifyPassword(hash, given.password);
    if (member === null || member.password_hash === null || !right) {
      const forgetBefore = now - FAILURES_FORGOTTEN_MS;
      await countFailure(this.#pool, merchant.id, subjects, now, forgetBefore);
      return refuse(refusal("login_failed", { captchaRequired: true }));
    }
    await forgetFailures(this.#pool, merchant.id, subjects);
    return ok(await this.#startSession(member, device));
  }

  /** A free-play account with the brand's trial credit, logged in. */
  async startTrial(merchant: Merchant, device: Device): Promise<Result<LoggedIn, Refusal>> {
    if (!isOn(merchant, "FREEPLAY3")) return refuse(refusal("feature_off"));
    const id = this.#mint("member");
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
    return ok(await this.#startSession(member, device));
  }

  /**
   * The session that both halves name. Null is "never heard of it"; a refusal says that it
   * stood and ended. One merchant's session never opens another's.
   */
  async session(merchant: Merchant, halves: Halves): Promise<Result<Session, Refusal> | null> {
    const storageHash = sha256(halves.storage);
    const name = `${merchant.id} ${storageHash.toString("base64")}`;
    const now = this.#clock.now();
    const cached = this.#cache.get(name);
    const row =
      cached !== undefined && cached.until > now
        ? cached.row
        : await findSession(this.#pool, merchant.id, storageHash);
    if (row === null) return null;
    if (row !== cached?.row) this.#cache.set(name, { row, until: now + SESSION_CACHE_MS });
    if (halves.cookie === undefined) return refuse(refusal("session_ended"));
    if (!timingSafeEqual(row.cookie_half_hash, sha256(halves.cookie))) {
      return refuse(refusal("session_ended"));
    }
    const idle = row.seen_at.getTime() + SESSION_IDLE_MS < now;
    if (row.ended_at !== null || row.expires_at.getTime() <= now || idle) {
      return refuse(refusal("session_ended"));
    }
    if (row.seen_at.getTime() + TOUCH_EVERY_MS < now) {
      this.#cache.delete(name);
      await touchSession(this.#pool, row.session_id, now);
    }
    return ok(sessionOf(row));
  }

  async logout(session: Session): Promise<void> {
    await endSession(this.#pool, session.id, this.#clock.now());
    this.forget(session.id);
  }

  /** Drops a session from this process's cache and hangs up its sockets. */
  forget(sessionId: string): void {
    for (const [name, { row }] of this.#cache.entries()) {
      if (row.session_id === sessionId) this.#cache.delete(name);
    }
    for (const listener of this.#endListeners) listener(sessionId);
  }

  onSessionEnded(listener: (sessionId: string) => void): void {
    this.#endListeners.push(listener);
  }

  async member(session: Session): Promise<MemberRow> {
    const member = await findMember(this.#pool, session.merchantId, session.memberId);
    return present(member, "the member of a session");
  }

  /** Stops a member from betting and paying, or lets them again. */
  async block(memberId: string, blocked: boolean): Promise<void> {
    await setBlocked(this.#pool, memberId, blocked);
    this.#cache.clear();
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

  async #startSession(member: MemberRow, device: Device): Promise<LoggedIn> {
    const storage = Buffer.from(this.#entropy.bytes(TOKEN_BYTES)).toString("base64url");
    const cookie = Buffer.from(this.#entropy.bytes(TOKEN_BYTES)).toString("base64url");
    const now = this.#clock.now();
    const { firstLogin } = await withTransaction(this.#pool, (client) =>
      insertSession(
        client,
        {
          id: this.#mint("session"),
          merchantId: member.merchant_id,
          memberId: member.id,
          storageHalfHash: sha256(storage),
          cookieHalfHash: sha256(cookie),
          userAgent: device.userAgent.slice(0, 400),
          address: device.address,
          expiresAt: now + SESSION_ABSOLUTE_MS,
        },
        now,
      ),
    );
    const { id, username, type } = member;
    return { member: { id, username, type }, halves: { storage, cookie }, firstLogin };
  }

  /** A hash of nothing anyone knows, so that an unknown name costs what a known one does. */
  #dummy(): Promise<string> {
    this.#dummyHash ??= hashPassword(this.#entropy.bytes(TOKEN_BYTES), ARGON2ID);
    return this.#dummyHash;
  }

  #mint<K extends "member" | "session">(kind: K): Id<K> {
    return mintId(kind, this.#clock.now(), this.#entropy.bytes(16));
  }
}

function waitUntil(pair: { readonly failures: number; readonly lastAt: Instant } | undefined) {
  if (pair === undefined || pair.failures < FREE_FAILURES) return 0;
  const delay = Math.min(SECOND_MS * 2 ** (pair.failures - FREE_FAILURES + 1), DELAY_MAX_MS);
  return pair.lastAt + delay;
}

function sessionOf(row: SessionRow): Session {
  const currency = row.type === TRIAL_TYPE ? "FUN" : row.currency;
  assert(isCurrency(currency), "a merchant's currency is a known one");
  return {
    id: row.session_id,
    merchantId: row.merchant_id,
    memberId: row.id,
    username: row.username,
    nickname: row.nickname,
    type: row.type,
    caller: callerOfType(row.type),
    currency,
    blocked: row.blocked,
    createdAt: row.session_created_at.getTime(),
  };
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
