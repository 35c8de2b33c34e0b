import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import type { Entropy } from "@perya/kernel/instant";
import { createBrands, type Merchant } from "../../apps/server/src/modules/brand/brand.ts";
import {
  type AccountPartsOptions,
  accountParts,
} from "../../apps/server/src/modules/identity/account-parts.ts";
import {
  RESET_MAIL,
  resetMailTask,
} from "../../apps/server/src/modules/identity/accounts/reset-mails.ts";
import { createCaptchas } from "../../apps/server/src/modules/identity/defence/captcha.ts";
import {
  OWNER_MAIL,
  OwnerMails,
  ownerMailTask,
} from "../../apps/server/src/modules/identity/defence/owner-mails.ts";
import { SecondFactor } from "../../apps/server/src/modules/identity/factors/second-factor.ts";
import { SmsCodes } from "../../apps/server/src/modules/identity/factors/sms-codes.ts";
import { Totp } from "../../apps/server/src/modules/identity/factors/totp.ts";
import { insertMember, type Session } from "../../apps/server/src/modules/identity/identity.ts";
import { Passwords } from "../../apps/server/src/modules/identity/members/passwords.ts";
import type { Halves } from "../../apps/server/src/modules/identity/sessions/sessions.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import type { Mailer } from "../../apps/server/src/platform/mail/mail.ts";
import { createOutbox, type OutboxMessage } from "../../apps/server/src/platform/outbox.ts";
import { quickArgon2 } from "../setup/quick-argon2.ts";
import { runDueJobs } from "../setup/run-due-jobs.ts";
import { createTestDatabase } from "../setup/test-database.ts";
import { taken } from "./answers.ts";
import { makeBrand, manualClock, seededEntropy } from "./fixtures.ts";
import { wordsOf } from "./phone-service.ts";

export const PASSWORD = "Fiesta2026";
/** What a forgotten or changed password becomes. */
export const NEW = "Sampaguita77";
/** The one browser in which a player who forgot their password does everything. */
export const ASKER = { browser: "a browser" };
export const PUBLIC_URL = "https://perya.test";
export const PHONE = {
  address: "203.0.113.7",
  userAgent: "a phone",
  asker: "a browser",
};

/** Counts the slow hashes (a tenth of a second each), to show equal work without a stopwatch. */
class CountedPasswords extends Passwords {
  work = 0;

  override hash(password: string): Promise<string> {
    this.work += 1;
    return super.hash(password);
  }

  override matches(stored: string | null, password: string): Promise<boolean> {
    this.work += 1;
    return super.matches(stored, password);
  }
}

export interface Account {
  readonly id: string;
  readonly merchant: Merchant;
  readonly username: string;
}

export interface NewAccount {
  readonly merchant?: Merchant;
  /** Null for a member who registered by SMS or by an external provider. */
  readonly password?: string | null;
  readonly email?: string;
  readonly emailVerified?: boolean;
  /** Digits behind +63, verified. */
  readonly mobile?: string;
  readonly type?: number;
}

/**
 * The modules that protect accounts, on their own database, with two brands: perya and fiesta.
 * Mails and SMS end in the outbox. `close` it at the end.
 */
export async function openAccountHarness(seed: string) {
  const clock = manualClock();
  const entropy: Entropy = seededEntropy(seed);
  const log = createLogger({ level: "silent" });
  const db = await createTestDatabase();
  const { pool } = db;
  const perya = await makeBrand(pool, clock, { hosts: ["perya.test"] });
  const fiesta = await makeBrand(pool, clock, { hosts: ["fiesta.test"] });
  const brands = createBrands(pool, clock);
  const outbox = createOutbox({ clock, log });
  const passwords = new CountedPasswords(entropy, quickArgon2);
  const codes = new SmsCodes({
    pool,
    clock,
    entropy,
    log,
    sms: outbox.sms,
    // Other tests cover the proof of work.
    humanCheck: { challenge: () => Promise.reject(new Error()), verify: async () => true },
    secret: "a secret of this test's own",
  });
  const totp = new Totp({
    ...{ pool, clock, entropy, passwords },
    secret: "another secret of this test's own",
  });
  const ownerMails = new OwnerMails(clock, true);
  const secondFactor = new SecondFactor({ pool, clock, entropy, totp, ownerMails });
  const options: AccountPartsOptions = {
    ...{ pool, clock, entropy, passwords, secondFactor, totp, ownerMails },
    captchas: createCaptchas(pool, clock, entropy),
    smsCodes: codes,
    // Here an outside service's token is the number that it proves.
    phoneProofs: wordsOf(clock, (token) => (/^9\d{9}$/.test(token) ? token : undefined)),
    // Nobody plays here.
    wallets: { open: async () => undefined, giveTrialCredit: async () => undefined },
    mailer: outbox.mailer,
    publicUrl: PUBLIC_URL,
  };
  const parts = accountParts(options);
  const { sessions } = parts;
  let made = 0;

  async function makeAccount(given: NewAccount = {}): Promise<Account> {
    made += 1;
    const merchant = given.merchant ?? perya;
    const username = `player_${made}`;
    const id = mintId("member", clock.now(), entropy.bytes(16));
    const password = given.password === undefined ? PASSWORD : given.password;
    const member = {
      id,
      merchantId: merchant.id,
      username,
      nickname: null,
      email: given.email ?? null,
      birthday: null,
      affiliateCode: null,
      type: given.type ?? 0,
      passwordHash: password === null ? null : await passwords.hash(password),
    };
    if (!(await insertMember(pool, member, clock.now()))) throw new Error("the name is taken");
    await pool.query(
      `UPDATE members SET
         email_verified_at = CASE WHEN $2 THEN to_timestamp($4 / 1000.0) END,
         dialing_code = CASE WHEN $3::text IS NOT NULL THEN '+63' END, mobile_num = $3,
         mobile_verified_at = CASE WHEN $3::text IS NOT NULL THEN to_timestamp($4 / 1000.0) END
       WHERE id = $1`,
      [id, given.emailVerified === true, given.mobile ?? null, clock.now()],
    );
    return { id, merchant, username };
  }

  /** A session as a log-in opens it. */
  async function logIn(account: Account): Promise<{ session: Session; halves: Halves }> {
    const { rows } = await pool.query("SELECT * FROM members WHERE id = $1", [account.id]);
    const started = await sessions.start(rows[0], PHONE, "password");
    const found = present(await sessions.find(account.merchant, started.halves), "the session");
    return { session: taken(found), halves: started.halves };
  }

  /** A session whose owner has also just proved who they are. */
  async function logInProven(account: Account): Promise<{ session: Session; halves: Halves }> {
    const opened = await logIn(account);
    await sessions.prove(opened.session.id);
    return opened;
  }

  async function passwordOf(account: Account, password: string): Promise<boolean> {
    const { rows } = await pool.query("SELECT password_hash FROM members WHERE id = $1", [
      account.id,
    ]);
    const before = passwords.work;
    const right = await passwords.matches(rows[0].password_hash, password);
    passwords.work = before;
    return right;
  }

  /** Sends the waiting mails, as the jobs do; the runner complains when it has nothing to run. */
  async function sendMails(over: Mailer | null = outbox.mailer): Promise<void> {
    const { rowCount } = await pool.query(
      "SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now()) FROM graphile_worker.jobs HAVING count(*) > 0",
    );
    if (rowCount === 0) return;
    const by = { clock, log, mailer: over, merchantById: (id: string) => brands.byId(id) };
    const tasks = {
      [OWNER_MAIL]: ownerMailTask(by),
      [RESET_MAIL]: resetMailTask({ ...by, pool, entropy, publicUrl: PUBLIC_URL }),
    };
    await runDueJobs({ pool, log, tasks });
  }

  /** The newest message to an address or number, or null, after all messages have arrived. */
  async function newestTo(to: string): Promise<OutboxMessage | null> {
    await sendMails();
    await codes.delivery.settled();
    return outbox.messages().find((message) => message.to === to) ?? null;
  }

  function freshEmail(): string {
    made += 1;
    return `player${made}@example.com`;
  }

  /** Digits behind +63, far enough apart to share no block. */
  function freshMobile(): string {
    made += 1;
    return `917${String(made * 1_009).padStart(7, "0")}`;
  }

  async function withEmail(emailVerified = false): Promise<{ account: Account; email: string }> {
    const email = freshEmail();
    return { account: await makeAccount({ email, emailVerified }), email };
  }

  async function withMobile(merchant = perya): Promise<{ account: Account; mobile: string }> {
    const mobile = freshMobile();
    return { account: await makeAccount({ merchant, mobile }), mobile };
  }

  /** The code in the newest SMS to a number behind +63. */
  async function codeTo(mobileNum: string): Promise<string> {
    const sms = present(await newestTo(`+63${mobileNum}`), "the SMS");
    return present(/\b\d{6}\b/.exec(sms.text)?.[0], "a code in the SMS");
  }

  /** Asks for a code by which a session's member verifies a number. */
  function sendCode(session: Session, mobileNum: string, merchant = perya) {
    const given = { countryDialingCode: "+63", mobileNum, humanCheck: "solved" };
    const caller = { address: PHONE.address, deviceHash: null, language: "EN" };
    return parts.contacts.sendMobileCode(merchant, session, given, caller);
  }

  function verifyMobile(
    session: Session,
    mobileNum: string,
    verificationCode: string,
    merchant = perya,
  ) {
    const given = { countryDialingCode: "+63", mobileNum, verificationCode };
    return parts.contacts.verifyMobile(merchant, session, given, "EN");
  }

  function forgot(username: string, email: string, language = "EN") {
    return parts.byMail.forgot(perya, { username, email }, { address: PHONE.address, language });
  }

  function setByLink(token: string, newPassword = NEW, merchant = perya) {
    const given = { token, newPassword, confirmNewPassword: newPassword };
    return parts.byMail.setByLink(merchant, given, "EN");
  }

  /** Asks for a code to a forgotten password and reads it on the phone. */
  async function resetCode(merchant: Merchant, mobileNum: string): Promise<string> {
    const asked = { asker: ASKER, purpose: "reset", mobileNum, address: PHONE.address } as const;
    const given = { countryDialingCode: "+63", humanCheck: "solved", deviceHash: null };
    taken(await codes.request(merchant, { ...asked, ...given, language: "EN" }));
    return codeTo(mobileNum);
  }

  function setByPhone(
    merchant: Merchant,
    [username, mobileNum, verificationCode]: readonly [string, string, string],
    newPassword = NEW,
  ) {
    const given = { username, newPassword, countryDialingCode: "+63", mobileNum, verificationCode };
    return parts.byPhone.setByPhone(merchant, given, { language: "EN", asker: ASKER });
  }

  function changePassword(
    account: Account,
    session: Session,
    given: Partial<Parameters<typeof parts.passwordChange.change>[2]>,
  ) {
    const { newPassword = NEW, confirmNewPassword = newPassword, ...proof } = given;
    const whole = { ...proof, newPassword, confirmNewPassword };
    return parts.passwordChange.change(account.merchant, session, whole, "EN");
  }

  return {
    clock,
    entropy,
    db,
    perya,
    fiesta,
    outbox,
    ownerMails,
    sendMails,
    passwords,
    codes,
    totp,
    secondFactor,
    ...parts,
    ...{ freshEmail, freshMobile, withEmail, withMobile, codeTo, sendCode, verifyMobile },
    ...{ forgot, setByLink, resetCode, setByPhone, changePassword },

    /** The same parts of another installation. */
    partsWith: (more: Partial<AccountPartsOptions>) => accountParts({ ...options, ...more }),
    makeAccount,
    logIn,
    logInProven,
    passwordOf,
    newestTo,
    /** The token in the link of the newest mail to an address. */
    linkTo: async (to: string) => {
      await newestTo(to);
      const texts = outbox.messages().flatMap((one) => (one.to === to ? [one.text] : []));
      const tokens = texts.map((text) => /token=([A-Za-z0-9_-]{43})\b/.exec(text)?.[1]);
      return present(
        tokens.find((token) => token !== undefined),
        `a link in a mail to ${to}`,
      );
    },
    /** Whether the halves of a session still open it. */
    isOpen: async (account: Account, halves: Halves) =>
      (await sessions.find(account.merchant, halves))?.ok === true,
    close: () => db.drop(),
  };
}

export type AccountHarness = Awaited<ReturnType<typeof openAccountHarness>>;
