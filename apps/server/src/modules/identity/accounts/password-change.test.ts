import { present } from "@perya/kernel/assert";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type AccountHarness,
  NEW,
  openAccountHarness,
  PASSWORD,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";

let harness: AccountHarness;

beforeAll(async () => {
  harness = await openAccountHarness("password change");
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a changed password", () => {
  it("ends all other sessions, and a verified address gets a mail", async () => {
    const { account, email } = await harness.withEmail(true);
    const here = await harness.logIn(account);
    const there = await harness.logIn(account);
    taken(await harness.changePassword(account, here.session, { oldPassword: PASSWORD }));
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    expect(await harness.isOpen(account, here.halves)).toBe(true);
    expect(await harness.isOpen(account, there.halves)).toBe(false);
    const told = present(await harness.newestTo(email), "the mail");
    expect(told.subject).toContain("was changed");
    // In the brand's own time.
    expect(told.text).toContain("GMT+8");
  });

  it("is not announced to an unverified address", async () => {
    const { account, email } = await harness.withEmail();
    const { session } = await harness.logIn(account);
    taken(await harness.changePassword(account, session, { oldPassword: PASSWORD }));
    expect(await harness.newestTo(email)).toBeNull();
  });

  it("needs the old one, however fresh the login is", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    taken(await harness.security.prove(session, { password: PASSWORD }));
    expect(codeOf(await harness.changePassword(account, session, {}))).toBe("oldPassword required");
    expect(codeOf(await harness.changePassword(account, session, { code: "123456" }))).toBe(
      "oldPassword required",
    );
    expect(await harness.passwordOf(account, PASSWORD)).toBe(true);
    taken(await harness.changePassword(account, session, { oldPassword: PASSWORD }));
  });

  it("takes a code of the authenticator in the old one's place, each code once", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    const { secret } = taken(await harness.twoFactor.begin(harness.perya, session));
    const codeNow = () =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
    taken(await harness.twoFactor.confirm(harness.perya, session, codeNow(), "EN"));
    expect(codeOf(await harness.changePassword(account, session, {}))).toBe("code required");
    expect(codeOf(await harness.changePassword(account, session, { code: codeNow() }))).toBe(
      "code_wrong",
    );
    harness.clock.advance(MINUTE_MS);
    const code = codeNow();
    taken(await harness.changePassword(account, session, { code }));
    const newPassword = "Sampaguita79";
    expect(codeOf(await harness.changePassword(account, session, { code, newPassword }))).toBe(
      "code_wrong",
    );
    taken(await harness.changePassword(account, session, { oldPassword: NEW, newPassword }));
  });

  it("can be the first one of a member who registered without", async () => {
    const account = await harness.makeAccount({ password: null });
    const { session } = await harness.logIn(account);
    expect(codeOf(await harness.changePassword(account, session, { oldPassword: PASSWORD }))).toBe(
      "password_wrong",
    );
    harness.clock.advance(10 * MINUTE_MS);
    expect(codeOf(await harness.changePassword(account, session, {}))).toBe("fresh_login_needed");
    harness.clock.advance(-1);
    taken(await harness.changePassword(account, session, {}));
    expect(await harness.passwordOf(account, NEW)).toBe(true);
  });

  it("cannot be set first by the log-in alone if the account has a payment password", async () => {
    const account = await harness.makeAccount({ password: null });
    const { session } = await harness.logIn(account);
    const digits = { paymentPassword: "739254" };
    taken(await harness.security.setPaymentPassword(harness.perya, session, digits, "EN"));
    expect(codeOf(await harness.changePassword(account, session, {}))).toBe("fresh_login_needed");
    taken(await harness.security.prove(session, digits));
    taken(await harness.changePassword(account, session, {}));
  });

  it("[A5-16 A5-17 A5-18 A5-19] must fit the rules and differ from the old one", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    const codes = async (given: Parameters<AccountHarness["changePassword"]>[2]) =>
      codeOf(await harness.changePassword(account, session, given));
    expect(await codes({ confirmNewPassword: "Sampaguita78" })).toBe("confirmNewPassword mismatch");
    expect(await codes({ newPassword: "seven77" })).toBe("newPassword too_short");
    expect(await codes({ newPassword: "9".repeat(129) })).toBe("newPassword too_long");
    expect(await codes({ newPassword: `${harness.perya.name}#77` })).toBe("newPassword too_common");
    expect(await codes({ newPassword: "abc12345" })).toBe("newPassword too_common");
    expect(await codes({ oldPassword: PASSWORD, newPassword: PASSWORD })).toBe(
      "modify.new.old.same",
    );
    expect(await codes({ oldPassword: "Wrong2026", newPassword: PASSWORD })).toBe("password_wrong");
    expect(await harness.passwordOf(account, PASSWORD)).toBe(true);
  });

  it("is answered as done if the session that made it repeats it after a lost answer, in no later session and not without limit", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    harness.clock.advance(SECOND_MS);
    taken(await harness.changePassword(account, session, { oldPassword: PASSWORD }));
    taken(await harness.changePassword(account, session, { oldPassword: PASSWORD }));
    expect(codeOf(await harness.changePassword(account, session, { oldPassword: NEW }))).toBe(
      "modify.new.old.same",
    );
    const other = { oldPassword: PASSWORD, newPassword: "Sampaguita78" };
    expect(codeOf(await harness.changePassword(account, session, other))).toBe("password_wrong");
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    harness.clock.advance(SECOND_MS);
    const { session: later } = await harness.logIn(account);
    expect(codeOf(await harness.changePassword(account, later, { oldPassword: PASSWORD }))).toBe(
      "password_wrong",
    );
    // Each is a guess, whatever the answer.
    for (let i = 0; i < 3; i++) await harness.changePassword(account, session, other);
    expect(codeOf(await harness.changePassword(account, session, { oldPassword: PASSWORD }))).toBe(
      "rate_limited",
    );
  });

  it("is answered as done to several that ask for the same at once, also for a first password", async () => {
    for (const password of [PASSWORD, null]) {
      const account = await harness.makeAccount({ password });
      const { session } = await harness.logIn(account);
      harness.clock.advance(SECOND_MS);
      const given = password === null ? {} : { oldPassword: password };
      const asked = Array.from({ length: 3 }, () =>
        harness.changePassword(account, session, given),
      );
      expect((await Promise.all(asked)).map(codeOf)).toEqual(["ok", "ok", "ok"]);
      expect(await harness.passwordOf(account, NEW)).toBe(true);
    }
  });

  it("is answered as done if the first one is sent again after a lost answer, and confirms guesses only a few times", async () => {
    const account = await harness.makeAccount({ password: null });
    const { session } = await harness.logIn(account);
    harness.clock.advance(SECOND_MS);
    taken(await harness.changePassword(account, session, {}));
    taken(await harness.changePassword(account, session, {}));
    const guess = () => harness.changePassword(account, session, { newPassword: "Sampaguita78" });
    for (let i = 0; i < 5; i++) {
      expect(codeOf(await guess())).toBe("oldPassword required");
    }
    expect(codeOf(await harness.changePassword(account, session, {}))).toBe("oldPassword required");
    expect(await harness.passwordOf(account, NEW)).toBe(true);
  });

  it("waits after five wrong old ones within a quarter of an hour, at once or one by one", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    const wrong = () => harness.changePassword(account, session, { oldPassword: "Wrong2026" });
    const tries = await Promise.all(Array.from({ length: 8 }, wrong));
    const codes = tries.map(codeOf);
    expect(codes.filter((code) => code === "password_wrong")).toHaveLength(5);
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(3);
    const right = await harness.changePassword(account, session, { oldPassword: PASSWORD });
    expect(right).toMatchObject({
      error: { code: "rate_limited", retryAt: harness.clock.now() + 15 * MINUTE_MS },
    });
    harness.clock.advance(15 * MINUTE_MS);
    taken(await harness.changePassword(account, session, { oldPassword: PASSWORD }));
  });

  it("voids a reset link that an older one had requested", async () => {
    const { account, email } = await harness.withEmail();
    taken(await harness.forgot(account.username, email));
    const token = await harness.linkTo(email);
    const { session } = await harness.logIn(account);
    taken(await harness.changePassword(account, session, { oldPassword: PASSWORD }));
    expect(codeOf(await harness.setByLink(token, "Sampaguita78"))).toBe("link_spent");
  });
});
