import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type AccountHarness,
  ASKER,
  NEW,
  openAccountHarness,
  PASSWORD,
  PHONE,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import {
  whileBroken,
  withCommitsUnanswered,
} from "../../../../../../tests/server/broken-statement.ts";
import { makeBrand } from "../../../../../../tests/server/fixtures.ts";
import { lockWaits } from "../../../../../../tests/server/lock-waits.ts";
import { CommitUnknownError } from "../../../platform/postgres/pool.ts";
import type { Merchant } from "../../brand/brand.ts";
import { TAKES_NOTHING } from "../factors/owner-proof.ts";
import { FactorsChanged } from "../sessions/sessions.ts";

let harness: AccountHarness;
/** A brand that recovers by phone. */
let phones: Merchant;

beforeAll(async () => {
  harness = await openAccountHarness("password setting");
  phones = await makeBrand(harness.db.pool, harness.clock, { settings: { recoveryByPhone: true } });
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a new password whose connection ends before the sessions have ended", () => {
  /** The last statement of the three ways. */
  const ENDS = { table: "sessions", does: "UPDATE" } as const;

  it("by a link is not set: the old one stays, and so do the link and the sessions", async () => {
    const { account, email } = await harness.withEmail();
    const { halves } = await harness.logIn(account);
    taken(await harness.forgot(account.username, email));
    const token = await harness.linkTo(email);
    await expect(
      whileBroken(harness.db.pool, ENDS, () => harness.setByLink(token)),
    ).rejects.toThrow();
    expect(await harness.passwordOf(account, PASSWORD)).toBe(true);
    expect((await harness.newestTo(email))?.subject).not.toContain("was changed");
    taken(await harness.setByLink(token));
    expect(await harness.isOpen(account, halves)).toBe(false);
    expect((await harness.newestTo(email))?.subject).toContain("was changed");
  });

  it("by a code is not set, and the code is still valid", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    const { halves } = await harness.logIn(account);
    const code = await harness.resetCode(phones, mobile);
    const set = () => harness.setByPhone(phones, [account.username, mobile, code]);
    await expect(whileBroken(harness.db.pool, ENDS, set)).rejects.toThrow();
    expect(await harness.passwordOf(account, PASSWORD)).toBe(true);
    taken(await set());
    expect(await harness.isOpen(account, halves)).toBe(false);
  });

  it("by a session is not set, and a code of the authenticator is still valid", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    const { halves } = await harness.logIn(account);
    taken(await harness.security.prove(session, { password: PASSWORD }));
    const { secret } = taken(await harness.twoFactor.begin(harness.perya, session));
    const codeNow = () =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
    taken(await harness.twoFactor.confirm(harness.perya, session, codeNow(), "EN"));
    harness.clock.advance(MINUTE_MS);
    const set = () => harness.changePassword(account, session, { code: codeNow() });
    await expect(whileBroken(harness.db.pool, ENDS, set)).rejects.toThrow();
    expect(await harness.passwordOf(account, PASSWORD)).toBe(true);
    taken(await set());
    expect(await harness.isOpen(account, halves)).toBe(false);
  });

  it("is set completely if only the answer was lost, and its owner gets a mail", async () => {
    const { account, email } = await harness.withEmail();
    const { session, halves } = await harness.logIn(account);
    taken(await harness.forgot(account.username, email));
    const token = await harness.linkTo(email);
    const unanswered = harness.partsWith({ pool: withCommitsUnanswered(harness.db.pool) });
    const given = { token, newPassword: NEW, confirmNewPassword: NEW };
    await expect(unanswered.byMail.setByLink(harness.perya, given, "EN")).rejects.toThrow(
      CommitUnknownError,
    );
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    // The question of the sockets' heartbeat: nobody was told of the end.
    expect(await harness.sessions.endedOf([session.id])).toEqual([session.id]);
    harness.clock.advance(3_000);
    expect(await harness.isOpen(account, halves)).toBe(false);
    expect((await harness.newestTo(email))?.subject).toContain("was changed");
  });

  it("is answered as done if the same link sends it again, for as long as the link would have been valid", async () => {
    const { account, email } = await harness.withEmail();
    taken(await harness.forgot(account.username, email));
    const token = await harness.linkTo(email);
    const unanswered = harness.partsWith({ pool: withCommitsUnanswered(harness.db.pool) });
    const given = { token, newPassword: NEW, confirmNewPassword: NEW };
    await expect(unanswered.byMail.setByLink(harness.perya, given, "EN")).rejects.toThrow(
      CommitUnknownError,
    );
    const { halves } = await harness.logIn(account);
    taken(await harness.setByLink(token));
    // Nothing is done a second time.
    expect(await harness.isOpen(account, halves)).toBe(true);
    expect(codeOf(await harness.setByLink(token, "Sampaguita78"))).toBe("link_spent");
    expect(codeOf(await harness.setByLink(token, NEW, harness.fiesta))).toBe("link_spent");
    expect(codeOf(await harness.byMail.linkOwner(harness.perya, token))).toBe("link_spent");
    harness.clock.advance(30 * MINUTE_MS);
    expect(codeOf(await harness.setByLink(token))).toBe("link_spent");
  });

  it("is set once if the same request comes twice at once, and both are answered as done", async () => {
    const { account, email } = await harness.withEmail(true);
    taken(await harness.forgot(account.username, email));
    const token = await harness.linkTo(email);
    const before = harness.outbox.messages().length;
    const both = await Promise.all([harness.setByLink(token), harness.setByLink(token)]);
    expect(both.map(codeOf)).toEqual(["ok", "ok"]);
    await harness.sendMails();
    expect(harness.outbox.messages()).toHaveLength(before + 1);
  });

  it("is set once if the same code comes three times at once, and all are answered as done", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    const code = await harness.resetCode(phones, mobile);
    const three = await Promise.all(
      [0, 1, 2].map(() => harness.setByPhone(phones, [account.username, mobile, code])),
    );
    expect(three.map(codeOf)).toEqual(["ok", "ok", "ok"]);
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    harness.clock.advance(MINUTE_MS);
    const other = await harness.resetCode(phones, mobile);
    const two = await Promise.all(
      ["Sampaguita78", "Sampaguita79"].map((password) =>
        harness.setByPhone(phones, [account.username, mobile, other], password),
      ),
    );
    expect(two.map(codeOf).sort()).toEqual(["code_wrong", "ok"]);
  });

  it("cannot be guessed by a used code: it confirms five times, and then no more", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    const code = await harness.resetCode(phones, mobile);
    taken(await harness.setByPhone(phones, [account.username, mobile, code]));
    for (let i = 0; i < 5; i++) {
      const guess = await harness.setByPhone(
        phones,
        [account.username, mobile, code],
        `Sampaguita8${i}`,
      );
      expect(codeOf(guess)).toBe("code_wrong");
    }
    expect(codeOf(await harness.setByPhone(phones, [account.username, mobile, code]))).toBe(
      "code_wrong",
    );
  });

  it("cannot be guessed by a used link: it confirms five times, and then no more", async () => {
    const { account, email } = await harness.withEmail();
    taken(await harness.forgot(account.username, email));
    const token = await harness.linkTo(email);
    taken(await harness.setByLink(token));
    for (let i = 0; i < 5; i++) {
      expect(codeOf(await harness.setByLink(token, `Sampaguita8${i}`))).toBe("link_spent");
    }
    expect(codeOf(await harness.setByLink(token))).toBe("link_spent");
  });

  it("is not answered as done by a link if another password was set after it", async () => {
    const { account, email } = await harness.withEmail();
    taken(await harness.forgot(account.username, email));
    const token = await harness.linkTo(email);
    taken(await harness.setByLink(token));
    const { session } = await harness.logIn(account);
    taken(
      await harness.changePassword(account, session, {
        oldPassword: NEW,
        newPassword: "Sampaguita78",
      }),
    );
    expect(codeOf(await harness.setByLink(token))).toBe("link_spent");
    expect(await harness.passwordOf(account, "Sampaguita78")).toBe(true);
  });

  it("is answered as done if the same code sends it again, in that browser only", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    const code = await harness.resetCode(phones, mobile);
    const unanswered = harness.partsWith({ pool: withCommitsUnanswered(harness.db.pool) });
    const { username } = account;
    const given = {
      ...{ username, newPassword: NEW, countryDialingCode: "+63" },
      ...{ mobileNum: mobile, verificationCode: code },
    };
    const by = { language: "EN", asker: ASKER };
    await expect(unanswered.byPhone.setByPhone(phones, given, by)).rejects.toThrow(
      CommitUnknownError,
    );
    taken(await harness.setByPhone(phones, [username, mobile, code]));
    const wrong = code === "000000" ? "111111" : "000000";
    expect(codeOf(await harness.setByPhone(phones, [username, mobile, wrong]))).toBe("code_wrong");
    expect(codeOf(await harness.setByPhone(phones, [username, mobile, code], "Sampaguita78"))).toBe(
      "code_wrong",
    );
    const elsewhere = { language: "EN", asker: { browser: "another browser" } };
    expect(codeOf(await harness.byPhone.setByPhone(phones, given, elsewhere))).toBe("code_wrong");
  });

  it("is answered as done for as long as the code would have been valid, and not after a newer code was sent", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    const code = await harness.resetCode(phones, mobile);
    taken(await harness.setByPhone(phones, [account.username, mobile, code]));
    harness.clock.advance(10 * MINUTE_MS - 1);
    taken(await harness.setByPhone(phones, [account.username, mobile, code]));
    const second = await harness.resetCode(phones, mobile);
    expect(codeOf(await harness.setByPhone(phones, [account.username, mobile, code]))).toBe(
      "code_wrong",
    );
    expect(codeOf(await harness.setByPhone(phones, [account.username, mobile, second]))).toBe(
      "modify.new.old.same",
    );
  });

  it("is set beside log-ins that replace a session, and the two never deadlock", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    const { halves } = await harness.logIn(account);
    const { rows } = await harness.db.pool.query("SELECT * FROM members WHERE id = $1", [
      account.id,
    ]);
    const blocker = await harness.db.pool.connect();
    // Both begin and wait for the member: the log-in first, which the password would refuse later.
    await blocker.query("BEGIN");
    await blocker.query("SELECT 1 FROM members WHERE id = $1 FOR NO KEY UPDATE", [account.id]);
    const device = { address: "203.0.113.7", userAgent: "a phone", session: halves.cookie };
    const entering = harness.sessions.start(rows[0], device, "password");
    await expect.poll(() => lockWaits(harness.db.pool), { timeout: 10_000 }).toBe(1);
    const changing = harness.changePassword(account, session, { oldPassword: PASSWORD });
    await expect.poll(() => lockWaits(harness.db.pool), { timeout: 10_000 }).toBe(2);
    await blocker.query("COMMIT");
    blocker.release();
    await entering;
    taken(await changing);
  });

  it("refuses a log-in that was judged by the earlier one", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    const { rows } = await harness.db.pool.query("SELECT * FROM members WHERE id = $1", [
      account.id,
    ]);
    const form = { type: "username", username: account.username, password: PASSWORD } as const;
    const attempts = Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        harness.logins.login(harness.perya, form, { ...PHONE, address: `198.51.100.${i + 1}` }),
      ),
    );
    taken(await harness.changePassword(account, session, { oldPassword: PASSWORD }));
    for (const attempt of await attempts) {
      if (!attempt.ok || !("halves" in attempt.value)) continue;
      expect(await harness.isOpen(account, attempt.value.halves)).toBe(false);
    }
    await expect(harness.sessions.start(rows[0], PHONE, "password")).rejects.toThrow(
      FactorsChanged,
    );
    await harness.db.pool.query(
      `INSERT INTO member_totp (member_id, sealed_secret, confirmed_at)
       VALUES ($1, 'sealed', to_timestamp($2 / 1000.0))`,
      [account.id, harness.clock.now()],
    );
    await expect(harness.secondFactor.hold(rows[0], "password", TAKES_NOTHING)).rejects.toThrow(
      FactorsChanged,
    );
    const late = await harness.logins.login(harness.perya, { ...form, password: NEW }, PHONE);
    expect(codeOf(late)).toBe("ok");
  });

  it("is not set if another one was set meanwhile: the proof by the earlier one is void", async () => {
    const account = await harness.makeAccount();
    const [one, other] = [await harness.logIn(account), await harness.logIn(account)];
    const hash = harness.passwords.hash.bind(harness.passwords);
    // Judged by the old password, and under way while the other one is set.
    harness.passwords.hash = async (password) => {
      harness.passwords.hash = hash;
      harness.clock.advance(1);
      taken(await harness.changePassword(account, other.session, { oldPassword: PASSWORD }));
      return hash(password);
    };
    const given = { oldPassword: PASSWORD, newPassword: "Sampaguita78" };
    expect(codeOf(await harness.changePassword(account, one.session, given))).toBe("session_ended");
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    expect(await harness.isOpen(account, other.halves)).toBe(true);
  });
});
