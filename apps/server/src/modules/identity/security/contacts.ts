import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, type Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { hashOfToken, mintToken } from "../../../platform/bearer-token.ts";
import type { Mailer } from "../../../platform/mail/mail.ts";
import { maskAddress } from "../../../platform/mask-address.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import { isUniqueViolation } from "../../../platform/postgres/violations.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import { type Merchant, originsOf } from "../../brand/brand.ts";
import {
  findMailLink,
  removeMailLink,
  replaceMailLink,
  useMailLink,
} from "../accounts/mail-links.store.ts";
import { AbuseCounts, inboxOf, limitsOfAddress, limitsOfKnown } from "../defence/abuse-counts.ts";
import { verifyEmailMail } from "../defence/mail-texts.ts";
import type { OwnerMails } from "../defence/owner-mails.ts";
import type { SmsCodes } from "../factors/sms-codes.ts";
import { findMember, lockMember, setEmail, setMobile } from "../members/members.store.ts";
import { e164, readMobile } from "../members/phone-numbers.ts";
import { ownerIn, type Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";

const VERIFY_LINK_MS = DAY_MS;

/** Links that one member asks for. */
const LINKS_PER_DAY = 10;

/** To one inbox, from all members at one address or in one customer's wide block. */
const FROM_PER_HOUR = 6;

export interface ContactsOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly sessions: Sessions;
  readonly codes: Pick<SmsCodes, "request" | "judge">;
  /** Null if this installation sends no mail, so that addresses cannot be verified. */
  readonly mailer: Mailer | null;
  readonly ownerMails: Pick<OwnerMails, "tell">;
  readonly publicUrl: string;
}

interface GivenNumber {
  readonly countryDialingCode: string;
  readonly mobileNum: string;
}

export class Contacts {
  readonly #options: ContactsOptions;
  readonly #counts: AbuseCounts;

  constructor(options: ContactsOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
  }

  /**
   * Sends a link to an address, which becomes the account's once the link is opened; until then the
   * old one stays. The answer hides whether another has the address. Refuses with `feature_off`,
   * `fresh_login_needed`, `rate_limited`, `message_unavailable`, or a fault of the address.
   */
  async sendEmailLink(
    merchant: Merchant,
    session: Session,
    email: string,
    { address, language }: { readonly address: string; readonly language: string },
  ): Promise<Result<void, Refusal>> {
    const { pool, clock, entropy, mailer, publicUrl, sessions } = this.#options;
    if (mailer === null) return refuse(refusal("feature_off"));
    const fresh = await sessions.admitFresh(session);
    if (!fresh.ok) return fresh;
    const counted = await this.#counts.spend(merchant.id, [
      { subject: `email:${session.memberId}`, max: LINKS_PER_DAY, windowMs: DAY_MS },
      ...limitsOfKnown(`email:inbox:${inboxOf(email)}`, { by: session.memberId, standing: "own" }),
      ...limitsOfAddress(`email:from:${inboxOf(email)}`, address, FROM_PER_HOUR, HOUR_MS, 1),
    ]);
    if (!counted.ok) return refuse(refusal("rate_limited", { retryAt: counted.error }));
    const { token, hash } = mintToken(entropy);
    const now = clock.now();
    const link = {
      tokenHash: hash,
      merchantId: merchant.id,
      memberId: session.memberId,
      purpose: "verify_email" as const,
      sessionId: session.id,
      email,
      expiresAt: now + VERIFY_LINK_MS,
    };
    const kept = await sessions.whileFresh(session, async (client) =>
      ok(await replaceMailLink(client, link, now)),
    );
    if (!kept.ok) return kept;
    const letter = { merchant, language, to: email, username: session.username };
    const [origin] = originsOf(merchant, publicUrl);
    const sent = await mailer.send(
      verifyEmailMail(letter, `${origin}/m/verifyEmail?token=${token}`),
    );
    if (sent.ok) return ok(undefined);
    // A link whose answer was lost may arrive all the same, and is valid then.
    if (sent.error === "unavailable") {
      await this.#counts.giveBack(merchant.id, counted.value);
      return refuse(refusal("message_unavailable"));
    }
    await removeMailLink(pool, hash);
    return refuse(fieldRefusal("email", "bad_format"));
  }

  /** Refuses with `link_spent`, or `email_taken` if another member was first. */
  async verifyEmail(
    merchant: Merchant,
    token: string,
    language: string,
  ): Promise<Result<{ email: string }, Refusal>> {
    const { pool, clock, ownerMails } = this.#options;
    const key = {
      merchantId: merchant.id,
      purpose: "verify_email" as const,
      tokenHash: hashOfToken(token),
    };
    try {
      const done = await withTransaction(pool, async (client) => {
        const existing = await findMailLink(client, key, clock.now());
        if (existing === null) return null;
        await lockMember(client, existing.member_id);
        // Read under the lock: a request made while it waited counts as before the change.
        const now = clock.now();
        const link = await useMailLink(client, key, now);
        if (link === null) return null;
        const { member_id: memberId, session_id: sessionId, email } = link;
        const found = await findMember(client, merchant.id, memberId);
        const { email: before, email_verified_at } = present(found, "the member of a link");
        await setEmail(client, { memberId, sessionId }, email, now);
        const isOther = before?.toLowerCase() !== email.toLowerCase();
        if (before !== null && email_verified_at !== null && isOther) {
          const owned = { merchant, memberId, language };
          await ownerMails.tell(client, owned, { what: "email" }, before);
        }
        return { email };
      });
      return done === null ? refuse(refusal("link_spent")) : ok(done);
    } catch (error) {
      if (isUniqueViolation(error)) return refuse(refusal("email_taken"));
      throw error;
    }
  }

  /** Sends a code to a number; refuses as SmsCodes does, or with `fresh_login_needed`. */
  async sendMobileCode(
    merchant: Merchant,
    session: Session,
    given: GivenNumber & { readonly humanCheck: string },
    caller: {
      readonly address: string;
      readonly deviceHash: string | null;
      readonly language: string;
    },
  ): Promise<Result<{ expirationTime: Instant }, Refusal>> {
    const fresh = await this.#options.sessions.admitFresh(session);
    if (!fresh.ok) return fresh;
    const { countryDialingCode, mobileNum, humanCheck } = given;
    const { address, deviceHash, language } = caller;
    return this.#options.codes.request(merchant, {
      purpose: "verify_mobile",
      asker: ownerIn(session),
      ...{ countryDialingCode, mobileNum, humanCheck, address, deviceHash, language },
    });
  }

  /** Refuses with a fault of the number, `fresh_login_needed`, `code_wrong` or `mobile_taken`. */
  async verifyMobile(
    merchant: Merchant,
    session: Session,
    given: GivenNumber & { readonly verificationCode: string },
    language: string,
  ): Promise<Result<{ masked: string }, Refusal>> {
    const { clock, codes, sessions, ownerMails } = this.#options;
    const fresh = await sessions.admitFresh(session);
    if (!fresh.ok) return fresh;
    const read = readMobile(given.countryDialingCode, given.mobileNum);
    if (!read.ok) return refuse(refusal("invalid_input", { fields: [read.error] }));
    const number = read.value;
    const code = { code: given.verificationCode, asker: ownerIn(session) };
    const take = await codes.judge(merchant, "verify_mobile", number, code);
    if (take === null) return refuse(refusal("code_wrong"));
    const masked = maskAddress(e164(number));
    try {
      return await sessions.whileFresh(session, async (client) => {
        if (!(await take(client))) return refuse(refusal("code_wrong"));
        await setMobile(client, ownerIn(session), number, clock.now());
        const owned = { merchant, memberId: session.memberId, language };
        await ownerMails.tell(client, owned, { what: "mobile", masked });
        return ok({ masked });
      });
    } catch (error) {
      if (isUniqueViolation(error)) return refuse(refusal("mobile_taken"));
      throw error;
    }
  }
}
