import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type AccountHarness,
  openAccountHarness,
  PASSWORD,
  PHONE,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { whileBroken } from "../../../../../../tests/server/broken-statement.ts";
import type { Session } from "../sessions/session.ts";
import type { Security } from "./security.ts";

let harness: AccountHarness;

beforeAll(async () => {
  harness = await openAccountHarness("security");
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("the overview", () => {
  it("shows what is set and verified, and nothing in full", async () => {
    const email = harness.freshEmail();
    const account = await harness.makeAccount({ email, mobile: harness.freshMobile() });
    const { session } = await harness.logInProven(account);
    const overview = await harness.security.overview(session);
    expect(overview).toEqual({
      email: { masked: "p•••@example.com", verified: false },
      pendingEmail: null,
      mobile: { masked: expect.stringMatching(/^\+63917•••\d{4}$/), verified: true },
      hasPassword: true,
      hasPaymentPassword: false,
      passwordChangedAt: null,
      totp: { enabled: false, recoveryCodesLeft: 0 },
      external: [],
      freshUntil: harness.clock.now() + 10 * MINUTE_MS,
    });
    const bare = await harness.logInProven(await harness.makeAccount({ password: null }));
    expect(await harness.security.overview(bare.session)).toMatchObject({
      email: null,
      mobile: null,
      hasPassword: false,
    });
  });
});

describe("a proof of who plays", () => {
  it("makes a session fresh for ten minutes, in every process; a log-in does not", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    expect(codeOf(await harness.sessions.admitFresh(session))).toBe("fresh_login_needed");
    const until = harness.clock.now() + 10 * MINUTE_MS;
    expect(taken(await prove(session, { password: PASSWORD }))).toEqual({ freshUntil: until });
    expect(codeOf(await harness.sessions.admitFresh(session))).toBe("ok");
    expect((await harness.security.overview(session)).freshUntil).toBe(until);
    harness.clock.set(until);
    expect(codeOf(await harness.sessions.admitFresh(session))).toBe("fresh_login_needed");
  });

  it("is the second factor if one is set, so that a stolen password is not enough", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    expect(codeOf(await prove(session, {}))).toBe("password required");
    expect(codeOf(await prove(session, { code: "123456" }))).toBe("password required");
    const { secret } = taken(await harness.twoFactor.begin(harness.perya, session));
    const codeNow = () =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
    const codes = taken(await harness.twoFactor.confirm(harness.perya, session, codeNow(), "EN"));
    harness.clock.advance(20 * MINUTE_MS);
    expect(codeOf(await prove(session, { password: PASSWORD }))).toBe("code required");
    const other = codeNow() === "000000" ? "111111" : "000000";
    expect(codeOf(await prove(session, { code: other }))).toBe("code_wrong");
    taken(await prove(session, { password: PASSWORD, code: codeNow() }));
    taken(await prove(session, { code: codes[0] ?? "" }));
    expect(codeOf(await prove(session, { code: codes[0] ?? "" }))).toBe("code_wrong");
    expect((await harness.security.overview(session)).totp).toEqual({
      enabled: true,
      recoveryCodesLeft: 9,
    });
  });

  it("is the payment password if nothing stronger is set, and the log-in if nothing is", async () => {
    const account = await harness.makeAccount({ password: null });
    const { session } = await harness.logIn(account);
    expect(codeOf(await harness.sessions.admitFresh(session))).toBe("ok");
    harness.clock.advance(10 * MINUTE_MS - 1);
    taken(await setPayment(session, "739254", {}));
    expect(codeOf(await harness.sessions.admitFresh(session))).toBe("fresh_login_needed");
    expect(codeOf(await setPayment(session, "264815", {}))).toBe("fresh_login_needed");
    expect(codeOf(await prove(session, {}))).toBe("paymentPassword required");
    expect(codeOf(await prove(session, { paymentPassword: "264815" }))).toBe(
      "payment_password_wrong",
    );
    taken(await prove(session, { paymentPassword: "739254" }));
    expect(codeOf(await harness.sessions.admitFresh(session))).toBe("ok");
    const { session: known } = await harness.logIn(await harness.makeAccount());
    taken(await setPayment(known, "739254"));
    expect(codeOf(await prove(known, { paymentPassword: "739254" }))).toBe("password required");
  });

  it("can be wrong five times in a quarter of an hour, over all calls that ask for it", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    const wrong = await Promise.all(
      Array.from({ length: 7 }, () => prove(session, { password: "Wrong2026" })),
    );
    expect(wrong.map(codeOf).filter((code) => code === "password_wrong")).toHaveLength(5);
    const given = { oldPassword: PASSWORD, newPassword: "Sampaguita77" };
    const whole = { ...given, confirmNewPassword: given.newPassword };
    const changed = await harness.passwordChange.change(harness.perya, session, whole, "EN");
    expect(codeOf(changed)).toBe("rate_limited");
    harness.clock.advance(15 * MINUTE_MS);
    taken(await prove(session, { password: PASSWORD }));
  });

  it("that is wrong delays only its own session, until the member has thirty in a day", async () => {
    const account = await harness.makeAccount();
    const guess = async (session: Session) =>
      codeOf(await prove(session, { password: "Wrong2026" }));
    /** Fifteen at most, five at a time; answers how many were judged. */
    const guessAll = async (session: Session) => {
      let judged = 0;
      for (let n = 0; n < 20; n++) {
        if ((await guess(session)) === "password_wrong") judged++;
        if (n % 5 === 4) harness.clock.advance(15 * MINUTE_MS);
      }
      return judged;
    };
    const thief = (await harness.logIn(account)).session;
    const { session: owner } = await harness.logIn(account);
    expect(await guessAll(thief)).toBe(15);
    taken(await prove(owner, { password: PASSWORD }));
    expect(await guessAll((await harness.logIn(account)).session)).toBe(15);
    expect(codeOf(await prove(owner, { password: PASSWORD }))).toBe("rate_limited");
    harness.clock.advance(DAY_MS);
    taken(await prove(owner, { password: PASSWORD }));
  });

  it("is required by everything that would let another person in", async () => {
    const account = await harness.makeAccount();
    // However fresh the log-in is, a person who took the session over has it too.
    const { session } = await harness.logIn(account);
    const mobile = { countryDialingCode: "+63", mobileNum: harness.freshMobile() };
    const sent = harness.outbox.messages().length;
    const tries = [
      await harness.contacts.sendEmailLink(harness.perya, session, harness.freshEmail(), {
        address: "203.0.113.7",
        language: "EN",
      }),
      await harness.sendCode(session, mobile.mobileNum),
      await harness.verifyMobile(session, mobile.mobileNum, "123456"),
    ];
    expect(tries.map(codeOf)).toEqual(Array(3).fill("fresh_login_needed"));
    expect(harness.outbox.messages()).toHaveLength(sent);
  });
});

describe("the sessions of a member", () => {
  it("are listed with this one marked, and end one by one or all but this", async () => {
    const account = await harness.makeAccount();
    const stranger = await harness.logInProven(await harness.makeAccount());
    const one = await harness.logInProven(account);
    harness.clock.advance(MINUTE_MS);
    const two = await harness.logInProven(account);
    harness.clock.advance(MINUTE_MS);
    const here = await harness.logInProven(account);
    const listed = await harness.security.sessions(here.session);
    expect(listed.map(({ id, current }) => [id, current])).toEqual([
      [here.session.id, true],
      [two.session.id, false],
      [one.session.id, false],
    ]);
    const { address, userAgent } = PHONE;
    expect(listed[0]).toMatchObject({ method: "password", address, userAgent });
    const foreign = await harness.security.endSession(here.session, stranger.session.id);
    expect(codeOf(foreign)).toBe("not_found");
    expect(await harness.isOpen(account, stranger.halves)).toBe(true);
    taken(await harness.security.endSession(here.session, two.session.id));
    expect(await harness.isOpen(account, two.halves)).toBe(false);
    expect(codeOf(await harness.security.endSession(here.session, two.session.id))).toBe(
      "not_found",
    );
    expect(await harness.security.endOtherSessions(here.session)).toBe(1);
    expect(await harness.isOpen(account, one.halves)).toBe(false);
    expect(await harness.isOpen(account, here.halves)).toBe(true);
  });

  it("are recorded as ended by their owner if another session or a new password ended them", async () => {
    const account = await harness.makeAccount();
    const here = await harness.logInProven(account);
    const opened = async () => (await harness.logInProven(account)).session;
    const [one, left, itself] = [await opened(), await opened(), await opened()];
    taken(await harness.security.endSession(here.session, one.id));
    await harness.sessions.end(left.id);
    taken(await harness.security.endSession(itself, itself.id));
    const others = await opened();
    await harness.security.endOtherSessions(here.session);
    const { rows } = await harness.db.pool.query(
      "SELECT id, ended_by_owner FROM sessions WHERE member_id = $1 AND ended_at IS NOT NULL",
      [here.session.memberId],
    );
    const byOwner = new Map(rows.map((row) => [row.id, row.ended_by_owner]));
    const told = [one, left, itself, others].map(({ id }) => byOwner.get(id));
    expect(told).toEqual([true, false, false, true]);
  });

  it("are not listed once nobody can use them", async () => {
    const account = await harness.makeAccount();
    await harness.logInProven(account);
    harness.clock.advance(13 * HOUR_MS);
    const { session } = await harness.logInProven(account);
    expect(await harness.security.sessions(session)).toHaveLength(1);
  });
});

describe("the history of log-ins", () => {
  it("lists the tries, newest first, page by page", async () => {
    const account = await harness.makeAccount();
    const { username } = account;
    const logIn = (password: string) =>
      harness.logins.login(harness.perya, { type: "username", username, password }, PHONE);
    for (let i = 0; i < 3; i++) {
      taken(await logIn(PASSWORD));
      // Two at the same instant: the id decides.
      if (i > 0) taken(await logIn(PASSWORD));
      harness.clock.advance(MINUTE_MS);
    }
    expect(codeOf(await logIn("Wrong2026"))).toBe("login_failed");
    const { session } = await harness.logInProven(account);
    const seen: string[] = [];
    const outcomes: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = taken(
        await harness.security.logins(session, { limit: 2, cursor: cursor ?? undefined }),
      );
      expect(page.rows.length).toBeLessThanOrEqual(2);
      seen.push(...page.rows.map(({ id }) => id));
      outcomes.push(...page.rows.map(({ outcome }) => outcome));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(outcomes).toEqual(["wrong", "done", "done", "done", "done", "done"]);
    expect(new Set(seen).size).toBe(6);
    const other = await harness.logInProven(await harness.makeAccount());
    expect(taken(await harness.security.logins(other.session, { limit: 9 })).rows).toEqual([]);
    const bad = await harness.security.logins(session, { limit: 2, cursor: "bm9uZQ" });
    expect(codeOf(bad)).toBe("cursor bad_format");
  });
});

describe("a payment password", () => {
  it("is stored as a hash, and cannot be one that anyone would try", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    for (const common of ["123456", "000000", "121212", "112233"]) {
      expect(codeOf(await setPayment(session, common)), common).toBe("paymentPassword too_common");
    }
    taken(await setPayment(session, "739254"));
    const { rows } = await harness.db.pool.query(
      "SELECT payment_password_hash FROM members WHERE id = $1",
      [account.id],
    );
    expect(rows[0].payment_password_hash).toMatch(/^\$argon2id\$/);
    expect((await harness.security.overview(session)).hasPaymentPassword).toBe(true);
  });

  it("is set by the account's own proof in the same call, however fresh the login is", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    expect(codeOf(await setPayment(session, "739254", {}))).toBe("password required");
    const wrong = { password: "Wrong2026" };
    expect(codeOf(await setPayment(session, "739254", wrong))).toBe("password_wrong");
    expect((await harness.security.overview(session)).hasPaymentPassword).toBe(false);
    taken(await setPayment(session, "739254"));
    // The caller knows only the password, and the authenticator is required.
    const { secret } = taken(await harness.twoFactor.begin(harness.perya, session));
    const codeNow = () =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
    taken(await harness.twoFactor.confirm(harness.perya, session, codeNow(), "EN"));
    harness.clock.advance(MINUTE_MS);
    expect(codeOf(await setPayment(session, "264815"))).toBe("code required");
    taken(await setPayment(session, "264815", { code: codeNow() }));
    // The account has nothing to prove by but the login itself.
    const bare = await harness.logIn(await harness.makeAccount({ password: null }));
    harness.clock.advance(10 * MINUTE_MS);
    expect(codeOf(await setPayment(bare.session, "739254", {}))).toBe("fresh_login_needed");
    harness.clock.advance(-1);
    taken(await setPayment(bare.session, "739254", {}));
  });

  it("is changed by the earlier one, whose wrong guesses are few in a quarter of an hour and in a day", async () => {
    const { session } = await harness.logInProven(await harness.makeAccount());
    expect(codeOf(await setPayment(session, "739254", { current: "739254" }))).toBe(
      "payment_password_wrong",
    );
    taken(await setPayment(session, "739254"));
    taken(await setPayment(session, "264815", { current: "739254" }));
    harness.clock.advance(DAY_MS);
    for (let quarter = 0; quarter < 3; quarter++) {
      const tries = await Promise.all(
        Array.from({ length: 8 }, () => setPayment(session, "739254", { current: "111111" })),
      );
      const wrong = tries.map(codeOf).filter((code) => code === "payment_password_wrong");
      expect(wrong).toHaveLength(5);
      harness.clock.advance(15 * MINUTE_MS);
    }
    const right = await setPayment(session, "739254", { current: "264815" });
    expect(codeOf(right)).toBe("rate_limited");
    harness.clock.advance(DAY_MS);
    taken(await setPayment(session, "739254", { current: "264815" }));
  });

  it("that is set is announced to a verified address", async () => {
    const email = harness.freshEmail();
    const { session } = await harness.logInProven(
      await harness.makeAccount({ email, emailVerified: true }),
    );
    taken(await setPayment(session, "739254"));
    expect((await harness.newestTo(email))?.subject).toContain("payment password was changed");
  });
});

describe("the change that a code is given for", () => {
  const broken = (table: string, does: "UPDATE" | "DELETE", work: () => Promise<unknown>) =>
    expect(whileBroken(harness.db.pool, { table, does }, work)).rejects.toThrow();

  it("is made together with the taking of the code, or neither happens", async () => {
    const { session } = await harness.logIn(await harness.makeAccount());
    taken(await prove(session, { password: PASSWORD }));
    const { secret } = taken(await harness.twoFactor.begin(harness.perya, session));
    const codeNow = () =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
    taken(await harness.twoFactor.confirm(harness.perya, session, codeNow(), "EN"));

    const mobileNum = harness.freshMobile();
    taken(await harness.sendCode(session, mobileNum));
    const sms = await harness.codeTo(mobileNum);
    const verified = () => harness.verifyMobile(session, mobileNum, sms);
    await broken("members", "UPDATE", verified);
    taken(await verified());

    harness.clock.advance(MINUTE_MS);
    const set = () => setPayment(session, "739254", { code: codeNow() });
    await broken("members", "UPDATE", set);
    taken(await set());

    harness.clock.advance(MINUTE_MS);
    const off = () => harness.twoFactor.remove(harness.perya, session, codeNow(), "EN");
    await broken("recovery_codes", "DELETE", off);
    expect(await harness.totp.isOn(session.memberId)).toBe(true);
    taken(await off());
    expect(await harness.totp.isOn(session.memberId)).toBe(false);
  });
});

function prove(session: Session, given: Parameters<Security["prove"]>[1]) {
  return harness.security.prove(session, given);
}

function setPayment(
  session: Session,
  paymentPassword: string,
  proof: { current?: string; password?: string; code?: string } = { password: PASSWORD },
) {
  const given = { paymentPassword, ...proof };
  return harness.security.setPaymentPassword(harness.perya, session, given, "EN");
}
