import type { VERIFIABLE_FIELDS } from "@perya/contract/auth";
import { isNameOfNumber } from "@perya/contract/number-names";
import { type FieldFault, type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Id, isId, mintId } from "@perya/kernel/ids";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { ModuleParts } from "../../../platform/server-module.ts";
import { type Merchant, registerField } from "../../brand/brand.ts";
import { CAPTCHA_WRONG, type Captchas } from "../defence/captcha.ts";
import type { KnownDevices } from "../defence/known-devices.ts";
import { mustTake, ProofTaken, TAKES_NOTHING, type TakeProof } from "../factors/owner-proof.ts";
import type { PhoneProofs } from "../factors/phone-proofs.ts";
import type { SmsCodes } from "../factors/sms-codes.ts";
import { doorFault, isPlayerType, MEMBER_TYPE, TRIAL_TYPE } from "../members/member-type.ts";
import {
  findMember,
  findMemberByMobile,
  findMemberByName,
  type NewMember,
} from "../members/members.store.ts";
import type { PasswordWork } from "../members/passwords.ts";
import { e164, nameOfNumber } from "../members/phone-numbers.ts";
import type { Device } from "../sessions/sessions.ts";
import { findInviter } from "./invitations.store.ts";
import { NewAccounts } from "./new-accounts.ts";
import type { AddMember } from "./new-member.ts";
import {
  birthdayFault,
  type OutsideAccount,
  patternFault,
  type ReadNumber,
  type Registration,
  type RegistrationFields,
  readForm,
  takesMembers,
} from "./registration-form.ts";

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

export interface RegistrationsOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly captchas: Captchas;
  readonly passwords: PasswordWork;
  readonly smsCodes: SmsCodes;
  readonly phoneProofs: PhoneProofs | null;
  readonly devices: KnownDevices;
  readonly addMember: AddMember;
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

  /** Whether the name can be chosen; the same answer for any number, taken or not. */
  async isFree(merchant: Merchant, username: string): Promise<boolean> {
    if (isNameOfNumber(username)) return false;
    return (await findMemberByName(this.#options.pool, merchant.id, username)) === null;
  }

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

type Also = (client: pg.ClientBase, memberId: string) => Promise<void>;

function profileEntry(name: string, value: string | undefined): [string, string][] {
  return value ? [[name, value]] : [];
}
