import { type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { DAY_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { hashOfToken, mintToken } from "../../../platform/bearer-token.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import { NoTurn } from "../../../platform/turns.ts";
import type { Merchant } from "../../brand/brand.ts";
import { AbuseCounts, type AbuseLimit, type Counted } from "../defence/abuse-counts.ts";
import { deviceHashOf, KnownDevices } from "../defence/known-devices.ts";
import type { OwnerMails } from "../defence/owner-mails.ts";
import { findMember, type MemberRow } from "../members/members.store.ts";
import type { SessionMethod } from "../sessions/session.ts";
import { FactorsChanged, stillHas } from "../sessions/sessions.ts";
import { mustTake, ProofTaken, type TakeProof } from "./owner-proof.ts";
import {
  findPending,
  forgetPending,
  giveBackPendingTry,
  insertPending,
  spendPendingTry,
} from "./second-factor.store.ts";
import type { Totp } from "./totp.ts";

const PENDING_MS = 5 * MINUTE_MS;
const PENDING_TRIES = 5;
/**
 * A person who has the password could begin anew after every five tries, so the tries per member
 * are limited too. Browsers from which the member has logged in have shares apart from strangers':
 * those known longest one each, the others by standing, since a person with the password makes new
 * ones. So an attacker guesses some dozens of times a day, and locks out no owner at home.
 */
const WRONG_MAX = 10;
const WRONG_WINDOW_MS = 15 * MINUTE_MS;
const WRONG_A_DAY = 20;
/** So many wrong codes of a day's share, and the owner gets a mail: nobody mistypes so often. */
const TOLD_AFTER = 5;

export interface PendingLogin {
  readonly pending: string;
  readonly expiresAt: Instant;
}

export interface JudgedCode {
  /** As it was before the code was judged. */
  readonly member: MemberRow;
  readonly method: SessionMethod;
  /** Takes the code and ends the wait, in the transaction of the session; null for a wrong code. */
  readonly take: TakeProof | null;
}

export interface SecondFactorOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly totp: Totp;
  readonly ownerMails: Pick<OwnerMails, "tell">;
}

/** The step between a right password and a session, for members who switched it on. */
export class SecondFactor {
  readonly #options: SecondFactorOptions;
  readonly #counts: AbuseCounts;
  readonly #devices: KnownDevices;

  constructor(options: SecondFactorOptions) {
    const { pool, clock, entropy } = options;
    this.#options = options;
    this.#counts = new AbuseCounts(pool, clock);
    this.#devices = new KnownDevices(pool, clock, entropy);
  }

  needed(memberId: string, db?: pg.ClientBase): Promise<boolean> {
    return this.#options.totp.isOn(memberId, db);
  }

  /**
   * Holds a login until its second factor comes, and takes what proved the first.
   * @throws FactorsChanged as `Sessions.start` does, or if no second factor is needed any more,
   *   and ProofTaken
   */
  async hold(member: MemberRow, method: SessionMethod, take: TakeProof): Promise<PendingLogin> {
    const { pool, clock, entropy } = this.#options;
    const { token, hash } = mintToken(entropy);
    const expiresAt = clock.now() + PENDING_MS;
    const held = { tokenHash: hash, merchantId: member.merchant_id, memberId: member.id };
    await withTransaction(pool, async (client) => {
      await stillHas(client, member);
      if (!(await this.needed(member.id, client))) throw new FactorsChanged();
      await mustTake(client, take);
      await insertPending(client, { ...held, method, tries: PENDING_TRIES, expiresAt });
    });
    return { pending: token, expiresAt };
  }

  /**
   * Judges a code for a held login. Refuses with `link_spent` for a login that is not held (any
   * more), or with `rate_limited`.
   * @param deviceToken the value of the browser's device cookie
   */
  async judge(
    merchant: Merchant,
    given: { readonly pending: string; readonly code: string },
    deviceToken: string | undefined,
  ): Promise<Result<JudgedCode, Refusal>> {
    const { pool, clock, totp } = this.#options;
    const { id: merchantId } = merchant;
    const hash = hashOfToken(given.pending);
    const held = await findPending(pool, merchantId, hash, clock.now());
    if (held === null) return refuse(refusal("link_spent"));
    const { member_id: memberId, method } = held;
    const found = await findMember(pool, merchantId, memberId);
    const member = present(found, "the member of a held login");
    const whose = await this.#shareOf(memberId, deviceToken);
    const aDay = { subject: `second:day:${whose}`, max: WRONG_A_DAY, windowMs: DAY_MS };
    const limits = [
      { subject: `second:${whose}`, max: WRONG_MAX, windowMs: WRONG_WINDOW_MS },
      aDay,
    ];
    const counted = await this.#spend(merchantId, hash, limits);
    if (!counted.ok) return counted;
    const giveBack = async () => {
      await this.#counts.giveBack(merchantId, counted.value);
      await giveBackPendingTry(pool, hash);
    };
    const takeCode = await totp.judge(memberId, given.code).catch(async (error: unknown) => {
      // A code that was not judged is no guess.
      if (error instanceof NoTurn) await giveBack();
      throw error;
    });
    if (takeCode === null) {
      await this.#tellOfGuesses(merchant, memberId, aDay.subject);
      return ok({ member, method, take: null });
    }
    await giveBack();
    const take: TakeProof = async (db) => (await takeCode(db)) && (await forgetPending(db, hash));
    return ok({ member, method, take });
  }

  /** Counts a code and the try that it uses, or neither; `link_spent` or `rate_limited`. */
  async #spend(
    merchantId: string,
    hash: Buffer,
    limits: readonly AbuseLimit[],
  ): Promise<Result<readonly Counted[], Refusal>> {
    const spendTry: TakeProof = (db) => spendPendingTry(db, hash);
    try {
      const also = (client: pg.ClientBase) => mustTake(client, spendTry);
      const counted = await this.#counts.spend(merchantId, limits, also);
      return counted.ok ? counted : refuse(refusal("rate_limited", { retryAt: counted.error }));
    } catch (error) {
      if (error instanceof ProofTaken) return refuse(refusal("link_spent"));
      throw error;
    }
  }

  /** The share in which wrong codes count: a browser's, a standing's, or that of all strangers. */
  async #shareOf(memberId: string, deviceToken: string | undefined): Promise<string> {
    const phone = await this.#devices.phoneOf(memberId, deviceHashOf(deviceToken));
    if (phone === null) return memberId;
    return `${memberId}|${phone.standing === "longest" ? phone.by : phone.standing}`;
  }

  /** Once a day, in the brand's language, since the caller may be anybody. */
  async #tellOfGuesses(merchant: Merchant, memberId: string, aDay: string): Promise<void> {
    const spent = await this.#counts.spentOf(merchant.id, [aDay]);
    if ((spent.get(aDay) ?? 0) < TOLD_AFTER) return;
    const once = { subject: `second:told:${memberId}`, max: 1, windowMs: DAY_MS };
    const owned = { merchant, memberId, language: merchant.settings.defaultLanguage };
    await this.#counts.spend(merchant.id, [once], (client) =>
      this.#options.ownerMails.tell(client, owned, { what: "wrongCodes" }),
    );
  }
}
