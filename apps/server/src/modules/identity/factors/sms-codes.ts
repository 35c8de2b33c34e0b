import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { mintId } from "@perya/kernel/ids";
import { type Entropy, HOUR_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { HumanCheck } from "../../../platform/http/human-check.ts";
import type { SmsSender } from "../../../platform/sms/sms.ts";
import { isOn, type Merchant, registerField } from "../../brand/brand.ts";
import { AbuseCounts } from "../defence/abuse-counts.ts";
import { KnownDevices } from "../defence/known-devices.ts";
import { findMemberByMobile } from "../members/members.store.ts";
import { e164, type PhoneNumber, readMobile } from "../members/phone-numbers.ts";
import type { TakeProof } from "./owner-proof.ts";
import {
  type CodeKey,
  findUsedCode,
  giveBackTry,
  type SmsPurpose,
  saveCode,
  spendTry,
  takeBackCode,
  useCode,
} from "./sms-codes.store.ts";
import { SmsDelivery, type SmsDeliveryOptions } from "./sms-delivery.ts";
import {
  limitsOfAsked,
  limitsOfCaller,
  limitsOfLeaving,
  type Owner,
  SMS_RESEND_MS,
} from "./sms-limits.ts";

const CODE_LIFE_MS = 10 * MINUTE_MS;
const CODE_TRIES = 5;
const CODE_DIGITS = 6;

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
  readonly humanCheck: string;
  readonly address: string;
  /** Names the caller's browser; null for one that was never here. */
  readonly deviceHash: string | null;
  readonly language: string;
}

export interface SmsCodesOptions extends SmsDeliveryOptions {
  readonly entropy: Entropy;
  /** Null if this installation sends no SMS, so that codes are off. */
  readonly sms: SmsSender | null;
  readonly humanCheck: HumanCheck;
  /** Keeps a reader of the table from looking up the hashes of six digits. */
  readonly secret: string;
}

/**
 * Codes by SMS: one valid code per purpose, number and asker, hashed, ten minutes, five tries. A
 * person who only knows a number can try none of the codes that its owner asked for.
 */
export class SmsCodes {
  readonly #options: SmsCodesOptions;
  readonly #counts: AbuseCounts;
  readonly #devices: KnownDevices;
  readonly delivery: SmsDelivery;

  constructor(options: SmsCodesOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
    this.#devices = new KnownDevices(options.pool, options.clock, options.entropy);
    this.delivery = new SmsDelivery(options);
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
      this.delivery.begin(sms, { merchant, number, message, limits: leaving, takeBack });
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
   * logged in, or by their session; null for a stranger. Each has a limit of its own, so that none
   * delays another: strangers, each phone, phones known for longer, and phones that logged in with
   * the present password.
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

  async #save(key: CodeKey, code: string, memberId: string | null): Promise<() => Promise<void>> {
    const { pool, clock } = this.#options;
    const now = clock.now();
    const hash = this.#hashOf(key, code);
    const expiresAt = now + CODE_LIFE_MS;
    const kept = { hash, tries: CODE_TRIES, expiresAt, memberId };
    const earlier = await saveCode(pool, key, kept, now);
    return () => takeBackCode(pool, key, hash, earlier);
  }

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

/** Within the 160 characters of one message; a language without a text of its own gets English. */
function textOf(language: string, brand: string, code: string): string {
  return language === "TY"
    ? `${brand}: ${code} ang code mo. Gumagana ito nang 10 minuto. Huwag itong ibibigay kahit kanino, kahit sa amin.`
    : `${brand}: your code is ${code}. It works for 10 minutes. Never share it with anyone, not even with us.`;
}
