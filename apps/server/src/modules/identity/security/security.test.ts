import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Account,
  type AccountHarness,
  openAccountHarness,
  PASSWORD,
  PHONE,
  PUBLIC_URL,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { whileBroken } from "../../../../../../tests/server/broken-statement.ts";
import type { Session } from "../sessions/session.ts";
import { Security } from "./security.ts";

let harness: AccountHarness;
let numbers = 0;

beforeAll(async () => {
  harness = await openAccountHarness("security");
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("the overview", () => {
  it("shows what is set and verified, and nothing in full", async () => {
    const email = freshEmail();
    const account = await harness.makeAccount({ email, mobile: freshMobile() });
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
    expect(codeOf(await harness.security.admitFresh(session))).toBe("fresh_login_needed");
    const until = harness.clock.now() + 10 * MINUTE_MS;
    expect(taken(await prove(session, { password: PASSWORD }))).toEqual({ freshUntil: until });
    expect(codeOf(await harness.security.admitFresh(session))).toBe("ok");
    expect((await harness.security.overview(session)).freshUntil).toBe(until);
    harness.clock.set(until);
    expect(codeOf(await harness.security.admitFresh(session))).toBe("fresh_login_needed");
  });

  it("is the second factor if one is set, so that a stolen password is not enough", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    expect(codeOf(await prove(session, {}))).toBe("password required");
    expect(codeOf(await prove(session, { code: "123456" }))).toBe("password required");
    const { secret } = taken(await harness.security.beginTotp(harness.perya, session));
    const codeNow = () =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
    const codes = taken(
      await harness.security.confirmTotp(harness.perya, session, codeNow(), "EN"),
    );
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
    expect(codeOf(await harness.security.admitFresh(session))).toBe("ok");
    harness.clock.advance(10 * MINUTE_MS - 1);
    taken(await setPayment(session, "739254", {}));
    expect(codeOf(await harness.security.admitFresh(session))).toBe("fresh_login_needed");
    expect(codeOf(await setPayment(session, "264815", {}))).toBe("fresh_login_needed");
    expect(codeOf(await prove(session, {}))).toBe("paymentPassword required");
    expect(codeOf(await prove(session, { paymentPassword: "264815" }))).toBe(
      "payment_password_wrong",
    );
    taken(await prove(session, { paymentPassword: "739254" }));
    expect(codeOf(await harness.security.admitFresh(session))).toBe("ok");
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
    const changed = await harness.recovery.change(harness.perya, session, whole, "EN");
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
    const mobile = { countryDialingCode: "+63", mobileNum: freshMobile() };
    const sent = harness.outbox.messages().length;
    const tries = [
      await harness.security.sendEmailLink(harness.perya, session, freshEmail(), {
        address: "203.0.113.7",
        language: "EN",
      }),
      await sendCode(session, mobile.mobileNum),
      await verifyMobile(session, mobile.mobileNum, "123456"),
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
      harness.identity.login(harness.perya, { type: "username", username, password }, PHONE);
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

describe("an e-mail address", () => {
  it("becomes the account's once its link is opened, and the earlier one gets a mail", async () => {
    const [before, after] = [freshEmail(), freshEmail()];
    const account = await harness.makeAccount({ email: before, emailVerified: true });
    const { session } = await harness.logInProven(account);
    taken(await sendLink(session, after));
    expect(await harness.security.overview(session)).toMatchObject({
      email: { masked: "p•••@example.com", verified: true },
      pendingEmail: "p•••@example.com",
    });
    expect(await emailOf(account)).toBe(before);
    const token = await harness.linkTo(after);
    expect(taken(await verify(token))).toEqual({ email: after });
    expect(await emailOf(account)).toBe(after);
    expect((await harness.security.overview(session)).pendingEmail).toBeNull();
    const told = present(await harness.newestTo(before), "the mail");
    expect(told.subject).toContain("was changed");
    expect(codeOf(await verify(token))).toBe("link_spent");
  });

  it("can be verified for a day, by the newest link, at its own brand", async () => {
    const email = freshEmail();
    const { session } = await harness.logInProven(await harness.makeAccount());
    taken(await sendLink(session, email));
    const first = await harness.linkTo(email);
    taken(await sendLink(session, email));
    const second = await harness.linkTo(email);
    expect(codeOf(await verify(first))).toBe("link_spent");
    expect(codeOf(await harness.security.verifyEmail(harness.fiesta, second, "EN"))).toBe(
      "link_spent",
    );
    // A link of one purpose is not valid for the other.
    expect(codeOf(await harness.recovery.linkOwner(harness.perya, second))).toBe("link_spent");
    harness.clock.advance(DAY_MS);
    expect(codeOf(await verify(second))).toBe("link_spent");
  });

  it.each([
    ["a log-out of it", async (asked: Opened) => harness.sessions.end(asked.session.id)],
    [
      "its owner, of this one",
      async (asked: Opened, owner: Opened) =>
        taken(await harness.security.endSession(owner.session, asked.session.id)),
    ],
    [
      "its owner, of all others",
      async (_: Opened, owner: Opened) => harness.security.endOtherSessions(owner.session),
    ],
    [
      "another log-in in its browser",
      async (asked: Opened, owner: Opened) => {
        const { rows } = await harness.db.pool.query("SELECT * FROM members WHERE id = $1", [
          owner.session.memberId,
        ]);
        const held = { ...PHONE, session: asked.halves.cookie };
        await harness.sessions.start(rows[0], held, "password");
      },
    ],
  ])("cannot be verified once the session that asked has ended, by %s", async (_, end) => {
    const email = freshEmail();
    const account = await harness.makeAccount({ email, emailVerified: true });
    const [thief, owner] = [await harness.logInProven(account), await harness.logInProven(account)];
    const theirs = freshEmail();
    taken(await sendLink(thief.session, theirs));
    const token = await harness.linkTo(theirs);
    await end(thief, owner);
    expect(codeOf(await verify(token))).toBe("link_spent");
    expect((await harness.security.overview(owner.session)).pendingEmail).toBeNull();
    expect(await emailOf(account)).toBe(email);
  });

  it("belongs to the first who opens a link, and a request does not tell whose it is", async () => {
    const email = freshEmail();
    await harness.makeAccount({ email });
    const one = await harness.logInProven(await harness.makeAccount());
    const two = await harness.logInProven(await harness.makeAccount());
    taken(await sendLink(one.session, email.toUpperCase()));
    const first = await harness.linkTo(email.toUpperCase());
    taken(await sendLink(two.session, email));
    const second = await harness.linkTo(email);
    taken(await verify(first));
    expect(codeOf(await verify(second))).toBe("email_taken");
    const elsewhere = await harness.makeAccount({ merchant: harness.fiesta });
    const there = await harness.logInProven(elsewhere);
    taken(
      await harness.security.sendEmailLink(harness.fiesta, there.session, email, {
        address: "203.0.113.7",
        language: "EN",
      }),
    );
    const third = await harness.linkTo(email);
    taken(await harness.security.verifyEmail(harness.fiesta, third, "EN"));
  });

  it("gets three links an hour from one member, six from one address and twelve from all", async () => {
    const email = freshEmail();
    const from = async (address: string, times: number, to = email) => {
      const { session } = await harness.logInProven(await harness.makeAccount());
      const by = { address, language: "EN" };
      const codes = [];
      for (let time = 0; time < times; time++) {
        codes.push(codeOf(await harness.security.sendEmailLink(harness.perya, session, to, by)));
      }
      return codes.filter((code) => code === "ok").length;
    };
    expect(await from("203.0.113.7", 4)).toBe(3);
    // Another member behind the same address has as many of their own.
    expect(await from("203.0.113.7", 4)).toBe(3);
    expect(await from("203.0.113.7", 1)).toBe(0);
    // Another spelling of the same inbox.
    expect(await from("203.0.113.7", 1, email.replace("@", "+spam@"))).toBe(0);
    expect(await from("2001:db8:1:1::1", 3)).toBe(3);
    expect(await from("2001:db8:1:2::1", 3)).toBe(3);
    expect(await from("198.51.100.1", 1)).toBe(0);
    harness.clock.advance(HOUR_MS);
    for (const block of [1, 2, 3]) {
      expect(await from(`2001:db8:1:${block}::1`, 3)).toBe(block === 3 ? 0 : 3);
    }
  });

  it("loses none of its links to a mail server that is away", async () => {
    const { session } = await harness.logInProven(await harness.makeAccount());
    const [email, by] = [freshEmail(), { address: "203.0.113.8", language: "EN" }];
    const away = securityOver({ send: async () => refuse("unavailable") });
    for (let tries = 0; tries < 5; tries++) {
      const sent = await away.sendEmailLink(harness.perya, session, email, by);
      expect(codeOf(sent)).toBe("message_unavailable");
    }
    taken(await harness.security.sendEmailLink(harness.perya, session, email, by));
  });

  it("that no mail reaches is refused as wrong; if the server is away the member can try again", async () => {
    const { session } = await harness.logInProven(await harness.makeAccount());
    const answers: [Result<void, "refused" | "unavailable">, string][] = [
      [refuse("refused"), "email bad_format"],
      [refuse("unavailable"), "message_unavailable"],
      [ok(undefined), "ok"],
    ];
    for (const [answer, code] of answers) {
      const sender = securityOver({ send: async () => answer });
      const sent = await sender.sendEmailLink(harness.perya, session, freshEmail(), {
        address: "203.0.113.7",
        language: "EN",
      });
      expect(codeOf(sent)).toBe(code);
      const { pendingEmail } = await harness.security.overview(session);
      // A mail whose answer was lost may arrive, and its link is valid then.
      expect(pendingEmail === null).toBe(!answer.ok && answer.error === "refused");
    }
    const mute = await securityOver(null).sendEmailLink(harness.perya, session, freshEmail(), {
      address: "203.0.113.7",
      language: "EN",
    });
    expect(codeOf(mute)).toBe("feature_off");
  });
});

describe("a mobile number", () => {
  it("becomes the account's by the code that was sent to it", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    const mobileNum = freshMobile();
    const { expirationTime } = taken(await sendCode(session, `0${mobileNum}`));
    expect(expirationTime).toBe(harness.clock.now() + MINUTE_MS);
    const code = await codeTo(mobileNum);
    const wrong = code === "000000" ? "111111" : "000000";
    expect(codeOf(await verifyMobile(session, mobileNum, wrong))).toBe("code_wrong");
    expect(taken(await verifyMobile(session, mobileNum, code))).toEqual({
      masked: `+63${mobileNum.slice(0, 3)}•••${mobileNum.slice(-4)}`,
    });
    expect((await harness.security.overview(session)).mobile?.verified).toBe(true);
    expect(codeOf(await verifyMobile(session, mobileNum, code))).toBe("code_wrong");
    expect(codeOf(await sendCode(session, "917"))).toBe("mobileNum too_short");
  });

  it("that becomes the account's is announced to a verified address, masked", async () => {
    const email = freshEmail();
    const { session } = await harness.logInProven(
      await harness.makeAccount({ email, emailVerified: true }),
    );
    const mobileNum = freshMobile();
    taken(await sendCode(session, mobileNum));
    const { masked } = taken(await verifyMobile(session, mobileNum, await codeTo(mobileNum)));
    const mail = present(await harness.newestTo(email), "the mail");
    expect(mail.subject).toContain("mobile number");
    expect(mail.text).toContain(masked);
    expect(mail.text).not.toContain(mobileNum);
  });

  it("is verified only in the session that asked for its code", async () => {
    const mobileNum = freshMobile();
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    taken(await sendCode(session, mobileNum));
    const code = await codeTo(mobileNum);
    const again = (await harness.logInProven(account)).session;
    const stranger = (await harness.logInProven(await harness.makeAccount())).session;
    for (const other of [again, stranger]) {
      for (let i = 0; i < 6; i++) {
        expect(codeOf(await verifyMobile(other, mobileNum, code))).toBe("code_wrong");
      }
    }
    taken(await verifyMobile(session, mobileNum, code));
  });

  it("that another member has verified stays theirs; at another brand it is free", async () => {
    const mobileNum = freshMobile();
    await harness.makeAccount({ mobile: mobileNum });
    const { session } = await harness.logInProven(await harness.makeAccount());
    taken(await sendCode(session, mobileNum));
    const code = await codeTo(mobileNum);
    expect(codeOf(await verifyMobile(session, mobileNum, code))).toBe("mobile_taken");
    harness.clock.advance(MINUTE_MS);
    const there = await harness.logInProven(
      await harness.makeAccount({ merchant: harness.fiesta }),
    );
    taken(await sendCode(there.session, mobileNum, harness.fiesta));
    const other = await codeTo(mobileNum);
    taken(await verifyMobile(there.session, mobileNum, other, harness.fiesta));
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
    const { secret } = taken(await harness.security.beginTotp(harness.perya, session));
    const codeNow = () =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
    taken(await harness.security.confirmTotp(harness.perya, session, codeNow(), "EN"));
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
    const email = freshEmail();
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
    const { secret } = taken(await harness.security.beginTotp(harness.perya, session));
    const codeNow = () =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
    taken(await harness.security.confirmTotp(harness.perya, session, codeNow(), "EN"));

    const mobileNum = freshMobile();
    taken(await sendCode(session, mobileNum));
    const sms = await codeTo(mobileNum);
    const verified = () => verifyMobile(session, mobileNum, sms);
    await broken("members", "UPDATE", verified);
    taken(await verified());

    harness.clock.advance(MINUTE_MS);
    const set = () => setPayment(session, "739254", { code: codeNow() });
    await broken("members", "UPDATE", set);
    taken(await set());

    harness.clock.advance(MINUTE_MS);
    const off = () => harness.security.removeTotp(harness.perya, session, codeNow(), "EN");
    await broken("recovery_codes", "DELETE", off);
    expect(await harness.totp.isOn(session.memberId)).toBe(true);
    taken(await off());
    expect(await harness.totp.isOn(session.memberId)).toBe(false);
  });
});

type Opened = Awaited<ReturnType<AccountHarness["logIn"]>>;

function freshEmail(): string {
  numbers += 1;
  return `player${numbers}@example.com`;
}

function freshMobile(): string {
  numbers += 1;
  return `917${String(2_000_000 + numbers)}`;
}

function prove(session: Session, given: Parameters<Security["prove"]>[1]) {
  return harness.security.prove(session, given);
}

function sendLink(session: Session, email: string) {
  return harness.security.sendEmailLink(harness.perya, session, email, {
    address: "203.0.113.7",
    language: "EN",
  });
}

function verify(token: string) {
  return harness.security.verifyEmail(harness.perya, token, "EN");
}

async function emailOf({ id }: Account): Promise<string> {
  const { rows } = await harness.db.pool.query("SELECT email FROM members WHERE id = $1", [id]);
  return rows[0].email;
}

function sendCode(session: Session, mobileNum: string, merchant = harness.perya) {
  const given = { countryDialingCode: "+63", mobileNum, humanCheck: "solved" };
  const caller = { address: PHONE.address, deviceHash: null, language: "EN" };
  return harness.security.sendMobileCode(merchant, session, given, caller);
}

async function codeTo(mobileNum: string): Promise<string> {
  const sms = present(await harness.newestTo(`+63${mobileNum}`), "the SMS");
  return present(/\b\d{6}\b/.exec(sms.text)?.[0], "a code in the SMS");
}

function verifyMobile(
  session: Session,
  mobileNum: string,
  verificationCode: string,
  merchant = harness.perya,
) {
  const given = { countryDialingCode: "+63", mobileNum, verificationCode };
  return harness.security.verifyMobile(merchant, session, given, "EN");
}

function setPayment(
  session: Session,
  paymentPassword: string,
  proof: { current?: string; password?: string; code?: string } = { password: PASSWORD },
) {
  const given = { paymentPassword, ...proof };
  return harness.security.setPaymentPassword(harness.perya, session, given, "EN");
}

function securityOver(mailer: ConstructorParameters<typeof Security>[0]["mailer"]): Security {
  const { db, clock, entropy, passwords, sessions, totp, paymentProofs, codes, ownerMails } =
    harness;
  return new Security({
    ...{
      pool: db.pool,
      clock,
      entropy,
      passwords,
      sessions,
      totp,
      paymentProofs,
      codes,
      ownerMails,
    },
    mailer,
    publicUrl: PUBLIC_URL,
  });
}
