import { MINUTE_MS } from "@perya/kernel/instant";
import { Secret, TOTP } from "otpauth";
import type { Merchant } from "../../apps/server/src/modules/brand/brand.ts";
import { ExternalAccounts } from "../../apps/server/src/modules/identity/external/external-accounts.ts";
import { ExternalFlows } from "../../apps/server/src/modules/identity/external/external-flows.ts";
import { insertExternalMember } from "../../apps/server/src/modules/identity/external/external-login.store.ts";
import { siteOf } from "../../apps/server/src/modules/identity/factors/webauthn.ts";
import { proofsChangedAt } from "../../apps/server/src/modules/identity/members/open-challenges.store.ts";
import type { Session } from "../../apps/server/src/modules/identity/sessions/session.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { type Account, openAccountHarness, PASSWORD, PUBLIC_URL } from "./account-harness.ts";
import { taken } from "./answers.ts";
import { makeBrand } from "./fixtures.ts";
import { startOpenIdProvider } from "./openid-provider.ts";
import { startPhoneService } from "./phone-service.ts";
import { SoftwareAuthenticator } from "./software-authenticator.ts";

/** The person who presents a challenge: the owner, or one who differs from them in one thing. */
export interface User {
  readonly merchant: Merchant;
  readonly session: Session;
  readonly browser: string;
}

export interface Owner extends User {
  readonly account: Account;
  readonly email: string;
  readonly mobile: string;
  /** A number that is not theirs yet. */
  readonly otherMobile: string;
}

export const SITE = siteOf(PUBLIC_URL, "perya.test");

export const NUMBER = { countryDialingCode: "+63" };
export const WISH = {
  method: "gwallet",
  destination: "09171234567",
  amount: { minor: 20_000n, currency: "PHP" as const },
};

/**
 * Members whose proofs are complete, on a database of their own: two brands that send every kind of
 * code, a provider of accounts outside and a service that proves numbers. `close` it at the end.
 */
export async function openFactorsHarness(seed: string) {
  const harness = await openAccountHarness(seed);
  const { clock, db, entropy, sessions } = harness;
  const settings = {
    recoveryByPhone: true,
    flags: { GOOGLELOGIN3: true, MOBILEVERCODELOGIN3: true },
  };
  const perya = await makeBrand(db.pool, clock, { settings });
  const fiesta = await makeBrand(db.pool, clock, { settings });
  const provider = await startOpenIdProvider({});
  provider.register([`${PUBLIC_URL}/auth/callback/google`]);
  const phoneService = await startPhoneService(clock);
  const outside = new ExternalFlows({
    ...{ pool: db.pool, clock, entropy, sessions },
    log: createLogger({ level: "silent" }),
    clients: { google: provider.client, facebook: null },
    secret: "a secret of this test's own",
  });
  /** Secrets of authenticators, by member. */
  const secrets = new Map<string, string>();
  let made = 0;

  /** A number that was not drawn before. */
  function next(): number {
    made += 1;
    return made;
  }

  async function makeOwner(merchant = perya): Promise<Owner> {
    made += 1;
    const email = `owner${made}@example.com`;
    const [mobile, otherMobile] = [harness.freshMobile(), harness.freshMobile()];
    const account = await harness.makeAccount({ merchant, email, emailVerified: true, mobile });
    const { session } = await harness.logInProven(account);
    return { merchant, session, browser: `browser ${made}`, account, email, mobile, otherMobile };
  }

  async function codeFor(purpose: "register" | "login" | "reset", mobileNum: string, by: User) {
    taken(
      await harness.codes.request(perya, {
        ...{ purpose, ...NUMBER, mobileNum, humanCheck: "solved" },
        asker: { browser: by.browser },
        ...{ address: `address of ${mobileNum}`, deviceHash: null, language: "EN" },
      }),
    );
    return harness.codeTo(mobileNum);
  }

  async function switchOn(session: Session): Promise<string> {
    const { secret } = taken(await harness.twoFactor.begin(perya, session));
    taken(await harness.twoFactor.confirm(perya, session, codeNow(secret), "EN"));
    secrets.set(session.memberId, secret);
    harness.clock.advance(MINUTE_MS);
    return secret;
  }

  function codeNow(secret: string): string {
    return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
  }

  async function keepPasskey(session: Session): Promise<SoftwareAuthenticator> {
    const authenticator = new SoftwareAuthenticator();
    const begun = taken(await harness.passkeys.registrationOptions(perya, session, SITE));
    const response = authenticator.create({ challenge: String(begun.options.challenge), ...SITE });
    const given = { challengeId: begun.challengeId, name: "phone", response };
    taken(await harness.passkeys.register(perya, session, SITE, given, "EN"));
    return authenticator;
  }

  function signed(
    authenticator: SoftwareAuthenticator,
    { challengeId, options }: { challengeId: string; options: Record<string, unknown> },
  ) {
    const response = authenticator.get({ challenge: String(options.challenge), ...SITE });
    return { challengeId, response };
  }

  function externalAccounts(): ExternalAccounts {
    return new ExternalAccounts({ ...harness, pool: harness.db.pool, flows: outside });
  }

  function addOutside({ id }: Account): Promise<void> {
    const outside = { merchantId: perya.id, provider: "google" as const, subject: `of ${id}` };
    return insertExternalMember(harness.db.pool, outside, id, harness.clock.now());
  }

  async function setDigits(session: Session): Promise<void> {
    const given = { paymentPassword: "739254", password: PASSWORD };
    taken(await harness.security.setPaymentPassword(perya, session, given, "EN"));
  }

  async function changedAt({ account }: Owner): Promise<number> {
    const { rows } = await harness.db.pool.query<{ at: Date | null }>(
      `SELECT ${proofsChangedAt("m")} AS at FROM members m WHERE id = $1`,
      [account.id],
    );
    return rows[0]?.at?.getTime() ?? 0;
  }

  return {
    ...{ ...harness, perya, fiesta, outside, phoneService, secrets, next },
    ...{
      makeOwner,
      codeFor,
      switchOn,
      codeNow,
      keepPasskey,
      signed,
      externalAccounts,
      addOutside,
      setDigits,
      changedAt,
    },

    async close(): Promise<void> {
      await provider.close();
      await phoneService.close();
      await harness.close();
    },
  };
}

export type FactorsHarness = Awaited<ReturnType<typeof openFactorsHarness>>;

export function numberOf(mobileNum: string) {
  return { dialingCode: "+63", mobileNum };
}

export function always(merchant: Merchant): Merchant {
  const { settings } = merchant;
  const cashier = { ...settings.cashier, paymentPassword: "always" as const };
  return { ...merchant, settings: { ...settings, cashier } };
}

export function listed(cell: string): string[] {
  return cell === "" ? [] : cell.split(", ");
}
