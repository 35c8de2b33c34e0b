import type { Entropy } from "@perya/kernel/instant";
import { ok, refuse } from "@perya/kernel/result";
import { solveChallenge } from "altcha-lib/v1";
import type { Merchant } from "../../apps/server/src/modules/brand/brand.ts";
import {
  type AccountPartsOptions,
  accountParts,
} from "../../apps/server/src/modules/identity/account-parts.ts";
import { createCaptchas } from "../../apps/server/src/modules/identity/defence/captcha.ts";
import { useNonce } from "../../apps/server/src/modules/identity/defence/once.store.ts";
import { OwnerMails } from "../../apps/server/src/modules/identity/defence/owner-mails.ts";
import { SecondFactor } from "../../apps/server/src/modules/identity/factors/second-factor.ts";
import {
  type SmsCodeRequest,
  SmsCodes,
} from "../../apps/server/src/modules/identity/factors/sms-codes.ts";
import { Totp } from "../../apps/server/src/modules/identity/factors/totp.ts";
import { TRIAL_TYPE } from "../../apps/server/src/modules/identity/identity.ts";
import type { Logins } from "../../apps/server/src/modules/identity/logins/logins.ts";
import { Passwords } from "../../apps/server/src/modules/identity/members/passwords.ts";
import type { LoggedIn } from "../../apps/server/src/modules/identity/sessions/sessions.ts";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import {
  type Challenge,
  createHumanCheck,
} from "../../apps/server/src/platform/http/human-check.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import type { Sms, SmsSender } from "../../apps/server/src/platform/sms/sms.ts";
import { quickArgon2 } from "../setup/quick-argon2.ts";
import { createTestDatabase } from "../setup/test-database.ts";
import { taken } from "./answers.ts";
import { makeLedger, manualClock, seededEntropy } from "./fixtures.ts";

/** The gateway's answer when it does not accept a message. */
type Outage = "unavailable" | "refused" | "unknown";

/**
 * Members and all their proofs of identity, on a separate database and with an SMS gateway that
 * stores its messages. `close` it at the end.
 */
export async function openIdentityHarness(seed: string) {
  const clock = manualClock();
  const drawn: Uint8Array[] = [];
  /** Entropy that records its output, so that a test can read a captcha as a person would. */
  const entropy = remembering(seededEntropy(seed), drawn);
  const log = createLogger({ level: "silent" });
  const db = await createTestDatabase();
  const ledger = makeLedger(db);
  const captchas = createCaptchas(db.pool, clock, entropy);
  const humanCheck = createHumanCheck({
    key: "key of the human check in tests",
    clock,
    used: { take: (nonce, until) => useNonce(db.pool, nonce, until) },
    maxNumber: 20,
  });
  const sent: Sms[] = [];
  const pauses: number[] = [];
  let numbers = 0;
  let outage: Outage | null = null;
  const sms: SmsSender = {
    async send(message) {
      // With the outcome unknown, the gateway took the message and its answer is lost.
      if (outage === null || outage === "unknown") sent.push(message);
      return outage === null ? ok(undefined) : refuse(outage);
    },
  };
  const smsCodesOver = (
    gateway: SmsSender | null,
    more: Partial<ConstructorParameters<typeof SmsCodes>[0]> = {},
  ) =>
    new SmsCodes({
      pool: db.pool,
      clock,
      entropy,
      log,
      sms: gateway,
      humanCheck,
      secret: "secret of the codes in tests",
      pause: async (ms) => void pauses.push(ms),
      ...more,
    });
  const smsCodes = smsCodesOver(sms);
  const passwords = new Passwords(entropy, quickArgon2);
  const totp = new Totp({
    ...{ pool: db.pool, clock, entropy, passwords },
    secret: "secret of apps in tests",
  });
  const ownerMails = new OwnerMails(clock, false);
  const secondFactor = new SecondFactor({ pool: db.pool, clock, entropy, totp, ownerMails });

  /** The same module in another process. */
  function makeIdentity(more: Partial<AccountPartsOptions> = {}) {
    return accountParts({
      pool: db.pool,
      clock,
      entropy,
      captchas,
      passwords,
      smsCodes,
      phoneProofs: null,
      ...{ secondFactor, totp, ownerMails, mailer: null, publicUrl: "https://perya.test" },
      wallets: {
        open: (client, { id, merchant, type }) => {
          const account = accountOf(id, type === TRIAL_TYPE ? "FUN" : merchant.currency);
          const owner = { merchantId: merchant.id, ownerId: id, kind: "cash" };
          return ledger.open(client, account, owner, clock.now());
        },
        giveTrialCredit: async ({ id }, amount) => {
          const given = await ledger.credit({
            account: accountOf(id, "FUN"),
            key: "trial-credit",
            amount,
            counterAccount: "bonus:trial",
            kind: "trial-credit",
            ref: null,
            at: clock.now(),
          });
          if (!given.ok) throw new Error(given.error.code);
        },
      },
      ...more,
    });
  }

  /** Digits behind +63, far enough apart to share no block. */
  function freshNumber(): string {
    numbers += 1;
    return `917${String(numbers * 1_009).padStart(7, "0")}`;
  }

  /** A request for a code, from an address of its own unless the test says otherwise. */
  async function smsRequest(more: Partial<SmsCodeRequest> = {}): Promise<SmsCodeRequest> {
    numbers += 1;
    return {
      asker: { browser: "a browser" },
      purpose: "register",
      countryDialingCode: "+63",
      mobileNum: more.mobileNum ?? freshNumber(),
      humanCheck: more.humanCheck ?? (await solved(await humanCheck.challenge())),
      address: `address ${numbers}`,
      deviceHash: null,
      language: "EN",
      ...more,
    };
  }

  /** Requests a code and reads it. */
  async function codeFor(merchant: Merchant, more: Partial<SmsCodeRequest>): Promise<string> {
    const asked = await smsRequest(more);
    taken(await smsCodes.request(merchant, asked));
    await smsCodes.delivery.settled();
    return codeSentTo(`+63${asked.mobileNum}`);
  }

  /** The code in the newest SMS to a number. */
  function codeSentTo(to: string): string {
    const code = sent.findLast((message) => message.to === to)?.text.match(/\b\d{6}\b/)?.[0];
    if (code === undefined) throw new Error(`no code was sent to ${to}`);
    return code;
  }

  return {
    clock,
    entropy,
    db,
    ledger,
    captchas,
    smsCodes,
    /** Codes over another gateway, or without one. */
    smsCodesOver,
    /** Codes of an installation without a gateway. */
    mutedSmsCodes: smsCodesOver(null),
    identity: makeIdentity(),
    makeIdentity,
    /** Messages that the gateway took, oldest first. */
    sent,

    /** How long the tries of an SMS would have paused before the next, since the last call. */
    pauses: () => pauses.splice(0),

    /** From now on the gateway answers this instead of accepting messages; null ends it. */
    setOutage(instead: Outage | null): void {
      outage = instead;
    },

    ...{ freshNumber, smsRequest, codeFor, codeSentTo },

    async solvedCheck(): Promise<string> {
      return solved(await humanCheck.challenge());
    },

    /** Makes a captcha and reads it from the random bytes that drew it. */
    async readCaptcha(
      merchant: Merchant,
    ): Promise<{ captchaId: string; captcha: string; cap: string }> {
      const { id, cap } = await captchas.make(merchant.id);
      return { captchaId: id, captcha: digitsIn(drawn), cap };
    },

    async close(): Promise<void> {
      await smsCodes.delivery.settled();
      await ledger.close();
      await db.drop();
    },
  };
}

/** The log-in, which must need no second factor. */
export function entered(result: Awaited<ReturnType<Logins["login"]>>): LoggedIn {
  const value = taken(result);
  if ("pending" in value) throw new Error("a second factor is awaited");
  return value;
}

/** The solution that ALTCHA's widget sends for a challenge. */
export async function solved(given: Challenge): Promise<string> {
  const { algorithm, challenge, salt, signature, maxnumber } = given;
  const solution = await solveChallenge(challenge, salt, algorithm, maxnumber).promise;
  if (solution === null) throw new Error("the challenge has no solution");
  const payload = { algorithm, challenge, number: solution.number, salt, signature };
  return Buffer.from(JSON.stringify(payload)).toString("base64");
}

/** The digits of the latest captcha: the draws between its id and its noise. */
function digitsIn(drawn: readonly Uint8Array[]): string {
  const noise = drawn.findLastIndex((bytes) => bytes.length === 256);
  const digits: number[] = [];
  for (let i = noise - 1; digits.length < 5 && i >= 0; i--) {
    const usable = [...(drawn[i] ?? [])].filter((byte) => byte < 250).map((byte) => byte % 10);
    digits.unshift(...usable);
    if (digits.length >= 5) return digits.slice(0, 5).join("");
  }
  throw new Error("no captcha was drawn");
}

function remembering(source: Entropy, drawn: Uint8Array[]): Entropy {
  return {
    bytes(length) {
      const bytes = source.bytes(length);
      drawn.push(bytes);
      return bytes;
    },
  };
}

/** The parts of identity as `makeIdentity` makes them. */
export type Identity = ReturnType<Awaited<ReturnType<typeof openIdentityHarness>>["makeIdentity"]>;
