import type { ExternalProvider } from "@perya/contract/external-login";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Clock, DAY_MS, type Entropy, HOUR_MS, type Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { hashOfToken, mintToken } from "../../../platform/bearer-token.ts";
import {
  decodeCursor,
  encodeCursor,
  isCursorId,
  isCursorInstant,
} from "../../../platform/http/cursor.ts";
import type { Mailer } from "../../../platform/mail/mail.ts";
import { maskAddress } from "../../../platform/mask-address.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import { type Merchant, originsOf } from "../../brand/brand.ts";
import { AbuseCounts, inboxOf, limitsOfAddress, limitsOfKnown } from "../defence/abuse-counts.ts";
import { verifyEmailMail } from "../defence/mail-texts.ts";
import type { Owned, OwnerMails } from "../defence/owner-mails.ts";
import { listExternalAccounts } from "../external/external-accounts.store.ts";
import { type OwnerProof, type TakeProof, tryOwnerProof } from "../factors/owner-proof.ts";
import type { PaymentProofs } from "../factors/payment-proofs.ts";
import type { SmsCodes } from "../factors/sms-codes.ts";
import type { Totp } from "../factors/totp.ts";
import {
  type AccountRow,
  findAccount,
  findMailLink,
  lockMember,
  replaceMailLink,
  useMailLink,
} from "../members/account.store.ts";
import { isTooCommon } from "../members/common-passwords.ts";
import type { PasswordWork } from "../members/passwords.ts";
import { e164, readMobile } from "../members/phone-numbers.ts";
import type { Session } from "../sessions/session.ts";
import type { OpenSession } from "../sessions/sessions.store.ts";
import type { Sessions } from "../sessions/sessions.ts";
import {
  findPendingEmail,
  isUniqueViolation,
  type LoginEventRow,
  type LoginPosition,
  listLogins,
  removeMailLink,
  setEmail,
  setMobile,
  setPaymentPassword,
} from "./security.store.ts";

type Db = pg.Pool | pg.ClientBase;

const VERIFY_LINK_MS = DAY_MS;
/** Links that one member asks for. */
const LINKS_PER_DAY = 10;
/** To one inbox, from all members at one address or in one customer's wide block. */
const FROM_PER_HOUR = 6;

export interface SecurityOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly passwords: PasswordWork;
  readonly sessions: Sessions;
  readonly totp: Totp;
  readonly paymentProofs: Pick<PaymentProofs, "tryPassword">;
  readonly codes: Pick<SmsCodes, "request" | "judge">;
  /** Null if this installation sends no mail, so that addresses cannot be verified. */
  readonly mailer: Mailer | null;
  readonly ownerMails: Pick<OwnerMails, "tell">;
  readonly publicUrl: string;
}

/** A value that a bystander may see on the screen. */
interface Masked {
  readonly masked: string;
  readonly verified: boolean;
}

export interface Overview {
  readonly email: Masked | null;
  readonly pendingEmail: string | null;
  readonly mobile: Masked | null;
  readonly hasPassword: boolean;
  readonly hasPaymentPassword: boolean;
  readonly passwordChangedAt: Instant | null;
  readonly totp: { readonly enabled: boolean; readonly recoveryCodesLeft: number };
  readonly external: readonly ExternalProvider[];
  readonly freshUntil: Instant;
}

/** What proves who plays: the strongest of what the account has, as `prove` says. */
interface Proof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
  readonly paymentPassword?: string | undefined;
}

/** A number as the form sends it. */
interface GivenNumber {
  readonly countryDialingCode: string;
  readonly mobileNum: string;
}

/**
 * What a member sees and sets of their account's safety. Whatever would let another person in needs
 * a fresh proof of who plays: a session left open on a table sets nothing.
 */
export class Security {
  readonly #options: SecurityOptions;
  readonly #counts: AbuseCounts;

  constructor(options: SecurityOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
  }

  async overview(session: Session): Promise<Overview> {
    const { pool, clock, totp, sessions } = this.#options;
    const { memberId } = session;
    const [account, pendingEmail, enabled, recoveryCodesLeft, external, freshUntil] =
      await Promise.all([
        this.#account(session),
        findPendingEmail(pool, memberId, clock.now()),
        totp.isOn(memberId),
        totp.recoveryCodesLeft(memberId),
        listExternalAccounts(pool, memberId),
        sessions.freshUntil(session.id),
      ]);
    const { email, dialing_code: dialingCode, mobile_num: mobileNum } = account;
    return {
      email: masked(email, account.email_verified_at),
      pendingEmail: pendingEmail === null ? null : maskAddress(pendingEmail),
      mobile:
        dialingCode === null || mobileNum === null
          ? null
          : masked(e164({ dialingCode, mobileNum }), account.mobile_verified_at),
      hasPassword: account.password_hash !== null,
      hasPaymentPassword: account.payment_password_hash !== null,
      passwordChangedAt: account.password_changed_at?.getTime() ?? null,
      totp: { enabled, recoveryCodesLeft },
      external: external.accounts.map(({ provider }) => provider),
      freshUntil,
    };
  }

  /**
   * Makes the session fresh by the strongest that the member knows: with two-factor login the code,
   * without it the password, and if they have neither, the payment password. Refuses with
   * `required` for the one that is missing, `password_wrong`, `code_wrong`,
   * `payment_password_wrong` or `rate_limited`.
   */
  async prove(session: Session, given: Proof): Promise<Result<{ freshUntil: Instant }, Refusal>> {
    const { pool, sessions } = this.#options;
    const proven = await this.#tryProof(session, await this.#account(session), given);
    if (!proven.ok) return proven;
    const { take, taken } = proven.value;
    return withTransaction(
      pool,
      async (client): Promise<Result<{ freshUntil: Instant }, Refusal>> => {
        const still = await sessions.lockStanding(client, session);
        if (!still.ok) return still;
        if (!(await take(client))) return refuse(taken);
        return ok({ freshUntil: await sessions.prove(session.id, client) });
      },
    );
  }

  /**
   * Refuses a session in which nobody has lately proved that it is theirs, however fresh its
   * log-in. For an account with nothing to prove by, the log-in counts.
   */
  async admitFresh(session: Session): Promise<Result<void, Refusal>> {
    const fresh = await this.#options.sessions.isFresh(session.id);
    return fresh ? ok(undefined) : refuse(refusal("fresh_login_needed"));
  }

  async sessions(session: Session): Promise<(OpenSession & { current: boolean })[]> {
    const open = await this.#options.sessions.of(session.memberId);
    return open.map((one) => ({ ...one, current: one.id === session.id }));
  }

  /** Ends one device's session; `not_found` for a session that is not this member's. */
  async endSession(session: Session, id: string): Promise<Result<void, Refusal>> {
    const { sessions } = this.#options;
    const open = await sessions.of(session.memberId);
    if (!open.some((one) => one.id === id)) return refuse(refusal("not_found"));
    if (id === session.id) await sessions.end(id);
    else await sessions.shutOut(id);
    return ok(undefined);
  }

  endOtherSessions(session: Session): Promise<number> {
    return this.#options.sessions.endAll(session.memberId, session.id);
  }

  /** Log-ins and failed tries, newest first. */
  async logins(
    session: Session,
    page: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<Result<{ rows: LoginEventRow[]; nextCursor: string | null }, Refusal>> {
    const after = decodeCursor(page.cursor, isPosition);
    if (!after.ok) return after;
    const { pool } = this.#options;
    const found = await listLogins(pool, session.memberId, after.value, page.limit + 1);
    const rows = found.slice(0, page.limit);
    const last = found.length > page.limit ? rows.at(-1) : undefined;
    const nextCursor =
      last === undefined ? null : encodeCursor({ at: last.at.getTime(), id: last.id });
    return ok({ rows, nextCursor });
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
    const fresh = await this.admitFresh(session);
    if (!fresh.ok) return fresh;
    const counted = await this.#counts.spend(merchant.id, [
      { subject: `email:${session.memberId}`, max: LINKS_PER_DAY, windowMs: DAY_MS },
      ...limitsOfKnown(`email:inbox:${inboxOf(email)}`, {
        by: session.memberId,
        standing: "own",
      }),
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
    const kept = await withTransaction(pool, async (client) => {
      const still = await sessions.lockFresh(client, session);
      if (still.ok) await replaceMailLink(client, link, now);
      return still;
    });
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
        const found = await findAccount(client, merchant.id, memberId);
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
    const fresh = await this.admitFresh(session);
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
    const { pool, clock, codes, sessions, ownerMails } = this.#options;
    const fresh = await this.admitFresh(session);
    if (!fresh.ok) return fresh;
    const read = readMobile(given.countryDialingCode, given.mobileNum);
    if (!read.ok) return refuse(refusal("invalid_input", { fields: [read.error] }));
    const number = read.value;
    const code = { code: given.verificationCode, asker: ownerIn(session) };
    const take = await codes.judge(merchant, "verify_mobile", number, code);
    if (take === null) return refuse(refusal("code_wrong"));
    const masked = maskAddress(e164(number));
    try {
      return await withTransaction(
        pool,
        async (client): Promise<Result<{ masked: string }, Refusal>> => {
          const still = await sessions.lockFresh(client, session);
          if (!still.ok) return still;
          if (!(await take(client))) return refuse(refusal("code_wrong"));
          await setMobile(client, ownerIn(session), number, clock.now());
          const owned = { merchant, memberId: session.memberId, language };
          await ownerMails.tell(client, owned, { what: "mobile", masked });
          return ok({ masked });
        },
      );
    } catch (error) {
      if (isUniqueViolation(error)) return refuse(refusal("mobile_taken"));
      throw error;
    }
  }

  /**
   * By the earlier payment password, or, for the first one and a forgotten one, by a proof as in
   * `prove`, however fresh the login is. A reset one pays nothing for a day, and its owner gets a
   * mail: a person with the log-in's password could have set it. Refuses with
   * `payment_password_wrong`, as `prove` does, or with `too_common` for six digits that anyone
   * would try.
   */
  async setPaymentPassword(
    merchant: Merchant,
    session: Session,
    given: Omit<Proof, "paymentPassword"> & {
      readonly paymentPassword: string;
      readonly current?: string | undefined;
    },
    language: string,
  ): Promise<Result<void, Refusal>> {
    const { pool, clock, passwords, sessions, ownerMails } = this.#options;
    const { paymentPassword, current, password, code } = given;
    // First: a code that is taken once must not be used up on digits that are refused anyway.
    if (isTooCommon(paymentPassword, [session.username, merchant.name])) {
      return refuse(fieldRefusal("paymentPassword", "too_common"));
    }
    const proven =
      current === undefined
        ? await this.#proveOwner(session, { password, code })
        : await this.#tryPaymentPassword(session, current);
    if (!proven.ok) return proven;
    const { take, taken } = proven.value;
    const hash = await passwords.hash(paymentPassword);
    return withTransaction(pool, async (client): Promise<Result<void, Refusal>> => {
      const still = await sessions.lockStanding(client, session);
      if (!still.ok) return still;
      if (!(await take(client))) return refuse(taken);
      const isReset = current === undefined;
      // Read under the lock: a request made while it waited counts as before the change.
      const at = clock.now();
      const reset = await setPaymentPassword(client, ownerIn(session), hash, at, isReset);
      const owned = { merchant, memberId: session.memberId, language };
      await ownerMails.tell(client, owned, { what: "paymentPassword", reset });
      return ok(undefined);
    });
  }

  /** A secret for the authenticator app: `fresh_login_needed`, or `wrong_state` if one is on. */
  async beginTotp(
    merchant: Merchant,
    session: Session,
  ): Promise<Result<{ secret: string; uri: string }, Refusal>> {
    const fresh = await this.admitFresh(session);
    return fresh.ok ? this.#options.totp.begin(merchant.name, session) : fresh;
  }

  /** Switches two-factor login on; answers the recovery codes, and mails the owner. */
  async confirmTotp(
    merchant: Merchant,
    session: Session,
    code: string,
    language: string,
  ): Promise<Result<string[], Refusal>> {
    const fresh = await this.admitFresh(session);
    if (!fresh.ok) return fresh;
    const { totp, sessions } = this.#options;
    const owned = { merchant, memberId: session.memberId, language };
    const still = (client: pg.ClientBase) => sessions.lockFresh(client, session);
    return totp.confirm(session, code, still, this.#tellsTwoFactor(owned, true));
  }

  /**
   * Makes ten new recovery codes in place of the earlier ones, and mails the owner: for a member
   * who lost them, or the answer that held them. Refuses with `fresh_login_needed`, or
   * `wrong_state` if two-factor login is off.
   */
  async renewRecoveryCodes(
    merchant: Merchant,
    session: Session,
    language: string,
  ): Promise<Result<string[], Refusal>> {
    const fresh = await this.admitFresh(session);
    if (!fresh.ok) return fresh;
    const { totp, sessions, ownerMails } = this.#options;
    const owned = { merchant, memberId: session.memberId, language };
    const still = (client: pg.ClientBase) => sessions.lockFresh(client, session);
    return totp.renewRecoveryCodes(session, still, (client) =>
      ownerMails.tell(client, owned, { what: "recoveryCodes" }),
    );
  }

  /**
   * Switches two-factor login off by one of its codes or a recovery code, however fresh the login
   * is. Refuses with `wrong_state` if it is off, `code_wrong` or `rate_limited`.
   */
  async removeTotp(
    merchant: Merchant,
    session: Session,
    code: string,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const { totp, sessions } = this.#options;
    const { memberId } = session;
    if (!(await totp.isOn(memberId))) return refuse(refusal("wrong_state"));
    const judge = () => totp.judge(memberId, code);
    const proven = await tryOwnerProof(this.#counts, session, judge, "code_wrong");
    if (!proven.ok) return proven;
    const owned = { merchant, memberId, language };
    const still = (client: pg.ClientBase) => sessions.lockStanding(client, session);
    return totp.remove(session, proven.value, still, this.#tellsTwoFactor(owned, false));
  }

  /**
   * As `prove`, in the same call; an account with neither password nor authenticator proves by what
   * else it has, if anything.
   */
  async #proveOwner(session: Session, given: Proof): Promise<Result<OwnerProof, Refusal>> {
    const { sessions, totp } = this.#options;
    const account = await this.#account(session);
    const bare = account.password_hash === null && !(await totp.isOn(account.id));
    if (!bare) return this.#tryProof(session, account, given);
    const fresh = await this.admitFresh(session);
    if (!fresh.ok) return fresh;
    const take: TakeProof = async (db) =>
      !(await totp.isOn(account.id, db)) && (await sessions.isFresh(session.id, db));
    return ok({ take, taken: refusal("fresh_login_needed") });
  }

  async #tryProof(
    session: Session,
    account: AccountRow,
    { password, code, paymentPassword }: Proof,
  ): Promise<Result<OwnerProof, Refusal>> {
    const { passwords, totp } = this.#options;
    if (await totp.isOn(account.id)) {
      if (code === undefined) return refuse(fieldRefusal("code", "required"));
      const judge = () => totp.judge(account.id, code);
      const proven = await tryOwnerProof(this.#counts, session, judge, "code_wrong");
      return proven.ok ? ok({ take: proven.value, taken: refusal("code_wrong") }) : proven;
    }
    // If an authenticator was switched on meanwhile, that is what the caller must prove by.
    const alone = async (db: Db) => !(await totp.isOn(account.id, db));
    if (account.password_hash === null && account.payment_password_hash !== null) {
      if (paymentPassword === undefined) {
        return refuse(fieldRefusal("paymentPassword", "required"));
      }
      const proven = await this.#tryPaymentPassword(session, paymentPassword);
      if (!proven.ok) return proven;
      const { take: still, taken } = proven.value;
      return ok({ take: async (db) => (await alone(db)) && (await still(db)), taken });
    }
    if (password === undefined) return refuse(fieldRefusal("password", "required"));
    const changedAt = account.password_changed_at?.getTime();
    const take: TakeProof = async (db) =>
      (await alone(db)) &&
      (await this.#account(session, db)).password_changed_at?.getTime() === changedAt;
    const judge = async () =>
      (await passwords.matches(account.password_hash, password)) ? take : null;
    const proven = await tryOwnerProof(this.#counts, session, judge, "password_wrong");
    return proven.ok ? ok({ take: proven.value, taken: refusal("password_wrong") }) : proven;
  }

  async #tryPaymentPassword(
    session: Session,
    paymentPassword: string,
  ): Promise<Result<OwnerProof, Refusal>> {
    const proven = await this.#options.paymentProofs.tryPassword(session, paymentPassword);
    const taken = refusal("payment_password_wrong");
    return proven.ok ? ok({ take: proven.value, taken }) : proven;
  }

  async #account(
    { merchantId, memberId }: Session,
    db: Db = this.#options.pool,
  ): Promise<AccountRow> {
    return present(await findAccount(db, merchantId, memberId), "the member of a session");
  }

  #tellsTwoFactor(owned: Owned, on: boolean): (client: pg.ClientBase) => Promise<void> {
    return (client) => this.#options.ownerMails.tell(client, owned, { what: "twoFactor", on });
  }
}

function ownerIn({ id: sessionId, memberId }: Session) {
  return { sessionId, memberId };
}

function masked(value: string | null, verifiedAt: Date | null): Masked | null {
  return value === null ? null : { masked: maskAddress(value), verified: verifiedAt !== null };
}

function isPosition(value: unknown): value is LoginPosition {
  return (
    typeof value === "object" &&
    value !== null &&
    isCursorInstant(Reflect.get(value, "at")) &&
    isCursorId(Reflect.get(value, "id"))
  );
}
