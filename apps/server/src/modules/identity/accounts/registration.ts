import type { VERIFIABLE_FIELDS } from "@perya/contract/auth";
import { LOGIN_USERNAME } from "@perya/contract/login-name";
import { isNameOfNumber } from "@perya/contract/number-names";
import { type FieldFault, type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Id, isId, mintId } from "@perya/kernel/ids";
import type { Clock, Entropy, Instant } from "@perya/kernel/instant";
import { businessDay } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { fitsPattern, type Merchant, registerField } from "../../brand/brand.ts";
import { CAPTCHA_WRONG, type Captchas } from "../defence/captcha.ts";
import type { KnownDevices } from "../defence/known-devices.ts";
import { mustTake, ProofTaken, TAKES_NOTHING, type TakeProof } from "../factors/owner-proof.ts";
import type { PhoneProofs } from "../factors/phone-proofs.ts";
import type { SmsCodes } from "../factors/sms-codes.ts";
import { isTooCommon } from "../members/common-passwords.ts";
import {
  findInviter,
  findMember,
  findMemberByMobile,
  findMemberByName,
  type NewMember,
} from "../members/members.store.ts";
import { passwordFault } from "../members/new-password.ts";
import type { PasswordWork } from "../members/passwords.ts";
import { e164, nameOfNumber, type PhoneNumber, readMobile } from "../members/phone-numbers.ts";
import { doorFault, isPlayerType, MEMBER_TYPE, TRIAL_TYPE } from "../sessions/session.ts";
import type { Device } from "../sessions/sessions.ts";
import { NewAccounts } from "./new-accounts.ts";

/** What any registration may contain (accounts §2.4); the brand decides what it asks for. */
export interface RegistrationFields {
  /** Absent if the mobile number or an external account replaces it. */
  readonly username?: string | undefined;
  readonly nickname?: string | undefined;
  readonly email?: string | undefined;
  readonly payeeName?: string | undefined;
  readonly paymentPassword?: string | undefined;
  readonly countryDialingCode?: string | undefined;
  readonly mobileNum?: string | undefined;
  readonly verificationCode?: string | undefined;
  readonly idNumber?: string | undefined;
  readonly qqNum?: string | undefined;
  readonly facebook?: string | undefined;
  readonly wechat?: string | undefined;
  readonly line?: string | undefined;
  readonly whatsapp?: string | undefined;
  readonly zalo?: string | undefined;
  readonly birthday?: string | undefined;
  readonly affiliateCode?: string | undefined;
  readonly recommenderId?: string | undefined;
  readonly firebaseChannel?: string | undefined;
  readonly firebaseIdToken?: string | undefined;
  readonly registerMethod?: string | undefined;
  readonly registerUrl?: string | undefined;
  readonly domain?: string | undefined;
}

/** What the registration form sends. */
export interface Registration extends RegistrationFields {
  readonly password: string;
  readonly confirmPassword: string;
  readonly captchaId?: string | undefined;
  readonly captcha?: string | undefined;
}

/** An account at a provider by which a member is made. */
export interface OutsideAccount {
  readonly email: string | null;
  /** Whether the provider has verified that the address is the player's. */
  readonly emailVerified: boolean;
  /** Written in the member's transaction. */
  readonly also: (client: pg.ClientBase, memberId: string) => Promise<void>;
}

/** Fields whose pattern is the brand's; the others have rules of their own below. */
const PATTERNED = [
  "username",
  "password",
  "paymentPassword",
  "nickname",
  "payeeName",
  "email",
  "idNumber",
  "qqNum",
  "facebook",
  "wechat",
  "line",
  "whatsapp",
  "zalo",
  "affiliateCode",
  "recommenderId",
] as const;

/** Only the operator reads these. */
const PROFILE = [
  "payeeName",
  "idNumber",
  "qqNum",
  "facebook",
  "wechat",
  "line",
  "whatsapp",
  "zalo",
  "registerMethod",
  "registerUrl",
  "domain",
] as const;

/** Names tried for a member who chose none, before they are asked to choose one. */
const DERIVED_NAMES = 4;

export interface RegistrationsOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly captchas: Captchas;
  readonly passwords: PasswordWork;
  readonly smsCodes: SmsCodes;
  readonly phoneProofs: PhoneProofs | null;
  readonly devices: KnownDevices;
  /** Adds a member with its wallet and what `also` writes, all or nothing. */
  readonly addMember: (
    merchant: Merchant,
    member: NewMember,
    also: (client: pg.ClientBase) => Promise<void>,
  ) => Promise<"added" | "username_taken" | "mobile_taken" | "email_taken">;
}

export interface Registered {
  readonly id: Id<"member">;
  readonly username: string;
  /** The device cookie from now on: later registrations in this browser count with this one. */
  readonly deviceToken: string;
}

type Added = Omit<Registered, "deviceToken">;

/** New members: the brand's rules for the form, and what must be true outside of it. */
export class Registrations {
  readonly #options: RegistrationsOptions;
  readonly #newAccounts: NewAccounts;

  constructor(options: RegistrationsOptions) {
    this.#options = options;
    this.#newAccounts = new NewAccounts(options.pool, options.clock);
  }

  /**
   * Refuses with field faults, `captcha_wrong` (always asked for if the brand has the field, else
   * once several came from the same block or device), `rate_limited`, `invitation_wrong`,
   * `referrer_wrong`, `username_taken`, `code_wrong`, `mobile_taken`, or `feature_off` if the brand
   * takes nobody this way.
   */
  async register(
    merchant: Merchant,
    form: Registration,
    device: Device,
  ): Promise<Result<Registered, Refusal>> {
    const { clock, captchas } = this.#options;
    if (!takesMembers(merchant)) return refuse(refusal("feature_off"));
    const closed = doorFault(merchant, MEMBER_TYPE, device.host);
    if (closed !== null) return refuse(closed);
    const read = readForm(merchant, form, clock.now(), null);
    if (!read.ok) return refuse(refusal("invalid_input", { fields: read.error }));
    const asked = registerField(merchant, "captcha") !== null;
    const isMisread = async () => !(await captchas.check(merchant.id, "digits", form));
    if (asked && (await isMisread())) return refuse(CAPTCHA_WRONG);
    return this.#within(merchant, device, async (risky, also) => {
      if (risky && !asked && (await isMisread())) return refuse(CAPTCHA_WRONG);
      return this.#registerByForm(merchant, form, read.value, device, also);
    });
  }

  async #registerByForm(
    merchant: Merchant,
    form: Registration,
    number: ReadNumber,
    device: Device,
    also: Also,
  ): Promise<Result<Added, Refusal>> {
    const { passwords } = this.#options;
    const judged = await this.#judge(merchant, form, number, device);
    if (!judged.ok) return judged;
    const { member: read, take } = judged.value;
    const proven = read.mobileVerified ? read.mobile : null;
    const passwordHash = await passwords.hash(form.password, device.hasHungUp);
    const member = { ...read, email: form.email || null, passwordHash };
    const derive = (id: string, round: number) =>
      nameOfNumber(present(proven, "a number in a name's stead"), round === 0 ? "" : id.slice(-4));
    return this.#add(merchant, member, form.username, derive, take, also);
  }

  /**
   * As `register`, for a player whom a provider knows. That account replaces the password, the
   * captcha and, if the provider tells one, the address; and name and number if the brand leaves
   * the choice of the two. A member who chooses no name is named by the last characters of their
   * id, which reveal nothing. Can also refuse with `email_taken`.
   */
  async registerOutside(
    merchant: Merchant,
    form: RegistrationFields,
    outside: OutsideAccount,
    device: Device,
  ): Promise<Result<Registered, Refusal>> {
    if (!takesMembers(merchant)) return refuse(refusal("feature_off"));
    const read = readForm(merchant, form, this.#options.clock.now(), outside);
    if (!read.ok) return refuse(refusal("invalid_input", { fields: read.error }));
    return this.#within(merchant, device, async (_risky, known) => {
      const judged = await this.#judge(merchant, form, read.value, device);
      if (!judged.ok) return judged;
      const { email, emailVerified, also } = outside;
      const told = { email: email ?? (form.email || null), emailVerified, passwordHash: null };
      const { member, take } = judged.value;
      const derive = (id: string) => `player_${id.slice(-8)}`;
      return this.#add(
        merchant,
        { ...member, ...told },
        form.username,
        derive,
        take,
        async (...made) => {
          await also(...made);
          await known(...made);
        },
      );
    });
  }

  /**
   * Makes an account if its block and its device have room; an account that was not made does not
   * count. The argument of `make` is written with the account: the device, as known for its member.
   */
  async #within(
    merchant: Merchant,
    device: Device,
    make: (risky: boolean, also: Also) => Promise<Result<Added, Refusal>>,
  ): Promise<Result<Registered, Refusal>> {
    const { devices } = this.#options;
    const token = await devices.tokenOf(device.token);
    const place = await this.#newAccounts.take(merchant, { address: device.address, token });
    if (!place.ok) return place;
    let made: Result<Added, Refusal> | null = null;
    try {
      made = await make(place.value.risky, (client, id) => devices.note(id, token, client));
    } finally {
      if (made?.ok !== true) await place.value.giveBack();
    }
    return made.ok ? ok({ ...made.value, deviceToken: token }) : made;
  }

  /** The faults for which a registration now would refuse this value; empty for none. */
  verify(
    merchant: Merchant,
    field: (typeof VERIFIABLE_FIELDS)[number],
    value: string,
  ): FieldFault[] {
    return field === "birthday"
      ? birthdayFault(merchant, value, this.#options.clock.now())
      : patternFault(merchant, field, value);
  }

  /** Whether the code invites to this brand. */
  async invites(merchant: Merchant, code: string): Promise<boolean> {
    return (await findInviter(this.#options.pool, merchant.id, code)) !== null;
  }

  /** The member that a form without faults makes, or another reason for refusal. */
  async #judge(
    merchant: Merchant,
    form: RegistrationFields,
    { number, proof }: ReadNumber,
    device: Device,
  ) {
    const { pool, passwords } = this.#options;
    const recommender = await this.#recommender(merchant, form);
    if (!recommender.ok) return recommender;
    if (form.username !== undefined) {
      const holder = await findMemberByName(pool, merchant.id, form.username);
      if (holder !== null) return refuse(NAME_TAKEN);
    }
    // Checked after all that can fail without it, since a look at a code uses one of its tries.
    const proven = await this.#provenNumber(merchant, form, { number, proof }, device);
    if (!proven.ok) return proven;
    const take = proven.value;
    const verified = take === null ? null : number;
    if (verified !== null && (await findMemberByMobile(pool, merchant.id, verified)) !== null) {
      return refuse(NUMBER_TAKEN);
    }
    const member = {
      merchantId: merchant.id,
      nickname: form.nickname || null,
      birthday: form.birthday || null,
      affiliateCode: form.affiliateCode?.toUpperCase() || null,
      type: MEMBER_TYPE,
      paymentPasswordHash: form.paymentPassword
        ? await passwords.hash(form.paymentPassword, device.hasHungUp)
        : null,
      mobile: verified ?? number,
      mobileVerified: verified !== null,
      recommenderId: recommender.value,
      profile: Object.fromEntries(PROFILE.flatMap((name) => profileEntry(name, form[name]))),
    };
    return ok({ member, take: take ?? TAKES_NOTHING });
  }

  /** Under the chosen name, else under one made of the id and the round of trying. */
  async #add(
    merchant: Merchant,
    member: Omit<NewMember, "id" | "username">,
    chosen: string | undefined,
    derive: (id: string, round: number) => string,
    take: TakeProof,
    also: Also,
  ): Promise<Result<Added, Refusal>> {
    const { clock, entropy, addMember } = this.#options;
    for (let round = 0; round < DERIVED_NAMES; round++) {
      const id = mintId("member", clock.now(), entropy.bytes(16));
      const username = chosen ?? derive(id, round);
      const added = await addMember(merchant, { ...member, id, username }, async (client) => {
        await mustTake(client, take);
        await also(client, id);
      }).catch((error: unknown) => {
        if (error instanceof ProofTaken) return "code_taken" as const;
        throw error;
      });
      if (added === "code_taken") return refuse(CODE_WRONG);
      if (added === "added") return ok({ id, username: username.toLowerCase() });
      if (added === "mobile_taken") return refuse(NUMBER_TAKEN);
      if (added === "email_taken") return refuse(refusal("email_taken"));
      if (chosen !== undefined) break;
    }
    return refuse(NAME_TAKEN);
  }

  /** The member whose team the new one joins: the inviter, else the member whose link it was. */
  async #recommender(
    merchant: Merchant,
    { affiliateCode, recommenderId }: RegistrationFields,
  ): Promise<Result<string | null, Refusal>> {
    const { pool } = this.#options;
    const inviter = affiliateCode ? await findInviter(pool, merchant.id, affiliateCode) : null;
    if (affiliateCode && inviter === null) {
      const fields: FieldFault[] = [{ field: "affiliateCode", code: "not_allowed" }];
      return refuse(refusal("invitation_wrong", { fields }));
    }
    if (!recommenderId) return ok(inviter);
    const find = isId("member", recommenderId) ? findMember : findMemberByName;
    const member = isNameOfNumber(recommenderId)
      ? null
      : await find(pool, merchant.id, recommenderId);
    if (member === null || member.type === TRIAL_TYPE || !isPlayerType(member.type)) {
      const fields: FieldFault[] = [{ field: "recommenderId", code: "not_allowed" }];
      return refuse(refusal("referrer_wrong", { fields }));
    }
    return ok(inviter ?? member.id);
  }

  /** What proves that the number is the player's; null for one that is only claimed. */
  async #provenNumber(
    merchant: Merchant,
    { verificationCode, firebaseIdToken, firebaseChannel = "" }: RegistrationFields,
    { number, proof }: ReadNumber,
    device: Device,
  ): Promise<Result<TakeProof | null, Refusal>> {
    const { smsCodes, phoneProofs } = this.#options;
    if (proof === "none" || number === null) return ok(null);
    if (proof === "outside" && phoneProofs === null) return refuse(refusal("feature_off"));
    if (proof === "outside" && phoneProofs !== null) {
      const shown = await phoneProofs.judge(firebaseChannel, firebaseIdToken ?? "");
      const same = shown !== null && e164(shown.number) === e164(number);
      return same ? ok(shown.take) : refuse(CODE_WRONG);
    }
    const asker = { browser: device.asker };
    const given = { code: verificationCode ?? "", asker };
    const take = await smsCodes.judge(merchant, "register", number, given);
    return take === null ? refuse(CODE_WRONG) : ok(take);
  }
}

const NAME_TAKEN = refusal("username_taken", { fields: [{ field: "username", code: "taken" }] });
const CODE_WRONG = refusal("code_wrong", {
  fields: [{ field: "verificationCode", code: "mismatch" }],
});
const NUMBER_TAKEN = refusal("mobile_taken", { fields: [{ field: "mobileNum", code: "taken" }] });

/** What is written with a new account. */
type Also = (client: pg.ClientBase, memberId: string) => Promise<void>;

/** How a number is proven to be the player's. */
type Proof = "code" | "outside" | "none";

interface ReadNumber {
  readonly number: PhoneNumber | null;
  readonly proof: Proof;
}

/** Whether the brand takes new members at all. */
export function takesMembers({ settings: { registration } }: Merchant): boolean {
  return registration.username || registration.mobile;
}

/**
 * How the brand identifies a player with an external account: by that account, if it leaves the
 * choice between name and number, else by its one way.
 */
export function requiredOutside({ settings: { registration } }: Merchant) {
  return { username: !registration.mobile, mobileNum: !registration.username };
}

/**
 * The form by the brand's rules, or every fault in it; an empty optional field passes.
 * @param outside the account that replaces password and address; null for the whole form
 */
function readForm(
  merchant: Merchant,
  form: RegistrationFields & Partial<Registration>,
  now: Instant,
  outside: OutsideAccount | null,
): Result<ReadNumber, FieldFault[]> {
  const { registration: methods } = merchant.settings;
  const chosen = form.username !== undefined;
  const byMobile = methods.mobile && (!methods.username || (!chosen && outside === null));
  const needsName = outside === null ? !byMobile : requiredOutside(merchant).username;
  const told = outside !== null && outside.email !== null;
  const called = form.username ?? form.mobileNum ?? "";
  const faults = PATTERNED.flatMap((name) => {
    if (name === "username" && !chosen) return [];
    if (name === "password") {
      return outside === null ? passwordFault(merchant, called, name, form.password ?? "") : [];
    }
    if (name === "email" && told) return form.email ? [notAsked(name)] : [];
    return patternFault(merchant, name, form[name] ?? "");
  });
  if (needsName && !chosen) faults.unshift({ field: "username", code: "required" });
  if (form.password !== form.confirmPassword) {
    faults.push({ field: "confirmPassword", code: "mismatch" });
  }
  const { paymentPassword } = form;
  const clear = faults.every(({ field }) => field !== "paymentPassword");
  if (clear && paymentPassword && isTooCommon(paymentPassword, [called, merchant.name])) {
    faults.push({ field: "paymentPassword", code: "too_common" });
  }
  faults.push(...birthdayFault(merchant, form.birthday ?? "", now));
  const read = readNumber(merchant, form, byMobile);
  if (!read.ok) faults.push(...read.error);
  return faults.length === 0 && read.ok ? read : refuse(faults);
}

function notAsked(field: string): FieldFault {
  return { field, code: "not_allowed" };
}

function patternFault(merchant: Merchant, name: string, value: string): FieldFault[] {
  const rule = registerField(merchant, name);
  if (rule === null) return value === "" ? [] : [notAsked(name)];
  if (value === "") return rule.required ? [{ field: name, code: "required" }] : [];
  if (value.length > rule.maxLength) {
    return [{ field: name, code: "too_long", limit: String(rule.maxLength) }];
  }
  const open = name !== "username" || (LOGIN_USERNAME.test(value) && !isNameOfNumber(value));
  return open && fitsPattern(rule, value) ? [] : [{ field: name, code: "bad_format" }];
}

function birthdayFault(merchant: Merchant, birthday: string, now: Instant): FieldFault[] {
  const rule = registerField(merchant, "birthday");
  if (birthday === "") {
    return rule?.required === true ? [{ field: "birthday", code: "required" }] : [];
  }
  if (rule === null) return [{ field: "birthday", code: "not_allowed" }];
  const today = businessDay(now, merchant.zone);
  const { minimumAge } = merchant.settings;
  // ISO days compare as text: the birthday must be on or before today, minimumAge years ago.
  const latest = `${Number(today.slice(0, 4)) - minimumAge}${today.slice(4)}`;
  if (birthday < "1900-01-01") return [{ field: "birthday", code: "bad_format" }];
  return birthday > latest
    ? [{ field: "birthday", code: "too_young", limit: String(minimumAge) }]
    : [];
}

/**
 * The number and how it is proven. By mobile there is always a code; by username only if the brand
 * has the field `messageCode`, and if that is optional, a number without a code is only claimed.
 */
function readNumber(
  merchant: Merchant,
  form: RegistrationFields,
  byMobile: boolean,
): Result<ReadNumber, FieldFault[]> {
  const { countryDialingCode, mobileNum = "", verificationCode, firebaseIdToken } = form;
  const asksCode = registerField(merchant, "messageCode");
  // By mobile it is always asked for, whatever the brand sets for the field.
  const judged = !byMobile || registerField(merchant, "mobileNum") !== null;
  const faults = judged ? patternFault(merchant, "mobileNum", mobileNum) : [];
  if (byMobile && mobileNum === "" && faults.length === 0)
    faults.push({ field: "mobileNum", code: "required" });
  if (asksCode === null && !merchant.settings.registration.mobile) {
    const proofs = { verificationCode, firebaseIdToken };
    for (const [field, given] of Object.entries(proofs)) {
      if (given !== undefined) faults.push({ field, code: "not_allowed" });
    }
  }
  if (verificationCode !== undefined && asksCode !== null) {
    const [fault] = patternFault(merchant, "messageCode", verificationCode);
    if (fault !== undefined) faults.push({ ...fault, field: "verificationCode" });
  }
  if (mobileNum === "" || faults.length > 0) {
    return faults.length > 0 ? refuse(faults) : ok({ number: null, proof: "none" });
  }
  if (countryDialingCode === undefined) {
    return refuse([{ field: "countryDialingCode", code: "required" }]);
  }
  const read = readMobile(countryDialingCode, mobileNum);
  if (!read.ok) return refuse([read.error]);
  const number = read.value;
  if (firebaseIdToken !== undefined) return ok({ number, proof: "outside" });
  if (verificationCode !== undefined) return ok({ number, proof: "code" });
  const needed = byMobile || asksCode?.required === true;
  return needed
    ? refuse([{ field: "verificationCode", code: "required" }])
    : ok({ number, proof: "none" });
}

function profileEntry(name: string, value: string | undefined): [string, string][] {
  return value ? [[name, value]] : [];
}
