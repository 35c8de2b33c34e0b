import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { mintId } from "@perya/kernel/ids";
import {
  type Clock,
  DAY_MS,
  type Entropy,
  HOUR_MS,
  type Instant,
  MINUTE_MS,
  SECOND_MS,
} from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { HumanCheck } from "../../platform/http/human-check.ts";
import { inTime } from "../../platform/in-time.ts";
import type { Logger } from "../../platform/log.ts";
import type { Sms, SmsSender } from "../../platform/sms/sms.ts";
import { isOn, type Merchant, registerField } from "../brand/brand.ts";
import { AbuseCounts, type AbuseLimit, limitsOfAddress } from "./abuse-counts.ts";
import { findMemberByMobile } from "./identity.store.ts";
import { type KnownBy, KnownDevices } from "./known-devices.ts";
import type { TakeProof } from "./owner-proof.ts";
import { e164, type PhoneNumber, readMobile } from "./phone-numbers.ts";
import {
  type CodeKey,
  findUsedCode,
  giveBackTry,
  type SmsPurpose,
  saveCode,
  spendTry,
  sweepCodes,
  takeBackCode,
  useCode,
} from "./sms-codes.store.ts";

/** How long a player waits before asking for another code (accounts §9). */
export const SMS_RESEND_MS = MINUTE_MS;
/**
 * Waits before the second and the third try of an SMS that no caller waits for. They end before its
 * player may ask for another code, which would make this one wrong; so no job keeps it either.
 */
const PAUSES_MS = [2 * SECOND_MS, 8 * SECOND_MS];
/** A gateway that hangs delays a process's end by no more than this. */
const FAREWELL_MS = 4 * SECOND_MS;
const CODE_LIFE_MS = 10 * MINUTE_MS;
const CODE_TRIES = 5;
const CODE_DIGITS = 6;

/**
 * Codes that may go to a number (for its owner's own phones, and for all others), to a block of a
 * thousand numbers, and from an address and a device.
 */
const NUMBER_PER_HOUR = 5;
const NUMBER_PER_DAY = 10;
/** All phones of a member together: each costs only a log-in without cookies. */
const OWNER_PER_HOUR = 4 * NUMBER_PER_HOUR;
const OWNER_PER_DAY = 2 * NUMBER_PER_DAY;
/** Fraud by paid-for SMS uses blocks of numbers that are rented together. */
const PREFIX_DIGITS = 7;
const PREFIX_PER_HOUR = 60;
/** Philippine carriers put many phones behind one address. */
const ADDRESS_PER_HOUR = 20;
const DEVICE_PER_HOUR = 10;

/**
 * Purposes whose answer would tell who plays here: it is given before the SMS leaves, and is the
 * same whether or not one leaves.
 */
const NEUTRAL: ReadonlySet<SmsPurpose> = new Set(["login", "reset"]);

/** Names a browser that asked for a code, for as long as one may be on its way. */
export const ASKER_COOKIE = "perya_asker";
export const ASKER_COOKIE_MS = HOUR_MS;

/**
 * Who asked for a code and owns it: a browser by its cookie, which only a browser that has asked
 * has, or the session of a member whose number it proves.
 */
export type Asker =
  | { readonly browser: string | undefined }
  | { readonly sessionId: string; readonly memberId: string };

export interface SmsCodeRequest {
  readonly asker: Asker;
  readonly purpose: SmsPurpose;
  readonly countryDialingCode: string;
  readonly mobileNum: string;
  /** The solved proof of work. */
  readonly humanCheck: string;
  readonly address: string;
  /** Names the caller's browser; null for one that was never here. */
  readonly deviceHash: string | null;
  readonly language: string;
}

export interface SmsCodesOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Logger;
  /** Null if this installation sends no SMS, so that codes are off. */
  readonly sms: SmsSender | null;
  readonly humanCheck: HumanCheck;
  /** Keeps a reader of the table from looking up the hashes of six digits. */
  readonly secret: string;
  /** The wait between two tries; tests do not wait. */
  readonly pause?: (ms: number, ended: AbortSignal) => Promise<void>;
  /** How long `close` waits; tests set a shorter time. */
  readonly farewellMs?: number;
}

/**
 * Codes by SMS: one valid code per purpose, number and asker, hashed, ten minutes, five tries. A
 * person who only knows a number can try none of the codes that its owner asked for.
 */
export class SmsCodes {
  readonly #options: SmsCodesOptions;
  readonly #counts: AbuseCounts;
  readonly #devices: KnownDevices;
  readonly #sending = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(options: SmsCodesOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
    this.#devices = new KnownDevices(options.pool, options.clock, options.entropy);
  }

  /**
   * Sends a code in place of the earlier one. Refuses with a fault of the number, `feature_off`,
   * `human_check_failed`, `rate_limited` or `message_unavailable`.
   */
  async request(
    merchant: Merchant,
    given: SmsCodeRequest,
  ): Promise<Result<{ expirationTime: Instant }, Refusal>> {
    const { clock, sms, humanCheck } = this.#options;
    const { purpose } = given;
    if (sms === null || !isOffered(merchant, purpose)) return refuse(refusal("feature_off"));
    const read = readMobile(given.countryDialingCode, given.mobileNum);
    if (!read.ok) return refuse(refusal("invalid_input", { fields: [read.error] }));
    const number = read.value;
    if (!(await humanCheck.verify(given.humanCheck))) return refuse(refusal("human_check_failed"));
    const neutral = NEUTRAL.has(purpose);
    const owner = await this.#owner(merchant, number, given);
    const leaving = limitsOfLeaving(merchant, number, owner !== null);
    const caller = limitsOfCaller(given, owner !== null && owner.by === given.deviceHash);
    const limited = [...limitsOfAsked(number, owner), ...caller, ...(neutral ? [] : leaving)];
    const counted = await this.#counts.spend(merchant.id, limited);
    if (!counted.ok) return refuse(refusal("rate_limited", { retryAt: counted.error }));

    const key = keyOf(merchant, purpose, number, given.asker);
    const memberId = "memberId" in given.asker ? given.asker.memberId : null;
    const code = this.#freshCode();
    const message = {
      to: e164(number),
      text: textOf(given.language, merchant.name, code),
      reference: mintId("message", clock.now(), this.#options.entropy.bytes(16)),
    };
    // Stored first: a code that may be on its way must be valid.
    const takeBack = await this.#save(key, code, memberId);
    if (neutral) {
      this.#sendBehind(merchant, sms, number, { message, limits: leaving, takeBack });
      return ok({ expirationTime: clock.now() + SMS_RESEND_MS });
    }
    const sent = await sms.send(message);
    if (sent.ok || sent.error === "unknown") {
      return ok({ expirationTime: clock.now() + SMS_RESEND_MS });
    }
    await takeBack();
    // The caller's own tries stay counted.
    const callers = new Set(caller.map(({ subject }) => subject));
    const unsent = counted.value.filter(({ subject }) => !callers.has(subject));
    await this.#counts.giveBack(merchant.id, unsent);
    return refuse(refusal("message_unavailable"));
  }

  /**
   * How a member is known who asks for a code to their own number: by a phone from which they have
   * logged in, or by their session; null for a stranger. Requests of strangers do not delay the
   * owner, nor does one of several phones the others, nor newer phones older ones, nor phones that
   * only knew an earlier password those that know the new one.
   */
  async #owner(
    merchant: Merchant,
    number: PhoneNumber,
    { asker, deviceHash }: SmsCodeRequest,
  ): Promise<Owner | null> {
    const owner = await findMemberByMobile(this.#options.pool, merchant.id, number);
    const device = deviceHash === null ? null : Buffer.from(deviceHash, "base64url");
    const phone = await this.#devices.phoneOf(owner?.id ?? null, device);
    if (owner === null) return null;
    const { id: memberId } = owner;
    // A change of the password has ended the earlier sessions.
    const isTheirs = "memberId" in asker && asker.memberId === memberId;
    if (isTheirs) return { memberId, by: phone?.by ?? "session", standing: "own" };
    return phone && { memberId, ...phone };
  }

  /**
   * Whether this is the asker's code for it, at the cost of one of five tries; null if wrong. It is
   * taken once, in the transaction of its purpose, and costs nothing if that is not done.
   */
  async judge(
    merchant: Merchant,
    purpose: SmsPurpose,
    number: PhoneNumber,
    { code, asker }: GivenCode,
  ): Promise<TakeProof | null> {
    const { pool, clock } = this.#options;
    const key = keyOf(merchant, purpose, number, asker);
    const hash = this.#hashOf(key, code);
    const kept = await spendTry(pool, key, clock.now());
    if (kept === null || !timingSafeEqual(kept, hash)) return null;
    await giveBackTry(pool, key, hash);
    return (db) => useCode(db, key, hash);
  }

  /**
   * Whether this was the asker's code for it and is taken, for a caller who took it and lost the
   * answer.
   */
  async wasTaken(
    merchant: Merchant,
    purpose: SmsPurpose,
    number: PhoneNumber,
    { code, asker }: GivenCode,
  ): Promise<boolean> {
    const { pool, clock } = this.#options;
    const key = keyOf(merchant, purpose, number, asker);
    const used = await findUsedCode(pool, key, clock.now());
    return used !== null && timingSafeEqual(used, this.#hashOf(key, code));
  }

  /** Waits for the messages that are on their way. */
  async settled(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** As `settled`, for a limited time; no message is tried again from now on. */
  async close(): Promise<void> {
    const { farewellMs = FAREWELL_MS } = this.#options;
    this.#ending.abort();
    await inTime(farewellMs, this.settled());
  }

  /** A job runs this: it deletes codes that are over. */
  async sweep(): Promise<void> {
    await sweepCodes(this.#options.pool, this.#options.clock.now());
  }

  /** Answers a function that restores the earlier code. */
  async #save(key: CodeKey, code: string, memberId: string | null): Promise<() => Promise<void>> {
    const { pool, clock } = this.#options;
    const now = clock.now();
    const hash = this.#hashOf(key, code);
    const expiresAt = now + CODE_LIFE_MS;
    const kept = { hash, tries: CODE_TRIES, expiresAt, memberId };
    const earlier = await saveCode(pool, key, kept, now);
    return () => takeBackCode(pool, key, hash, earlier);
  }

  #sendBehind(merchant: Merchant, sms: SmsSender, number: PhoneNumber, leaving: Leaving): void {
    const { log } = this.#options;
    const { reference } = leaving.message;
    const sending: Promise<void> = this.#sendToMember(merchant, sms, number, leaving)
      .catch((error: unknown) => log.error({ err: error, reference }, "sms"))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /**
   * Looks up and counts after the answer whether anyone has the number. The brand's and the block's
   * counts are of SMS that leave, so that unknown numbers cannot use them up. The number itself
   * stays counted whatever becomes of its SMS; otherwise the next answer would tell.
   */
  async #sendToMember(
    merchant: Merchant,
    sms: SmsSender,
    number: PhoneNumber,
    { message, limits, takeBack }: Leaving,
  ): Promise<void> {
    const { pool, log } = this.#options;
    const { reference } = message;
    if ((await findMemberByMobile(pool, merchant.id, number)) === null) return;
    const counted = await this.#counts.spend(merchant.id, limits);
    if (!counted.ok) {
      log.warn({ brand: merchant.id, reference }, "the SMS of the brand or the block are used up");
      await takeBack();
      return;
    }
    if (await this.#mayHaveLeft(sms, message)) return;
    log.error({ brand: merchant.id, reference }, "an SMS was given up");
    await takeBack();
    await this.#counts.giveBack(merchant.id, counted.value);
  }

  /** Sends it in a few tries, also after a lost answer: the gateway sends a reference once. */
  async #mayHaveLeft(sms: SmsSender, message: Sms): Promise<boolean> {
    const { pause = pauseInEarnest } = this.#options;
    let left = false;
    for (const pauseMs of [...PAUSES_MS, null]) {
      // The sender logs what it refuses.
      const sent = await sms.send(message);
      if (sent.ok) return true;
      left ||= sent.error === "unknown";
      if (sent.error === "refused" || pauseMs === null) break;
      await pause(pauseMs, this.#ending.signal);
      if (this.#ending.signal.aborted) break;
    }
    return left;
  }

  /** Six digits, each of the million equally likely. */
  #freshCode(): string {
    for (;;) {
      const [a = 0, b = 0, c = 0] = this.#options.entropy.bytes(3);
      const drawn = a * 65_536 + b * 256 + c;
      // Sixteen million is the largest multiple of a million in three bytes.
      if (drawn < 16_000_000) return String(drawn % 1_000_000).padStart(CODE_DIGITS, "0");
    }
  }

  #hashOf({ merchantId, purpose, number }: CodeKey, code: string): Buffer {
    return createHmac("sha256", this.#options.secret)
      .update(`sms-code\n${merchantId}\n${purpose}\n${e164(number)}\n${code}`)
      .digest();
  }
}

/** A wait that was cut short counts as over. */
async function pauseInEarnest(ms: number, ended: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: ended }).catch(() => undefined);
}

/** A code, and the person who gives it. */
export interface GivenCode {
  readonly code: string;
  readonly asker: Asker;
}

function keyOf(
  merchant: Merchant,
  purpose: SmsPurpose,
  number: PhoneNumber,
  asker: Asker,
): CodeKey {
  const name =
    "sessionId" in asker ? `session\n${asker.sessionId}` : `browser\n${asker.browser ?? ""}`;
  const hash = createHash("sha256").update(name).digest();
  return { merchantId: merchant.id, purpose, number, asker: hash };
}

/** Whether the brand has a use for such a code. */
function isOffered(merchant: Merchant, purpose: SmsPurpose): boolean {
  const { registration, recoveryByPhone } = merchant.settings;
  switch (purpose) {
    case "register":
      return registration.mobile || registerField(merchant, "messageCode") !== null;
    case "login":
      return isOn(merchant, "MOBILEVERCODELOGIN3");
    case "reset":
      return recoveryByPhone;
    case "verify_mobile":
      return true;
  }
}

/** An SMS that leaves after the answer. */
interface Leaving {
  readonly message: Sms;
  /** Limits of what leaves. */
  readonly limits: readonly AbuseLimit[];
  /** If it did not leave: makes the earlier code, which arrived, valid again. */
  readonly takeBack: () => Promise<void>;
}

/** A member who asks for a code to their own number. */
interface Owner extends KnownBy {
  readonly memberId: string;
}

/** Limits of a number's requests: by its owner per phone and over all phones, and by all others. */
function limitsOfAsked(number: PhoneNumber, owner: Owner | null): AbuseLimit[] {
  const to = `${owner === null ? "" : `own:${owner.by}:`}${e164(number)}`;
  const limits = [
    { subject: `sms:minute:${to}`, max: 1, windowMs: SMS_RESEND_MS },
    { subject: `sms:hour:${to}`, max: NUMBER_PER_HOUR, windowMs: HOUR_MS },
    { subject: `sms:day:${to}`, max: NUMBER_PER_DAY, windowMs: DAY_MS },
  ];
  if (owner === null || owner.standing === "longest") return limits;
  // By the member: another number brings no other limit.
  const all = `${owner.standing}:${owner.memberId}`;
  return [
    ...limits,
    { subject: `sms:hour:${all}`, max: OWNER_PER_HOUR, windowMs: HOUR_MS },
    { subject: `sms:day:${all}`, max: OWNER_PER_DAY, windowMs: DAY_MS },
  ];
}

/** Limits of a caller's requests; these stay counted if no message left. */
function limitsOfCaller(
  { address, deviceHash }: SmsCodeRequest,
  isOwnPhone: boolean,
): AbuseLimit[] {
  const device =
    deviceHash === null
      ? []
      : [{ subject: `sms:device:${deviceHash}`, max: DEVICE_PER_HOUR, windowMs: HOUR_MS }];
  const addresses = limitsOfAddress("sms:address", address, ADDRESS_PER_HOUR, HOUR_MS);
  // A caller who is known by the phone waits for nobody behind the same address.
  return isOwnPhone ? device : [...addresses, ...device];
}

/**
 * Limits of messages that leave. The brand pays for so many a day; strangers' requests, also to
 * members' numbers, get half of them at most, so that they keep no owner from logging in. A block
 * of numbers gets so many an hour, unless the owner asks.
 */
function limitsOfLeaving(
  { settings: { smsDailyMax } }: Merchant,
  { dialingCode, mobileNum }: PhoneNumber,
  isOwners: boolean,
): AbuseLimit[] {
  const prefix = dialingCode + mobileNum.slice(0, PREFIX_DIGITS);
  const block = { subject: `sms:prefix:${prefix}`, max: PREFIX_PER_HOUR, windowMs: HOUR_MS };
  const strangers = {
    subject: "sms:brand:strangers",
    max: Math.ceil(smsDailyMax / 2),
    windowMs: DAY_MS,
    isByCalendar: true,
  };
  return [
    { subject: "sms:brand", max: smsDailyMax, windowMs: DAY_MS, isByCalendar: true },
    ...(isOwners ? [] : [strangers, block]),
  ];
}

/** Within the 160 characters of one message; a language without a text of its own gets English. */
function textOf(language: string, brand: string, code: string): string {
  return language === "TY"
    ? `${brand}: ${code} ang code mo. Gumagana ito nang 10 minuto. Huwag itong ibibigay kahit kanino, kahit sa amin.`
    : `${brand}: your code is ${code}. It works for 10 minutes. Never share it with anyone, not even with us.`;
}
