import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Account,
  type AccountHarness,
  openAccountHarness,
  PASSWORD,
  PUBLIC_URL,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { SoftwareAuthenticator } from "../../../../../../tests/server/software-authenticator.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { Session } from "../sessions/session.ts";
import { sweepProofs } from "./payment-proofs.store.ts";
import { PaymentProofs, type PaymentWish } from "./payment-proofs.ts";
import { siteOf } from "./webauthn.ts";

const SITE = siteOf(PUBLIC_URL, "perya.test");
const DIGITS = "739254";
const WISH: PaymentWish = {
  method: "gwallet",
  destination: "09171234567",
  amount: { minor: 20_000n, currency: "PHP" },
};
let harness: AccountHarness;

beforeAll(async () => {
  harness = await openAccountHarness("payment proofs");
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a proof for a withdrawal", () => {
  it("is required as the brand sets it: never, from members with a payment password, or always", async () => {
    const { session: bare } = await harness.logInProven(await harness.makeAccount());
    const { session: set } = await withDigits();
    const asked = await Promise.all(
      (["never", "if_set", "always"] as const).flatMap((rule) =>
        [bare, set].map((session) => harness.paymentProofs.isNeeded(brandThat(rule), session)),
      ),
    );
    expect(asked).toEqual([false, false, false, true, true, true]);
  });

  it("is valid for this session and this very withdrawal, for five minutes", async () => {
    const { account, session } = await withDigits();
    const other = await harness.logInProven(account);
    expect(codeOf(await effect(session))).toBe("payment_proof_needed");
    taken(await prove(session));
    expect(codeOf(await effect(session))).toBe("ok");
    expect(codeOf(await effect(other.session))).toBe("payment_proof_needed");
    const others: readonly Partial<PaymentWish>[] = [
      { destination: "09177654321" },
      { method: "mwallet" },
      { amount: { minor: 20_001n, currency: "PHP" } },
      { amount: { minor: 20_000n, currency: "FUN" } },
    ];
    for (const change of others) {
      expect(codeOf(await effect(session, change)), Object.keys(change).join()).toBe(
        "payment_proof_needed",
      );
    }
    harness.clock.advance(5 * MINUTE_MS);
    expect(codeOf(await effect(session))).toBe("payment_proof_needed");
    await sweepProofs(harness.db.pool, harness.clock.now());
    expect((await harness.db.pool.query("SELECT FROM payment_proofs")).rowCount).toBe(0);
  });

  it("needs the right digits, of which a member has few guesses", async () => {
    const { session } = await withDigits();
    const wrong = await Promise.all(Array.from({ length: 8 }, () => prove(session, "111111")));
    const codes = wrong.map(codeOf);
    expect(codes.filter((code) => code === "payment_password_wrong")).toHaveLength(5);
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(3);
    expect(codeOf(await prove(session))).toBe("rate_limited");
    expect(codeOf(await effect(session))).toBe("payment_proof_needed");
    harness.clock.advance(15 * MINUTE_MS);
    taken(await prove(session));
  });

  it("that was right takes no guess off a window that began while it was judged", async () => {
    const { session } = await withDigits();
    const { clock, passwords, passkeys } = harness;
    const slow = new PaymentProofs({
      pool: harness.db.pool,
      clock,
      passkeys,
      passwords: {
        hash: (password) => passwords.hash(password),
        isDated: (stored) => passwords.isDated(stored),
        matches: async (stored, password) => {
          const right = await passwords.matches(stored, password);
          clock.advance(15 * MINUTE_MS);
          for (let i = 0; i < 5; i++) {
            expect(codeOf(await prove(session, "111111"))).toBe("payment_password_wrong");
          }
          return right;
        },
      },
    });
    taken(await slow.prove(harness.perya, session, WISH, { paymentPassword: DIGITS }));
    expect(codeOf(await prove(session, "111111"))).toBe("rate_limited");
  });

  it("is wrong, after the same work, if no payment password is set", async () => {
    const { session } = await harness.logInProven(await harness.makeAccount());
    harness.passwords.work = 0;
    expect(codeOf(await prove(session))).toBe("payment_password_wrong");
    expect(harness.passwords.work).toBe(1);
  });

  it("is void once the payment password has changed", async () => {
    const { session } = await withDigits();
    taken(await prove(session));
    const given = { paymentPassword: "264815", current: DIGITS };
    taken(await harness.security.setPaymentPassword(harness.perya, session, given, "EN"));
    expect(codeOf(await effect(session))).toBe("payment_proof_needed");
  });

  it("is void once the passkey that gave it is removed, also in another session", async () => {
    const { account, session } = await withDigits();
    const mine = await hadPasskey(session);
    taken(await proveBy(session, await signedBy(mine, session)));
    expect(codeOf(await effect(session))).toBe("ok");
    const other = (await harness.logInProven(account)).session;
    await removePasskeys(other);
    expect(codeOf(await effect(session))).toBe("payment_proof_needed");
  });

  it("is not stored if what it was judged by is removed before that", async () => {
    const { account, session } = await withDigits();
    const mine = await hadPasskey(session);
    const other = (await harness.logInProven(account)).session;
    const { clock, passwords, passkeys } = harness;
    const options = { pool: harness.db.pool, clock, passwords, passkeys };
    const judgedTooEarly = new PaymentProofs({
      ...options,
      passkeys: {
        paysBy: async (...given) => {
          const judged = await passkeys.paysBy(...given);
          await removePasskeys(other);
          return judged;
        },
      },
    });
    const by = { by: await signedBy(mine, session), site: SITE };
    expect(codeOf(await judgedTooEarly.prove(harness.perya, session, WISH, by))).toBe(
      "passkey_refused",
    );
    const typedTooEarly = new PaymentProofs({
      ...options,
      passwords: {
        hash: (password) => passwords.hash(password),
        isDated: (stored) => passwords.isDated(stored),
        matches: async (stored, password) => {
          const right = await passwords.matches(stored, password);
          const given = { paymentPassword: "264815", current: DIGITS };
          taken(await harness.security.setPaymentPassword(harness.perya, other, given, "EN"));
          return right;
        },
      },
    });
    const digits = { paymentPassword: DIGITS };
    expect(codeOf(await typedTooEarly.prove(harness.perya, session, WISH, digits))).toBe(
      "payment_password_wrong",
    );
    expect(codeOf(await effect(session))).toBe("payment_proof_needed");
  });

  it("is not given by a passkey that a hijacker of the session has made", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    const given = { paymentPassword: DIGITS, password: PASSWORD };
    taken(await harness.security.setPaymentPassword(harness.perya, session, given, "EN"));
    const asked = await harness.passkeys.registrationOptions(harness.perya, session, SITE);
    expect(codeOf(asked)).toBe("fresh_login_needed");
    // A proof by payment password pays, and makes no passkey for a member who has another proof.
    expect(codeOf(await harness.security.prove(session, { paymentPassword: DIGITS }))).toBe(
      "password required",
    );
    taken(await harness.security.prove(session, { password: PASSWORD }));
    await keepPasskey(session);
  });

  it("cannot be given by a reset payment password for a day, and its owner gets a mail", async () => {
    const email = "reset.digits@example.com";
    const account = await harness.makeAccount({ email, emailVerified: true });
    const set = async (given: Parameters<typeof harness.security.setPaymentPassword>[2]) => {
      const { session } = await harness.logIn(account);
      taken(await harness.security.setPaymentPassword(harness.perya, session, given, "EN"));
      return session;
    };
    // The first one, and one that was changed by means of the earlier one, pay at once.
    taken(await prove(await set({ paymentPassword: DIGITS, password: PASSWORD })));
    taken(await prove(await set({ paymentPassword: "264815", current: DIGITS }), "264815"));
    expect((await harness.newestTo(email))?.subject).toContain("was changed");
    const resetAt = harness.clock.now();
    const thief = await set({ paymentPassword: "518362", password: PASSWORD });
    expect((await harness.newestTo(email))?.subject).toContain("was reset");
    const refused = { code: "payment_password_new", retryAt: resetAt + DAY_MS };
    expect(await prove(thief, "518362")).toMatchObject({ ok: false, error: refused });
    // Changing the reset one again does not shorten the day either.
    harness.clock.advance(DAY_MS - 1);
    const again = await set({ paymentPassword: "264815", current: "518362" });
    expect(codeOf(await prove(again, "111111"))).toBe("payment_password_wrong");
    expect(await prove(again, "264815")).toMatchObject({ ok: false, error: refused });
    expect(codeOf(await effect(again))).toBe("payment_proof_needed");
    harness.clock.advance(1);
    taken(await prove(again, "264815"));
  });

  it("cannot be given by a passkey that was added less than a day ago beside a payment password", async () => {
    const { session } = await withDigits();
    const signed = await signedBy(await keepPasskey(session), session);
    const retryAt = harness.clock.now() + DAY_MS;
    const refused = { code: "payment_password_new", retryAt };
    expect(await proveBy(session, signed)).toMatchObject({ ok: false, error: refused });
    // Without a payment password, the passkey bypasses nothing.
    const { session: bare } = await harness.logInProven(await harness.makeAccount());
    taken(await proveBy(bare, await signedBy(await keepPasskey(bare), bare)));
  });

  it("is given by a passkey of the member's own, for the challenge of this session, once", async () => {
    const { account, session } = await withDigits();
    const mine = await hadPasskey(session);
    const { session: strangers } = await withDigits();
    const theirs = await hadPasskey(strangers);
    const by = (authenticator: SoftwareAuthenticator, asked = session) =>
      signedBy(authenticator, asked);
    const signed = await by(mine);
    taken(await proveBy(session, signed));
    expect(codeOf(await effect(session))).toBe("ok");
    const other = (await harness.logInProven(account)).session;
    const login = await harness.passkeys.loginOptions(harness.perya, SITE);
    const loginSigned = mine.get({ challenge: String(login.options.challenge), ...SITE });
    for (const [what, given] of [
      ["a second time", signed],
      ["another member's passkey", await by(theirs)],
      ["asked for by another session", await by(mine, other)],
      ["a login's", { challengeId: login.challengeId, response: loginSigned }],
    ] as const) {
      expect(codeOf(await proveBy(session, given)), what).toBe("passkey_refused");
    }
    const paying = await by(mine);
    expect(codeOf(await harness.passkeys.owner(harness.perya, SITE, paying))).toBe(
      "passkey_refused",
    );
  });
});

function brandThat(paymentPassword: "never" | "if_set" | "always"): Merchant {
  const { settings } = harness.perya;
  const cashier = { ...settings.cashier, paymentPassword };
  return { ...harness.perya, settings: { ...settings, cashier } };
}

async function withDigits(): Promise<{ account: Account; session: Session }> {
  const account = await harness.makeAccount();
  const { session } = await harness.logInProven(account);
  const given = { paymentPassword: DIGITS, password: PASSWORD };
  taken(await harness.security.setPaymentPassword(harness.perya, session, given, "EN"));
  return { account, session };
}

/** A passkey that the member has had for long. */
async function hadPasskey(session: Session): Promise<SoftwareAuthenticator> {
  const authenticator = await keepPasskey(session);
  await harness.db.pool.query(
    "UPDATE passkeys SET created_at = created_at - interval '1 day' WHERE member_id = $1",
    [session.memberId],
  );
  return authenticator;
}

async function keepPasskey(session: Session): Promise<SoftwareAuthenticator> {
  const authenticator = new SoftwareAuthenticator();
  const begun = taken(await harness.passkeys.registrationOptions(harness.perya, session, SITE));
  const challenge = String(begun.options.challenge);
  const response = authenticator.create({ challenge, ...SITE });
  const given = { challengeId: begun.challengeId, name: "phone", response };
  taken(await harness.passkeys.register(harness.perya, session, SITE, given, "EN"));
  return authenticator;
}

async function removePasskeys(session: Session): Promise<void> {
  for (const { id } of await harness.passkeys.list(session)) {
    taken(await harness.passkeys.remove(harness.perya, session, id, "EN"));
  }
}

async function signedBy(authenticator: SoftwareAuthenticator, asked: Session) {
  const begun = await harness.passkeys.paymentOptions(harness.perya, asked, SITE);
  const challenge = String(begun.options.challenge);
  const response = authenticator.get({ challenge, ...SITE });
  return { challengeId: begun.challengeId, response };
}

function prove(session: Session, paymentPassword = DIGITS) {
  return harness.paymentProofs.prove(harness.perya, session, WISH, { paymentPassword });
}

function proveBy(session: Session, by: { challengeId: string; response: unknown }) {
  return harness.paymentProofs.prove(harness.perya, session, WISH, { by, site: SITE });
}

function effect(session: Session, change: Partial<PaymentWish> = {}) {
  const wish = { ...WISH, ...change, id: "wdr_of_this_test" };
  return harness.paymentProofs.effectFor(harness.perya, session, wish);
}
