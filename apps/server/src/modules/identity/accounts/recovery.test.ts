import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
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
import {
  whileBroken,
  withCommitsUnanswered,
} from "../../../../../../tests/server/broken-statement.ts";
import { makeBrand } from "../../../../../../tests/server/fixtures.ts";
import { startPhoneService } from "../../../../../../tests/server/phone-service.ts";
import { createLogger } from "../../../platform/log.ts";
import { CommitUnknownError } from "../../../platform/postgres/pool.ts";
import type { Merchant } from "../../brand/brand.ts";
import { inboxOf } from "../defence/abuse-counts.ts";
import { deviceHashOf, KnownDevices } from "../defence/known-devices.ts";
import { TAKES_NOTHING } from "../factors/owner-proof.ts";
import { createPhoneProofs } from "../factors/phone-proofs.ts";
import { type AccountRow, hasNamedInboxFirst } from "../members/account.store.ts";
import { FactorsChanged } from "../sessions/sessions.ts";
import { Recovery } from "./recovery.ts";

const NEW = "Sampaguita77";
/** The one browser in which a player who forgot their password does everything. */
const ASKER = { browser: "a browser" };
const ASKED = { address: "203.0.113.7", language: "EN" };
let harness: AccountHarness;
/** A brand that recovers by phone. */
let phones: Merchant;
let numbers = 0;

beforeAll(async () => {
  harness = await openAccountHarness("recovery");
  phones = await makeBrand(harness.db.pool, harness.clock, { settings: { recoveryByPhone: true } });
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a forgotten password, by e-mail", () => {
  it("[A2.5-01] is set by the link that is mailed to the account's own address", async () => {
    const { account, email } = await withEmail();
    const { halves } = await harness.logIn(account);
    taken(await forgot(account.username.toUpperCase(), email.toUpperCase()));
    const token = await harness.linkTo(email);
    expect(taken(await harness.recovery.linkOwner(harness.perya, token)).username).toBe(
      account.username,
    );
    taken(await byLink(token));
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    expect(await harness.isOpen(account, halves)).toBe(false);
    const told = present(await harness.newestTo(email), "the mail");
    expect(told.subject).toBe(`Your ${harness.perya.name} password was changed`);
  });

  it("answers alike, after the same work, whether or not anyone has the name or the address", async () => {
    const { account, email } = await withEmail();
    const sent = harness.outbox.messages().length;
    harness.passwords.work = 0;
    for (const [username, given] of [
      [account.username, "another@example.com"],
      ["nobody_at_all", email],
      ["nobody_at_all", "nobody@example.com"],
    ] as const) {
      expect(await forgot(username, given)).toEqual({ ok: true, value: undefined });
    }
    await harness.sendMails();
    expect(harness.outbox.messages()).toHaveLength(sent);
    expect(harness.passwords.work).toBe(0);
  });

  it("[A2.4-10] writes in the caller's language, of the brand and its minimum age", async () => {
    const { account, email } = await withEmail();
    taken(await forgot(account.username, email, "TY"));
    const mail = present(await harness.newestTo(email), "the mail");
    expect(mail.subject).toBe(`Bagong password para sa ${harness.perya.name}`);
    expect(mail.text).toContain(`Hi ${account.username},`);
    expect(mail.text).toContain(`${PUBLIC_URL}/m/reset?token=`);
    expect(mail.text).toContain("30 minuto");
    expect(mail.text).toContain(`${harness.perya.settings.minimumAge} taong gulang`);
    taken(await forgot(account.username, email, "ZH"));
    const english = present(await harness.newestTo(email), "the mail");
    expect(english.text).toContain(`Only for ages ${harness.perya.settings.minimumAge} and over`);
    const from18 = await makeBrand(harness.db.pool, harness.clock, {
      settings: { minimumAge: 18 },
    });
    const young = "young@example.com";
    const { username } = await harness.makeAccount({ merchant: from18, email: young });
    const asked = { username, email: young };
    for (const [language, line] of [
      ["TY", "18 taong gulang"],
      ["EN", "Only for ages 18 and over"],
    ] as const) {
      taken(await harness.recovery.forgot(from18, asked, { ...ASKED, language }));
      expect((await harness.newestTo(young))?.text).toContain(line);
    }
  });

  it("takes a link once, even if many use it at the same time", async () => {
    const { account, email } = await withEmail();
    taken(await forgot(account.username, email));
    const token = await harness.linkTo(email);
    const both = await Promise.all([byLink(token, "Sampaguita71"), byLink(token, "Sampaguita72")]);
    expect(both.map(codeOf).sort()).toEqual(["link_spent", "ok"]);
    expect(codeOf(await byLink(token))).toBe("link_spent");
    expect(codeOf(await harness.recovery.linkOwner(harness.perya, token))).toBe("link_spent");
  });

  it("takes a link for half an hour, from the newest mail only, and at its own brand only", async () => {
    const { account, email } = await withEmail();
    taken(await forgot(account.username, email));
    const first = await harness.linkTo(email);
    taken(await forgot(account.username, email));
    const second = await harness.linkTo(email);
    expect(second).not.toBe(first);
    expect(codeOf(await byLink(first))).toBe("link_spent");
    expect(codeOf(await byLink(second, NEW, harness.fiesta))).toBe("link_spent");
    harness.clock.advance(30 * MINUTE_MS - 1);
    taken(await harness.recovery.linkOwner(harness.perya, second));
    harness.clock.advance(1);
    expect(codeOf(await byLink(second))).toBe("link_spent");
    expect(codeOf(await byLink("A".repeat(43)))).toBe("link_spent");
  });

  it("keeps a link valid after a refused password: bad, common, like the name, unequal, or the old one", async () => {
    const { account, email } = await withEmail();
    taken(await forgot(account.username, email));
    const token = await harness.linkTo(email);
    expect(codeOf(await byLink(token, "short"))).toBe("newPassword too_short");
    expect(codeOf(await byLink(token, "password123"))).toBe("newPassword too_common");
    expect(codeOf(await byLink(token, `${account.username}X9`))).toBe("newPassword too_common");
    const unlike = { token, newPassword: NEW, confirmNewPassword: `${NEW}8` };
    expect(codeOf(await harness.recovery.setByLink(harness.perya, unlike, "EN"))).toBe(
      "confirmNewPassword mismatch",
    );
    expect(codeOf(await byLink(token, PASSWORD))).toBe("modify.new.old.same");
    expect(await harness.passwordOf(account, PASSWORD)).toBe(true);
    taken(await byLink(token));
  });

  it("stores links as hashes only, and the sweep deletes expired ones", async () => {
    const { account, email } = await withEmail();
    taken(await forgot(account.username, email));
    const token = await harness.linkTo(email);
    const { rows } = await harness.db.pool.query("SELECT * FROM mail_links");
    const text = JSON.stringify(rows);
    expect(text).not.toContain(token);
    expect(text).not.toContain(Buffer.from(token).toString("hex"));
    harness.clock.advance(30 * MINUTE_MS);
    await harness.recovery.sweep();
    expect((await harness.db.pool.query("SELECT FROM mail_links")).rowCount).toBe(0);
  });

  it("sends an asker three mails an hour to an unverified address, under any number of names, and others theirs", async () => {
    const { account: owner, email } = await withEmail(true);
    const sent = harness.outbox.messages().length;
    for (let i = 0; i < 5; i++) {
      const stranger = await harness.makeAccount({ email, emailVerified: false });
      taken(await forgot(stranger.username, email.toUpperCase()));
      await harness.sendMails();
    }
    expect(harness.outbox.messages()).toHaveLength(sent + 3);
    taken(await forgot(owner.username, email));
    const another = await harness.makeAccount({ email, emailVerified: false });
    const elsewhere = { address: "198.51.100.9", language: "EN" };
    const given = { username: another.username, email };
    taken(await harness.recovery.forgot(harness.perya, given, elsewhere));
    await harness.sendMails();
    expect(harness.outbox.messages()).toHaveLength(sent + 5);
  });

  it("sends a name three mails an hour, and one address twenty, for known names or not", async () => {
    const { account, email } = await withEmail();
    for (const username of [account.username, "nobody_at_all"]) {
      for (let i = 0; i < 3; i++) taken(await forgot(username, email));
      const full = await forgot(username, email);
      expect(full).toMatchObject({
        error: { code: "rate_limited", retryAt: harness.clock.now() + HOUR_MS },
      });
    }
    for (let i = 0; i < 14; i++) taken(await forgot(`nobody_${i}`, email));
    expect(codeOf(await forgot("nobody_more", email))).toBe("rate_limited");
    const elsewhere = { address: "198.51.100.9", language: "EN" };
    const given = { username: "nobody_more", email };
    taken(await harness.recovery.forgot(harness.perya, given, elsewhere));
    harness.clock.advance(HOUR_MS);
    taken(await forgot(account.username, email));
  });

  it("reaches an owner who asks from elsewhere or on a phone of theirs, however often strangers asked", async () => {
    const { account, email } = await withEmail();
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const phone = async () => {
      const token = await devices.tokenOf(undefined);
      await devices.note(account.id, token);
      return deviceHashOf(token);
    };
    const own = await phone();
    harness.clock.advance(DAY_MS);
    const another = await phone();
    const sent = harness.outbox.messages().length;
    const from = async (address: string, times: number, deviceHash: Buffer | null = null) => {
      const given = { username: account.username, email };
      const by = { address, language: "EN", deviceHash };
      let taken = 0;
      for (let time = 0; time < times; time++) {
        if ((await harness.recovery.forgot(harness.perya, given, by)).ok) taken += 1;
        await harness.sendMails();
        harness.clock.advance(1);
      }
      return taken;
    };
    expect(await from("198.51.100.1", 4)).toBe(3);
    // One customer's network gets half of what all have.
    for (const [block, most] of [3, 3, 0].entries()) {
      expect(await from(`2001:db8:1:${block}::1`, 3)).toBe(most);
    }
    expect(await from("198.51.100.2", 4)).toBe(3);
    expect(await from("198.51.100.3", 1)).toBe(0);
    // A phone that was once logged in to the account delays no other.
    expect(await from("198.51.100.1", 4, another)).toBe(3);
    expect(await from("198.51.100.1", 4, own)).toBe(3);
    expect(harness.outbox.messages()).toHaveLength(sent + 18);
    const stranger = deviceHashOf(await devices.tokenOf(undefined));
    expect(await from("198.51.100.3", 1, stranger)).toBe(0);
  });

  it("reaches a phone of the member who named an inbox first, however often phones of others that name it asked", async () => {
    const { account: owner, email } = await withEmail();
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const comesFrom = async (
      { id, username }: { id: string; username: string },
      named = email.toUpperCase(),
    ) => {
      const token = await devices.tokenOf(undefined);
      await devices.note(id, token);
      const sent = harness.outbox.messages().length;
      const given = { username, email: named };
      const by = { address: "198.51.100.1", language: "EN", deviceHash: deviceHashOf(token) };
      await harness.recovery.forgot(harness.perya, given, by);
      await harness.sendMails();
      return harness.outbox.messages().length - sent;
    };
    const others = [];
    for (let i = 0; i < 13; i++) {
      harness.clock.advance(1);
      others.push(await harness.makeAccount({ email, emailVerified: false }));
    }
    const mails: number[] = [];
    for (const other of others) mails.push(await comesFrom(other));
    // Accounts and phones cost nothing: together they get as many mails as one stranger.
    expect(mails).toEqual([1, 1, 1, ...Array.from({ length: 10 }, () => 0)]);
    // Another spelling is the same inbox, so nobody becomes the first to name it.
    const mark = email.replace("@", "+another@");
    const marked = await harness.makeAccount({ email: mark, emailVerified: false });
    expect(await comesFrom(marked, mark)).toBe(0);
    expect(await comesFrom(owner)).toBe(1);
    // A member who has verified it comes before all others.
    harness.clock.advance(HOUR_MS);
    await harness.makeAccount({ email, emailVerified: true });
    for (const other of others.slice(0, 3)) expect(await comesFrom(other)).toBe(1);
    expect(await comesFrom(owner)).toBe(0);
    // The limit is per day, not only per hour.
    harness.clock.advance(HOUR_MS);
    for (const other of others) expect(await comesFrom(other)).toBe(0);
    harness.clock.advance(DAY_MS);
    expect(await comesFrom(owner)).toBe(1);
  });

  it("can be requested twenty times an hour on a known phone, for any number of made-up addresses", async () => {
    const { account, email } = await withEmail(true);
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const token = await devices.tokenOf(undefined);
    await devices.note(account.id, token);
    const by = { address: "198.51.100.1", language: "EN", deviceHash: deviceHashOf(token) };
    const ask = async (typed: string) =>
      codeOf(
        await harness.recovery.forgot(
          harness.perya,
          { username: account.username, email: typed },
          by,
        ),
      );
    const codes: string[] = [];
    for (let nth = 0; nth < 21; nth++) codes.push(await ask(`made${nth}.up@example.com`));
    expect(codes).toEqual([...Array.from({ length: 20 }, () => "ok"), "rate_limited"]);
    harness.clock.advance(HOUR_MS);
    expect(await ask(email)).toBe("ok");
  });

  it("counts one inbox under every spelling that reaches it, here as in the database", async () => {
    const inboxes = [
      ["one.two@gmail.com", "onetwo@GMAIL.com", "O.ne.Two+mark@googlemail.com"],
      ["onetwo@example.com", "onetwo+mark@example.com"],
      // With other providers, dots make another person's address, and a mark alone is a name.
      ["one.two@example.com"],
      ["+mark@example.com"],
      ["one.two@mail.gmail.com"],
    ];
    const named = inboxes.map((spellings) => new Set(spellings.map(inboxOf)));
    expect(named.map(({ size }) => size)).toEqual(inboxes.map(() => 1));
    expect(new Set(named.flatMap((one) => [...one])).size).toBe(inboxes.length);
    for (const spellings of inboxes) {
      const isFirst: boolean[] = [];
      for (const email of spellings) {
        harness.clock.advance(1);
        const { id } = await harness.makeAccount({ email, emailVerified: false });
        // The function reads nothing else of its row.
        const row = { id, merchant_id: harness.perya.id } as AccountRow;
        isFirst.push(await hasNamedInboxFirst(harness.db.pool, row));
      }
      expect(isFirst, spellings.join()).toEqual(spellings.map((_, nth) => nth === 0));
    }
  });

  it("reaches the owner's old phone, whatever a thief's phones that are a day old ask for", async () => {
    const { account, email } = await withEmail(true);
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const phone = async () => {
      const token = await devices.tokenOf(undefined);
      await devices.note(account.id, token);
      return deviceHashOf(token);
    };
    const own = await phone();
    harness.clock.advance(300 * DAY_MS);
    const thiefs = await Promise.all(Array.from({ length: 8 }, phone));
    harness.clock.advance(DAY_MS);
    const given = { username: account.username, email };
    const from = async (deviceHash: Buffer | null, times: number) => {
      const codes: string[] = [];
      for (let time = 0; time < times; time++) {
        const by = { address: "198.51.100.1", language: "EN", deviceHash };
        codes.push(codeOf(await harness.recovery.forgot(harness.perya, given, by)));
        harness.clock.advance(1);
      }
      return codes;
    };
    const all: string[] = [];
    for (const one of thiefs) all.push(...(await from(one, 3)));
    expect(all).toContain("rate_limited");
    expect(await from(own, 3)).toEqual(["ok", "ok", "ok"]);
  });

  it("reaches a phone of the owner's at an address whose limit others have used up", async () => {
    const { account, email } = await withEmail();
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const token = await devices.tokenOf(undefined);
    await devices.note(account.id, token);
    for (let i = 0; i < 20; i++) taken(await forgot(`nobody_${i}`, email));
    expect(codeOf(await forgot(account.username, email))).toBe("rate_limited");
    const given = { username: account.username, email };
    const by = { ...ASKED, deviceHash: deviceHashOf(token) };
    taken(await harness.recovery.forgot(harness.perya, given, by));
  });

  it("counts an IPv6 /48 as sixteen addresses, however many of its blocks ask", async () => {
    const ask = (i: number, net: string) =>
      harness.recovery.forgot(
        harness.perya,
        { username: `nobody_${net}_${i}`, email: "nobody@example.com" },
        { address: `2001:db8:${net}:${(i % 30).toString(16)}::1`, language: "EN" },
      );
    const codes: string[] = [];
    for (let i = 0; i < 322; i++) codes.push(codeOf(await ask(i, "5")));
    expect(codes.indexOf("rate_limited")).toBe(320);
    taken(await ask(0, "6"));
  });

  it("counts the requests of one address per brand", async () => {
    const given = (nobody: string) => ({ username: nobody, email: "nobody@example.com" });
    const address = { address: "198.51.100.77", language: "EN" };
    const ask = (brand: Merchant, i: number) =>
      harness.recovery.forgot(brand, given(`nobody_${i}`), address);
    for (let i = 0; i < 20; i++) taken(await ask(harness.perya, i));
    expect(codeOf(await ask(harness.perya, 20))).toBe("rate_limited");
    taken(await ask(harness.fiesta, 20));
  });

  it("knows only the members of its brand", async () => {
    const { account, email } = await withEmail();
    const sent = harness.outbox.messages().length;
    const given = { username: account.username, email };
    taken(await harness.recovery.forgot(harness.fiesta, given, ASKED));
    await harness.sendMails();
    expect(harness.outbox.messages()).toHaveLength(sent);
  });

  it("[A2.5-03] is off if the brand recovers by phone, and if no mail can be sent", async () => {
    const given = { username: "maria", email: "maria@example.com" };
    expect(codeOf(await harness.recovery.forgot(phones, given, ASKED))).toBe("feature_off");
    expect(codeOf(await bare().forgot(harness.perya, given, ASKED))).toBe("feature_off");
  });
});

describe("a forgotten password, by phone", () => {
  it("[A2.5-05] is set by a code to the account's own number, and all sessions end", async () => {
    const { account, mobile } = await withMobile();
    const { halves } = await harness.logIn(account);
    const code = await codeTo(mobile);
    taken(await byPhone(account.username.toUpperCase(), mobile, code));
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    expect(await harness.isOpen(account, halves)).toBe(false);
    expect(codeOf(await byPhone(account.username, mobile, code, "Sampaguita78"))).toBe(
      "code_wrong",
    );
  });

  it("[A2.5-04 A5-01] takes every name that a log-in takes, also old ones that the brand no longer allows, and no other", async () => {
    const { account } = await withMobile();
    for (const name of [account.username, "nobody_at_all", "jun", "seventeen_letters", "a@b.ph"]) {
      expect(codeOf(harness.recovery.acceptName(phones, name)), name).toBe("ok");
    }
    for (const name of ["no spaces!", "ab", "x".repeat(33)]) {
      expect(codeOf(harness.recovery.acceptName(phones, name)), name).toBe("username bad_format");
    }
    expect(codeOf(harness.recovery.acceptName(harness.perya, account.username))).toBe(
      "feature_off",
    );
    expect(codeOf(await byPhone("maria", "9171234567", "123456", NEW, harness.perya))).toBe(
      "feature_off",
    );
  });

  it("takes no code of another number, and gives the same answer for an unknown name", async () => {
    const mine = await withMobile();
    const theirs = await withMobile();
    for (const username of [theirs.account.username, "nobody_at_all"]) {
      const code = await codeTo(mine.mobile);
      harness.passwords.work = 0;
      expect(codeOf(await byPhone(username, mine.mobile, code))).toBe("code_wrong");
      expect(harness.passwords.work).toBe(1);
      harness.clock.advance(HOUR_MS);
    }
    const right = await codeTo(mine.mobile);
    const wrong = right === "000000" ? "111111" : "000000";
    harness.passwords.work = 0;
    expect(codeOf(await byPhone(mine.account.username, mine.mobile, wrong))).toBe("code_wrong");
    expect(harness.passwords.work).toBe(1);
    expect(await harness.passwordOf(mine.account, PASSWORD)).toBe(true);
    expect(await harness.passwordOf(theirs.account, PASSWORD)).toBe(true);
  });

  it("[A2.5-08] is followed by a log-in without a captcha, though log-ins failed before it, here or on a known phone", async () => {
    const { account, mobile } = await withMobile();
    const form = { type: "username", username: account.username } as const;
    const login = (password: string, token?: string) =>
      harness.identity.login(
        phones,
        { ...form, password },
        { address: "203.0.113.7", userAgent: "a phone", ...(token === undefined ? {} : { token }) },
      );
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const known = await devices.tokenOf(undefined);
    await devices.note(account.id, known);
    for (const [token, newPassword] of [
      [undefined, NEW],
      [known, `${NEW}8`],
    ] as const) {
      for (let tries = 0; tries < 2; tries++) await login("Wrong2026", token);
      expect(codeOf(await login(PASSWORD, token))).toBe("captcha_wrong");
      const given = {
        ...{ username: account.username.toUpperCase(), newPassword, countryDialingCode: "+63" },
        ...{ mobileNum: mobile, verificationCode: await codeTo(mobile) },
      };
      const by = { language: "EN", asker: ASKER, deviceHash: deviceHashOf(token) };
      // A caller who proves nothing must still answer the captcha.
      const wrong = given.verificationCode === "000000" ? "111111" : "000000";
      const refused = { ...given, verificationCode: wrong };
      expect(codeOf(await harness.recovery.setByPhone(phones, refused, by))).toBe("code_wrong");
      expect(codeOf(await login(PASSWORD, token))).toBe("captcha_wrong");
      taken(await harness.recovery.setByPhone(phones, given, by));
      expect(codeOf(await login(newPassword, token))).toBe("ok");
      harness.clock.advance(HOUR_MS);
    }
  });

  it("takes no number that the account has not verified", async () => {
    const { account, mobile } = await withMobile();
    const code = await codeTo(mobile);
    await harness.db.pool.query("UPDATE members SET mobile_verified_at = NULL WHERE id = $1", [
      account.id,
    ]);
    expect(codeOf(await byPhone(account.username, mobile, code))).toBe("code_wrong");
  });

  it("takes the code in the browser that asked for it, and no other browser uses up its tries", async () => {
    const { account, mobile } = await withMobile();
    const code = await codeTo(mobile);
    const given = {
      ...{ username: account.username, newPassword: NEW, countryDialingCode: "+63" },
      mobileNum: mobile,
    };
    for (const browser of [undefined, "another browser"]) {
      for (let i = 0; i < 6; i++) {
        const by = { language: "EN", asker: { browser } };
        const tried = await harness.recovery.setByPhone(
          phones,
          { ...given, verificationCode: code },
          by,
        );
        expect(codeOf(tried)).toBe("code_wrong");
      }
    }
    taken(await byPhone(account.username, mobile, code));
  });

  it("[A2.5-10] leaves the code valid after the old password, an answer that a wrong code does not get", async () => {
    const { account, mobile } = await withMobile();
    const code = await codeTo(mobile);
    const wrong = code === "000000" ? "111111" : "000000";
    expect(codeOf(await byPhone(account.username, mobile, wrong, PASSWORD))).toBe("code_wrong");
    expect(codeOf(await byPhone(account.username, mobile, code, PASSWORD))).toBe(
      "modify.new.old.same",
    );
    taken(await byPhone(account.username, mobile, code));
  });

  it("names the wrong fields before it looks at a code", async () => {
    const bad = await harness.recovery.setByPhone(
      phones,
      {
        username: "maria",
        newPassword: "short",
        countryDialingCode: "+63",
        mobileNum: "917123",
        verificationCode: "123456",
      },
      { language: "EN", asker: ASKER },
    );
    const faults = !bad.ok && bad.error.fields?.map(({ field, code }) => `${field} ${code}`);
    expect(faults).toEqual(["newPassword too_short", "mobileNum too_short"]);
  });

  it("[A7-40] takes an outside service's proof of the number, only if one is configured", async () => {
    const { account, mobile } = await withMobile();
    const { mobile: other } = await withMobile();
    const given = {
      username: account.username,
      newPassword: NEW,
      countryDialingCode: "+63",
      mobileNum: mobile,
    };
    const byProof = (firebaseIdToken: string, recovery = harness.recovery) =>
      recovery.setByPhone(phones, { ...given, firebaseIdToken }, { language: "EN", asker: ASKER });
    expect(codeOf(await byProof("a forged token"))).toBe("code_wrong");
    expect(codeOf(await byProof(other))).toBe("code_wrong");
    expect(codeOf(await byProof(mobile, bare()))).toBe("feature_off");
    expect(codeOf(await byProof(""))).toBe("verificationCode required");
    taken(await byProof(mobile));
    expect(await harness.passwordOf(account, NEW)).toBe(true);
  });

  it("[A7-40] counts each proof of the outside service once, and answers a repetition as done", async () => {
    const { account, mobile } = await withMobile();
    harness.clock.advance(SECOND_MS - (harness.clock.now() % SECOND_MS));
    const service = await startPhoneService(harness.clock);
    const { db, clock, passwords, sessions, totp, codes, ownerMails } = harness;
    const log = createLogger({ level: "silent" });
    const recovery = new Recovery({
      ...{
        pool: db.pool,
        clock,
        entropy: harness.entropy,
        passwords,
        sessions,
        totp,
        codes,
        ownerMails,
      },
      phoneProofs: createPhoneProofs({ pool: db.pool, clock, log, service: service.config }),
      mailsAreSent: true,
    });
    const firebaseIdToken = await service.token(`+63${mobile}`);
    const set = (newPassword: string, username = account.username) =>
      recovery.setByPhone(
        phones,
        { username, newPassword, countryDialingCode: "+63", mobileNum: mobile, firebaseIdToken },
        { language: "EN", asker: ASKER },
      );
    // The proof stays valid after a password that is not new.
    expect(codeOf(await set(PASSWORD))).toBe("modify.new.old.same");
    taken(await set(NEW));
    taken(await set(NEW));
    expect(codeOf(await set(`${NEW}1`))).toBe("code_wrong");
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    // For a name that is not the number's, one proof allows one request.
    clock.advance(SECOND_MS);
    const { account: other } = await withMobile();
    const next = await service.token(`+63${mobile}`);
    const given = { newPassword: `${NEW}2`, countryDialingCode: "+63", mobileNum: mobile };
    for (const username of [other.username, account.username]) {
      const asked = { ...given, username, firebaseIdToken: next };
      const answer = await recovery.setByPhone(phones, asked, { language: "EN", asker: ASKER });
      expect(codeOf(answer)).toBe("code_wrong");
    }
    // A change that a wrong clock dated tomorrow voids nothing of today.
    clock.advance(SECOND_MS);
    await db.pool.query(
      "UPDATE members SET proofs_changed_at = to_timestamp($2 / 1000.0) WHERE id = $1",
      [account.id, clock.now() + DAY_MS],
    );
    const firebaseToken = { firebaseIdToken: await service.token(`+63${mobile}`) };
    const asked = { ...given, ...firebaseToken, username: account.username };
    taken(await recovery.setByPhone(phones, asked, { language: "EN", asker: ASKER }));
    await service.close();
  });
});

describe("a changed password", () => {
  it("ends all other sessions, and a verified address gets a mail", async () => {
    const { account, email } = await withEmail(true);
    const here = await harness.logIn(account);
    const there = await harness.logIn(account);
    taken(await change(account, here.session, { oldPassword: PASSWORD }));
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    expect(await harness.isOpen(account, here.halves)).toBe(true);
    expect(await harness.isOpen(account, there.halves)).toBe(false);
    const told = present(await harness.newestTo(email), "the mail");
    expect(told.subject).toContain("was changed");
    // In the brand's own time.
    expect(told.text).toContain("GMT+8");
  });

  it("is not announced to an unverified address", async () => {
    const { account, email } = await withEmail();
    const { session } = await harness.logIn(account);
    taken(await change(account, session, { oldPassword: PASSWORD }));
    expect(await harness.newestTo(email)).toBeNull();
  });

  it("needs the old one, however fresh the login is", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    taken(await harness.security.prove(session, { password: PASSWORD }));
    expect(codeOf(await change(account, session, {}))).toBe("oldPassword required");
    expect(codeOf(await change(account, session, { code: "123456" }))).toBe("oldPassword required");
    expect(await harness.passwordOf(account, PASSWORD)).toBe(true);
    taken(await change(account, session, { oldPassword: PASSWORD }));
  });

  it("takes a code of the authenticator in the old one's place, each code once", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    const { secret } = taken(await harness.security.beginTotp(harness.perya, session));
    const codeNow = () =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
    taken(await harness.security.confirmTotp(harness.perya, session, codeNow(), "EN"));
    expect(codeOf(await change(account, session, {}))).toBe("code required");
    expect(codeOf(await change(account, session, { code: codeNow() }))).toBe("code_wrong");
    harness.clock.advance(MINUTE_MS);
    const code = codeNow();
    taken(await change(account, session, { code }));
    const newPassword = "Sampaguita79";
    expect(codeOf(await change(account, session, { code, newPassword }))).toBe("code_wrong");
    taken(await change(account, session, { oldPassword: NEW, newPassword }));
  });

  it("can be the first one of a member who registered without", async () => {
    const account = await harness.makeAccount({ password: null });
    const { session } = await harness.logIn(account);
    expect(codeOf(await change(account, session, { oldPassword: PASSWORD }))).toBe(
      "password_wrong",
    );
    harness.clock.advance(10 * MINUTE_MS);
    expect(codeOf(await change(account, session, {}))).toBe("fresh_login_needed");
    harness.clock.advance(-1);
    taken(await change(account, session, {}));
    expect(await harness.passwordOf(account, NEW)).toBe(true);
  });

  it("cannot be set first by the log-in alone if the account has a payment password", async () => {
    const account = await harness.makeAccount({ password: null });
    const { session } = await harness.logIn(account);
    const digits = { paymentPassword: "739254" };
    taken(await harness.security.setPaymentPassword(harness.perya, session, digits, "EN"));
    expect(codeOf(await change(account, session, {}))).toBe("fresh_login_needed");
    taken(await harness.security.prove(session, digits));
    taken(await change(account, session, {}));
  });

  it("[A5-16 A5-17 A5-18 A5-19] must fit the rules and differ from the old one", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    const codes = async (given: Parameters<typeof change>[2]) =>
      codeOf(await change(account, session, given));
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
    taken(await change(account, session, { oldPassword: PASSWORD }));
    taken(await change(account, session, { oldPassword: PASSWORD }));
    expect(codeOf(await change(account, session, { oldPassword: NEW }))).toBe(
      "modify.new.old.same",
    );
    const other = { oldPassword: PASSWORD, newPassword: "Sampaguita78" };
    expect(codeOf(await change(account, session, other))).toBe("password_wrong");
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    harness.clock.advance(SECOND_MS);
    const { session: later } = await harness.logIn(account);
    expect(codeOf(await change(account, later, { oldPassword: PASSWORD }))).toBe("password_wrong");
    // Each is a guess, whatever the answer.
    for (let i = 0; i < 3; i++) await change(account, session, other);
    expect(codeOf(await change(account, session, { oldPassword: PASSWORD }))).toBe("rate_limited");
  });

  it("is answered as done to several that ask for the same at once, also for a first password", async () => {
    for (const password of [PASSWORD, null]) {
      const account = await harness.makeAccount({ password });
      const { session } = await harness.logIn(account);
      harness.clock.advance(SECOND_MS);
      const given = password === null ? {} : { oldPassword: password };
      const asked = Array.from({ length: 3 }, () => change(account, session, given));
      expect((await Promise.all(asked)).map(codeOf)).toEqual(["ok", "ok", "ok"]);
      expect(await harness.passwordOf(account, NEW)).toBe(true);
    }
  });

  it("is answered as done if the first one is sent again after a lost answer, and confirms guesses only a few times", async () => {
    const account = await harness.makeAccount({ password: null });
    const { session } = await harness.logIn(account);
    harness.clock.advance(SECOND_MS);
    taken(await change(account, session, {}));
    taken(await change(account, session, {}));
    const guess = () => change(account, session, { newPassword: "Sampaguita78" });
    for (let i = 0; i < 5; i++) {
      expect(codeOf(await guess())).toBe("oldPassword required");
    }
    expect(codeOf(await change(account, session, {}))).toBe("oldPassword required");
    expect(await harness.passwordOf(account, NEW)).toBe(true);
  });

  it("waits after five wrong old ones within a quarter of an hour, at once or one by one", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    const wrong = () => change(account, session, { oldPassword: "Wrong2026" });
    const tries = await Promise.all(Array.from({ length: 8 }, wrong));
    const codes = tries.map(codeOf);
    expect(codes.filter((code) => code === "password_wrong")).toHaveLength(5);
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(3);
    const right = await change(account, session, { oldPassword: PASSWORD });
    expect(right).toMatchObject({
      error: { code: "rate_limited", retryAt: harness.clock.now() + 15 * MINUTE_MS },
    });
    harness.clock.advance(15 * MINUTE_MS);
    taken(await change(account, session, { oldPassword: PASSWORD }));
  });

  it("voids a reset link that an older one had requested", async () => {
    const { account, email } = await withEmail();
    taken(await forgot(account.username, email));
    const token = await harness.linkTo(email);
    const { session } = await harness.logIn(account);
    taken(await change(account, session, { oldPassword: PASSWORD }));
    expect(codeOf(await byLink(token, "Sampaguita78"))).toBe("link_spent");
  });
});

describe("a new password whose connection ends before the sessions have ended", () => {
  /** The last statement of the three ways. */
  const ENDS = { table: "sessions", does: "UPDATE" } as const;

  it("by a link is not set: the old one stays, and so do the link and the sessions", async () => {
    const { account, email } = await withEmail();
    const { halves } = await harness.logIn(account);
    taken(await forgot(account.username, email));
    const token = await harness.linkTo(email);
    await expect(whileBroken(harness.db.pool, ENDS, () => byLink(token))).rejects.toThrow();
    expect(await harness.passwordOf(account, PASSWORD)).toBe(true);
    expect((await harness.newestTo(email))?.subject).not.toContain("was changed");
    taken(await byLink(token));
    expect(await harness.isOpen(account, halves)).toBe(false);
    expect((await harness.newestTo(email))?.subject).toContain("was changed");
  });

  it("by a code is not set, and the code is still valid", async () => {
    const { account, mobile } = await withMobile();
    const { halves } = await harness.logIn(account);
    const code = await codeTo(mobile);
    const set = () => byPhone(account.username, mobile, code);
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
    const { secret } = taken(await harness.security.beginTotp(harness.perya, session));
    const codeNow = () =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
    taken(await harness.security.confirmTotp(harness.perya, session, codeNow(), "EN"));
    harness.clock.advance(MINUTE_MS);
    const set = () => change(account, session, { code: codeNow() });
    await expect(whileBroken(harness.db.pool, ENDS, set)).rejects.toThrow();
    expect(await harness.passwordOf(account, PASSWORD)).toBe(true);
    taken(await set());
    expect(await harness.isOpen(account, halves)).toBe(false);
  });

  it("is set completely if only the answer was lost, and its owner gets a mail", async () => {
    const { account, email } = await withEmail();
    const { session, halves } = await harness.logIn(account);
    taken(await forgot(account.username, email));
    const token = await harness.linkTo(email);
    const unanswered = recoveryOver(withCommitsUnanswered(harness.db.pool));
    const given = { token, newPassword: NEW, confirmNewPassword: NEW };
    await expect(unanswered.setByLink(harness.perya, given, "EN")).rejects.toThrow(
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
    const { account, email } = await withEmail();
    taken(await forgot(account.username, email));
    const token = await harness.linkTo(email);
    const unanswered = recoveryOver(withCommitsUnanswered(harness.db.pool));
    const given = { token, newPassword: NEW, confirmNewPassword: NEW };
    await expect(unanswered.setByLink(harness.perya, given, "EN")).rejects.toThrow(
      CommitUnknownError,
    );
    const { halves } = await harness.logIn(account);
    taken(await byLink(token));
    // Nothing is done a second time.
    expect(await harness.isOpen(account, halves)).toBe(true);
    expect(codeOf(await byLink(token, "Sampaguita78"))).toBe("link_spent");
    expect(codeOf(await byLink(token, NEW, harness.fiesta))).toBe("link_spent");
    expect(codeOf(await harness.recovery.linkOwner(harness.perya, token))).toBe("link_spent");
    harness.clock.advance(30 * MINUTE_MS);
    expect(codeOf(await byLink(token))).toBe("link_spent");
  });

  it("is set once if the same request comes twice at once, and both are answered as done", async () => {
    const { account, email } = await withEmail(true);
    taken(await forgot(account.username, email));
    const token = await harness.linkTo(email);
    const before = harness.outbox.messages().length;
    const both = await Promise.all([byLink(token), byLink(token)]);
    expect(both.map(codeOf)).toEqual(["ok", "ok"]);
    await harness.sendMails();
    expect(harness.outbox.messages()).toHaveLength(before + 1);
  });

  it("is set once if the same code comes three times at once, and all are answered as done", async () => {
    const { account, mobile } = await withMobile();
    const code = await codeTo(mobile);
    const three = await Promise.all([0, 1, 2].map(() => byPhone(account.username, mobile, code)));
    expect(three.map(codeOf)).toEqual(["ok", "ok", "ok"]);
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    harness.clock.advance(MINUTE_MS);
    const other = await codeTo(mobile);
    const two = await Promise.all(
      ["Sampaguita78", "Sampaguita79"].map((password) =>
        byPhone(account.username, mobile, other, password),
      ),
    );
    expect(two.map(codeOf).sort()).toEqual(["code_wrong", "ok"]);
  });

  it("cannot be guessed by a used code: it confirms five times, and then no more", async () => {
    const { account, mobile } = await withMobile();
    const code = await codeTo(mobile);
    taken(await byPhone(account.username, mobile, code));
    for (let i = 0; i < 5; i++) {
      const guess = await byPhone(account.username, mobile, code, `Sampaguita8${i}`);
      expect(codeOf(guess)).toBe("code_wrong");
    }
    expect(codeOf(await byPhone(account.username, mobile, code))).toBe("code_wrong");
  });

  it("cannot be guessed by a used link: it confirms five times, and then no more", async () => {
    const { account, email } = await withEmail();
    taken(await forgot(account.username, email));
    const token = await harness.linkTo(email);
    taken(await byLink(token));
    for (let i = 0; i < 5; i++) {
      expect(codeOf(await byLink(token, `Sampaguita8${i}`))).toBe("link_spent");
    }
    expect(codeOf(await byLink(token))).toBe("link_spent");
  });

  it("is not answered as done by a link if another password was set after it", async () => {
    const { account, email } = await withEmail();
    taken(await forgot(account.username, email));
    const token = await harness.linkTo(email);
    taken(await byLink(token));
    const { session } = await harness.logIn(account);
    taken(await change(account, session, { oldPassword: NEW, newPassword: "Sampaguita78" }));
    expect(codeOf(await byLink(token))).toBe("link_spent");
    expect(await harness.passwordOf(account, "Sampaguita78")).toBe(true);
  });

  it("is answered as done if the same code sends it again, in that browser only", async () => {
    const { account, mobile } = await withMobile();
    const code = await codeTo(mobile);
    const unanswered = recoveryOver(withCommitsUnanswered(harness.db.pool));
    const { username } = account;
    const given = {
      ...{ username, newPassword: NEW, countryDialingCode: "+63" },
      ...{ mobileNum: mobile, verificationCode: code },
    };
    const by = { language: "EN", asker: ASKER };
    await expect(unanswered.setByPhone(phones, given, by)).rejects.toThrow(CommitUnknownError);
    taken(await byPhone(username, mobile, code));
    const wrong = code === "000000" ? "111111" : "000000";
    expect(codeOf(await byPhone(username, mobile, wrong))).toBe("code_wrong");
    expect(codeOf(await byPhone(username, mobile, code, "Sampaguita78"))).toBe("code_wrong");
    const elsewhere = { language: "EN", asker: { browser: "another browser" } };
    expect(codeOf(await harness.recovery.setByPhone(phones, given, elsewhere))).toBe("code_wrong");
  });

  it("is answered as done for as long as the code would have been valid, and not after a newer code was sent", async () => {
    const { account, mobile } = await withMobile();
    const code = await codeTo(mobile);
    taken(await byPhone(account.username, mobile, code));
    harness.clock.advance(10 * MINUTE_MS - 1);
    taken(await byPhone(account.username, mobile, code));
    const second = await codeTo(mobile);
    expect(codeOf(await byPhone(account.username, mobile, code))).toBe("code_wrong");
    expect(codeOf(await byPhone(account.username, mobile, second))).toBe("modify.new.old.same");
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
    await expect.poll(() => waiting(), { timeout: 10_000 }).toBe(1);
    const changing = change(account, session, { oldPassword: PASSWORD });
    await expect.poll(() => waiting(), { timeout: 10_000 }).toBe(2);
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
        harness.identity.login(harness.perya, form, { ...PHONE, address: `198.51.100.${i + 1}` }),
      ),
    );
    taken(await change(account, session, { oldPassword: PASSWORD }));
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
    const late = await harness.identity.login(harness.perya, { ...form, password: NEW }, PHONE);
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
      taken(await change(account, other.session, { oldPassword: PASSWORD }));
      return hash(password);
    };
    const given = { oldPassword: PASSWORD, newPassword: "Sampaguita78" };
    expect(codeOf(await change(account, one.session, given))).toBe("session_ended");
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    expect(await harness.isOpen(account, other.halves)).toBe(true);
  });
});

/** Connections that wait for a lock. */
async function waiting(): Promise<number> {
  const { rowCount } = await harness.db.pool.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}

/** Recovery over another connection pool. */
function recoveryOver(pool: AccountHarness["db"]["pool"]): Recovery {
  const { clock, passwords, sessions, totp, codes, ownerMails } = harness;
  return new Recovery({
    ...{ pool, clock, entropy: harness.entropy, passwords, sessions, totp, codes, ownerMails },
    phoneProofs: null,
    mailsAreSent: true,
  });
}

/** Recovery on an installation with nothing configured. */
function bare(): Recovery {
  const { db, clock, passwords, sessions, totp, codes, ownerMails } = harness;
  return new Recovery({
    ...{
      pool: db.pool,
      clock,
      entropy: harness.entropy,
      passwords,
      sessions,
      totp,
      codes,
      ownerMails,
    },
    phoneProofs: null,
    mailsAreSent: false,
  });
}

async function withEmail(emailVerified = false): Promise<{ account: Account; email: string }> {
  numbers += 1;
  const email = `player${numbers}@example.com`;
  return { account: await harness.makeAccount({ email, emailVerified }), email };
}

async function withMobile(): Promise<{ account: Account; mobile: string }> {
  numbers += 1;
  const mobile = `917${String(1_000_000 + numbers)}`;
  return { account: await harness.makeAccount({ merchant: phones, mobile }), mobile };
}

function forgot(username: string, email: string, language = "EN") {
  return harness.recovery.forgot(harness.perya, { username, email }, { ...ASKED, language });
}

function byLink(token: string, newPassword = NEW, merchant = harness.perya) {
  const given = { token, newPassword, confirmNewPassword: newPassword };
  return harness.recovery.setByLink(merchant, given, "EN");
}

/** Asks for a code and reads it on the phone. */
async function codeTo(mobileNum: string): Promise<string> {
  taken(
    await harness.codes.request(phones, {
      asker: ASKER,
      purpose: "reset",
      countryDialingCode: "+63",
      mobileNum,
      humanCheck: "solved",
      address: ASKED.address,
      deviceHash: null,
      language: "EN",
    }),
  );
  const sms = present(await harness.newestTo(`+63${mobileNum}`), "the SMS");
  return present(/\b\d{6}\b/.exec(sms.text)?.[0], "a code in the SMS");
}

function byPhone(
  username: string,
  mobileNum: string,
  verificationCode: string,
  newPassword = NEW,
  merchant = phones,
) {
  const given = { username, newPassword, countryDialingCode: "+63", mobileNum, verificationCode };
  return harness.recovery.setByPhone(merchant, given, { language: "EN", asker: ASKER });
}

function change(
  account: Account,
  session: Parameters<Recovery["change"]>[1],
  given: { oldPassword?: string; code?: string; newPassword?: string; confirmNewPassword?: string },
) {
  const { oldPassword, code, newPassword = NEW, confirmNewPassword = newPassword } = given;
  const whole = { oldPassword, code, newPassword, confirmNewPassword };
  return harness.recovery.change(account.merchant, session, whole, "EN");
}
