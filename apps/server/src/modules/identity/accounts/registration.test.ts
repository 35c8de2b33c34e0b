import { DAY_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { whileBroken } from "../../../../../../tests/server/broken-statement.ts";
import { availableOf, makeBrand } from "../../../../../../tests/server/fixtures.ts";
import {
  type Identity,
  openIdentityHarness,
} from "../../../../../../tests/server/identity-harness.ts";
import { wordsOf } from "../../../../../../tests/server/phone-service.ts";
import type { BrandSettingsJson, Merchant } from "../../brand/brand.ts";
import { accountOf } from "../../ledger/ledger.ts";
import type { Registration } from "./registration-form.ts";

const PASSWORD = "Fiesta2026";
const DEVICE = { address: "203.0.113.7", userAgent: "a phone", asker: "a browser" };
/** Every optional field of the specification, filled in as a player would. */
const FULL = {
  nickname: "Ate Tess",
  email: "tess.cruz@example.com",
  payeeName: "Teresa dela Cruz",
  paymentPassword: "482915",
  idNumber: "N01-23-456789",
  qqNum: "10001234",
  facebook: "tess.cruz",
  wechat: "tess_cruz",
  line: "tess.cruz",
  whatsapp: "+639171230000",
  zalo: "639171230000",
  birthday: "1999-12-31",
};

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;
/** Takes players by username and by mobile number. */
let perya: Merchant;
/** Shows every field that exists. */
let curious: Merchant;
let names = 0;

beforeAll(async () => {
  harness = await openIdentityHarness("registration");
  perya = await makeBrand(harness.db.pool, harness.clock);
  curious = await brandWith((field) => ({ ...field, enabled: true }), ["captcha"]);
});

afterAll(() => harness.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a registration by username", () => {
  it("[A1-03] makes a member with an open, empty wallet who can log in", async () => {
    const username = freshName();
    const { id } = taken(await register(perya, { username }));
    expect(await availableOf(harness.ledger, accountOf(id, "PHP"))).toBe(0n);
    const form = {
      type: "username",
      username: username.toUpperCase(),
      password: PASSWORD,
    } as const;
    const member = { id, username, type: 0 };
    const login = () => harness.identity.logins.login(perya, form, DEVICE);
    expect(await login()).toMatchObject({ value: { member, firstLogin: true } });
    expect(await login()).toMatchObject({ value: { member, firstLogin: false } });
  });

  it("[A2.4-05 A2.4-16 A5-09] stores every field that the brand asks for", async () => {
    const number = harness.freshNumber();
    const { id } = taken(
      await register(curious, {
        ...FULL,
        countryDialingCode: "+63",
        mobileNum: `0${number}`,
        registerMethod: "PWA",
        registerUrl: "https://perya.test/m/register",
        domain: "perya.test",
      }),
    );
    const kept = await rowOf(id);
    expect(kept).toMatchObject({
      nickname: FULL.nickname,
      email: FULL.email,
      birthday: FULL.birthday,
      dialing_code: "+63",
      mobile_num: number,
      mobile_verified_at: null,
      recommender_id: null,
      profile: {
        payeeName: FULL.payeeName,
        idNumber: FULL.idNumber,
        qqNum: FULL.qqNum,
        facebook: FULL.facebook,
        wechat: FULL.wechat,
        line: FULL.line,
        whatsapp: FULL.whatsapp,
        zalo: FULL.zalo,
        registerMethod: "PWA",
        registerUrl: "https://perya.test/m/register",
        domain: "perya.test",
      },
    });
    expect(kept.payment_password_hash).toMatch(/^\$argon2id\$/);
    expect(JSON.stringify(kept)).not.toContain(FULL.paymentPassword);
  });

  it("with a taken name is refused, also in other letters and at the same time", async () => {
    const username = freshName();
    const both = await Promise.all([
      register(perya, { username }),
      register(perya, { username: username.toUpperCase() }),
    ]);
    expect(both.map(codeOf).sort()).toEqual(["ok", "username taken"]);
    expect(codeOf(await register(perya, { username }))).toBe("username taken");
    expect(await harness.identity.registrations.isFree(perya, username.toUpperCase())).toBe(false);
    const { rows } = await harness.db.pool.query(
      `SELECT count(*)::int AS wallets FROM members m JOIN ledger_accounts a ON a.owner_id = m.id
       WHERE m.username = $1 AND m.merchant_id = $2`,
      [username, perya.id],
    );
    expect(rows).toEqual([{ wallets: 1 }]);
  });

  it("with the same name at two brands makes two members who know nothing of each other", async () => {
    const username = freshName();
    const one = taken(await register(perya, { username }));
    expect(await harness.identity.registrations.isFree(curious, username)).toBe(true);
    const password = "Another2026";
    const two = taken(await register(curious, { username, password, confirmPassword: password }));
    expect(two.id).not.toBe(one.id);
    const login = (merchant: Merchant, given: string) =>
      harness.identity.logins.login(
        merchant,
        { type: "username", username, password: given },
        DEVICE,
      );
    expect(await login(curious, password)).toMatchObject({ value: { member: { id: two.id } } });
    expect(codeOf(await login(curious, PASSWORD))).toBe("login_failed");
    // A failure at one brand causes no captcha at the other.
    expect(await login(perya, PASSWORD)).toMatchObject({ value: { member: { id: one.id } } });
  });

  it("stores a number unverified if no code is asked for, and any number of players may name it", async () => {
    const more = { countryDialingCode: "+63", mobileNum: harness.freshNumber() };
    for (let i = 0; i < 2; i++) {
      const { id } = taken(await register(perya, more));
      expect((await rowOf(id)).mobile_verified_at).toBeNull();
    }
  });

  it("verifies the number by its code if the brand has the field", async () => {
    const asking = await brandWith((field, name) =>
      name === "messageCode" ? { ...field, enabled: true, required: true } : field,
    );
    const mobileNum = harness.freshNumber();
    const more = { countryDialingCode: "+63", mobileNum };
    expect(codeOf(await register(asking, more))).toBe("verificationCode required");
    const verificationCode = await codeFor(asking, mobileNum);
    const { id } = taken(await register(asking, { ...more, verificationCode }));
    expect((await rowOf(id)).mobile_verified_at).not.toBeNull();
    // There a number is optional; with a number comes its code.
    expect(codeOf(await register(asking, {}))).toBe("ok");
    const byNameOnly = await makeBrand(harness.db.pool, harness.clock, {
      settings: { registration: { username: true, mobile: false } },
    });
    const stray = { ...more, verificationCode: "123456" };
    expect(codeOf(await register(byNameOnly, stray))).toBe("verificationCode not_allowed");
    const strayWord = { ...more, firebaseIdToken: "a service's word" };
    expect(codeOf(await register(byNameOnly, strayWord))).toBe("firebaseIdToken not_allowed");
  });
});

describe("a registration by mobile number", () => {
  it("[A1-03] makes a member named after the number, which is theirs from then on", async () => {
    const mobileNum = harness.freshNumber();
    const verificationCode = await codeFor(perya, mobileNum);
    const { id, username } = taken(await byMobile({ mobileNum, verificationCode }));
    expect(username).toBe(`63${mobileNum}`);
    expect((await rowOf(id)).mobile_verified_at).not.toBeNull();
    const form = { type: "username", username, password: PASSWORD } as const;
    const given = await harness.identity.logins.login(perya, form, DEVICE);
    expect(given).toMatchObject({ value: { member: { id } } });
  });

  it("[A8-07] needs the code that was sent to that number for that purpose, once", async () => {
    const mobileNum = harness.freshNumber();
    expect(codeOf(await byMobile({ mobileNum }))).toBe("verificationCode required");
    const verificationCode = await codeFor(perya, mobileNum);
    const other = { mobileNum: harness.freshNumber(), verificationCode };
    expect(refusalOf(await byMobile(other))).toBe("code_wrong");
    const wrong = { mobileNum, verificationCode: verificationCode === "000000" ? "1" : "000000" };
    expect(refusalOf(await byMobile(wrong))).toBe("code_wrong");
    const both = await Promise.all([
      byMobile({ mobileNum, verificationCode }),
      byMobile({ mobileNum, verificationCode }),
    ]);
    // A request that sees the code already taken learns no more than that.
    const told = both.map(refusalOf).sort().join();
    expect(["mobile_taken,ok", "code_wrong,ok"]).toContain(told);
  });

  it("with a number that another member verified is refused, which only its holder learns", async () => {
    const mobileNum = harness.freshNumber();
    taken(await byMobile({ mobileNum, verificationCode: await codeFor(perya, mobileNum) }));
    harness.clock.advance(DAY_MS);
    expect(refusalOf(await byMobile({ mobileNum, verificationCode: "000000" }))).toBe("code_wrong");
    const verificationCode = await codeFor(perya, mobileNum);
    expect(refusalOf(await byMobile({ mobileNum, verificationCode }))).toBe("mobile_taken");
    // At another brand it is free.
    const code = await codeFor(curious, mobileNum);
    expect(codeOf(await byMobile({ mobileNum, verificationCode: code }, curious))).toBe("ok");
  });

  it("does not use the code up on anything that fails without it", async () => {
    const mobileNum = harness.freshNumber();
    const verificationCode = await codeFor(perya, mobileNum);
    const username = freshName();
    taken(await register(perya, { username }));
    const given = { mobileNum, verificationCode };
    expect(codeOf(await byMobile({ ...given, username }))).toBe("username taken");
    expect(codeOf(await byMobile({ ...given, affiliateCode: "NOBODY" }))).toBe(
      "affiliateCode not_allowed",
    );
    expect(codeOf(await byMobile({ ...given, confirmPassword: "other" }))).toBe(
      "confirmPassword mismatch",
    );
    expect(codeOf(await byMobile(given))).toBe("ok");
  });

  it.each(["members", "known_devices"])(
    "whose connection ends at its row of %s leaves the code valid, and makes no member",
    async (table) => {
      const mobileNum = harness.freshNumber();
      const given = { mobileNum, verificationCode: await codeFor(perya, mobileNum) };
      const broken = { table, does: "INSERT" } as const;
      await expect(whileBroken(harness.db.pool, broken, () => byMobile(given))).rejects.toThrow();
      expect(codeOf(await byMobile(given))).toBe("ok");
    },
  );

  it("gets a name that nobody can choose, find taken or refer to, whether or not anyone has it", async () => {
    const [registered, unheard] = [harness.freshNumber(), harness.freshNumber()];
    const verificationCode = await codeFor(curious, registered);
    const { username } = taken(
      await byMobile({ mobileNum: registered, verificationCode }, curious),
    );
    for (const name of [username, `63${unheard}`]) {
      expect(await harness.identity.registrations.isFree(curious, name), name).toBe(false);
      expect(harness.identity.registrations.verify(curious, "username", name)).toMatchObject([
        { code: "bad_format" },
      ]);
      expect(codeOf(await register(curious, { username: name })), name).toBe("username bad_format");
    }
    for (const recommenderId of [username, `63${unheard}`]) {
      const refused = await register(curious, { recommenderId });
      expect(codeOf(refused), recommenderId).toBe("recommenderId not_allowed");
    }
    expect(await harness.identity.registrations.isFree(curious, `63${unheard}_1a2B`)).toBe(false);
    expect(await harness.identity.registrations.isFree(curious, "639171234")).toBe(true);
  });

  it("gets another name if a member already has the number as a username", async () => {
    const mobileNum = harness.freshNumber();
    // Such a name dates from before these were reserved, or from an outside service's number.
    const held = await harness.identity.addMember(perya, {
      ...{ id: `mem_${mobileNum}`, merchantId: perya.id, username: `63${mobileNum}` },
      ...{ nickname: null, email: null, birthday: null, affiliateCode: null },
      ...{ type: 0, passwordHash: null },
    });
    expect(held).toBe("added");
    const verificationCode = await codeFor(perya, mobileNum);
    const { username } = taken(await byMobile({ mobileNum, verificationCode }));
    expect(username).toMatch(new RegExp(`^63${mobileNum}_[0-9a-z]{4}$`));
  });

  it("[A5-21] refuses a number that its country does not have", async () => {
    const short = await byMobile({ mobileNum: "917123456", verificationCode: "123456" });
    expect(codeOf(short)).toBe("mobileNum too_short");
    expect(codeOf(await byMobile({ mobileNum: undefined }))).toBe("mobileNum required");
  });

  it("[A7-40] takes an outside service's token for the number in place of the code", async () => {
    const mobileNum = harness.freshNumber();
    const by = (identity: Identity, firebaseIdToken: string) =>
      identity.registrations.register(
        perya,
        { ...passwords, countryDialingCode: "+63", mobileNum, firebaseIdToken },
        DEVICE,
      );
    expect(codeOf(await by(harness.identity, "genuine"))).toBe("feature_off");
    const numbers: Readonly<Record<string, string>> = {
      genuine: mobileNum,
      "of another number": harness.freshNumber(),
    };
    const identity = harness.makeIdentity({
      phoneProofs: wordsOf(harness.clock, (token) => numbers[token]),
    });
    for (const token of ["forged", "of another number"]) {
      expect(refusalOf(await by(identity, token)), token).toBe("code_wrong");
    }
    const { id } = taken(await by(identity, "genuine"));
    expect((await rowOf(id)).mobile_verified_at).not.toBeNull();
  });

  it("[A2.4-02] exists only if the brand offers it, and alone if the brand offers nothing else", async () => {
    const methods = (username: boolean, mobile: boolean) =>
      makeBrand(harness.db.pool, harness.clock, {
        settings: { registration: { username, mobile } },
      });
    const byNameOnly = await methods(true, false);
    const given = { mobileNum: harness.freshNumber(), verificationCode: "123456" };
    expect(codeOf(await byMobile(given, byNameOnly))).toBe("username required");
    const byMobileOnly = await methods(false, true);
    expect(codeOf(await register(byMobileOnly, {}))).toBe("mobileNum required");
    const neither = await methods(false, false);
    expect(codeOf(await register(neither, {}))).toBe("feature_off");
  });
});

describe("the brand's rules for the form", () => {
  it("[A5-08 A5-10] name every field that breaks them, and make no member", async () => {
    const bad = {
      username: "no spaces!",
      password: "short",
      confirmPassword: "different",
      nickname: "not asked for",
      email: "not an address",
      countryDialingCode: "+63",
      mobileNum: "917123",
    };
    const refused = await harness.identity.registrations.register(perya, bad, DEVICE);
    expect(
      !refused.ok && refused.error.fields?.map(({ field, code }) => `${field} ${code}`),
    ).toEqual([
      "username bad_format",
      "password too_short",
      "nickname not_allowed",
      "email bad_format",
      "confirmPassword mismatch",
      "mobileNum too_short",
    ]);
    expect(await harness.identity.registrations.isFree(perya, bad.username)).toBe(true);
  });

  it.each(Object.keys(FULL).filter((name) => name !== "birthday"))(
    "[A5-09] refuse a value of %s that has a wrong form or is too long",
    async (name) => {
      const bad = await register(curious, { [name]: "\u0007" });
      expect(codeOf(bad)).toBe(`${name} bad_format`);
      const long = await register(curious, { [name]: "9".repeat(300) });
      expect(codeOf(long)).toBe(`${name} too_long`);
    },
  );

  it("[A5-08] judge number and code by their patterns, by name and by mobile alike", async () => {
    const only = { mobileNum: "9\\d{9}", messageCode: "7\\d{5}" } as Record<string, string>;
    const brand = await brandWith((field, name) => {
      const pattern = only[name];
      return pattern === undefined ? field : { ...field, enabled: true, pattern };
    });
    const given = {
      countryDialingCode: "+63",
      mobileNum: "8171234567",
      verificationCode: "123456",
    };
    for (const refused of [await register(brand, given), await byMobile(given, brand)]) {
      expect(
        !refused.ok && refused.error.fields?.map(({ field, code }) => `${field} ${code}`),
      ).toEqual(["mobileNum bad_format", "verificationCode bad_format"]);
    }
  });

  it("[A5-08] accept an empty optional field, and refuse a missing required one", async () => {
    expect(codeOf(await register(curious, { nickname: "", payeeName: "" }))).toBe("ok");
    const strict = await brandWith(
      (field) => ({ ...field, enabled: true, required: true }),
      ["captcha"],
    );
    const refused = await register(strict, {});
    const missing = refused.ok ? [] : refused.error.fields?.map(({ field }) => field);
    expect(new Set(missing)).toEqual(
      new Set([...Object.keys(FULL), "affiliateCode", "recommenderId", "mobileNum"]),
    );
  });

  it("[A5-23] count the minimum age in the calendar days of the brand", async () => {
    // 21:00 UTC on the 5th is already the 6th in Manila.
    harness.clock.set(Date.UTC(2031, 2, 5, 21));
    const born = (birthday: string) => register(perya, { birthday });
    expect(codeOf(await born("2010-03-06"))).toBe("ok");
    const young = await born("2010-03-07");
    expect(young).toMatchObject({
      error: { fields: [{ field: "birthday", code: "too_young", limit: "21" }] },
    });
    expect(codeOf(await born("1899-12-31"))).toBe("birthday bad_format");
    const from18 = { ...perya, settings: { ...perya.settings, minimumAge: 18 } };
    expect(codeOf(await register(from18, { birthday: "2013-03-06" }))).toBe("ok");
    expect(codeOf(await register(from18, { birthday: "2013-03-07" }))).toBe("birthday too_young");
    // A person born on a leap day is of age on the first of March.
    harness.clock.set(Date.UTC(2033, 1, 28, 12));
    expect(codeOf(await born("2012-02-29"))).toBe("birthday too_young");
    harness.clock.set(Date.UTC(2033, 2, 1, 12));
    expect(codeOf(await born("2012-02-29"))).toBe("ok");
  });

  it("take any characters as a password, also a sentence, and never fewer than eight", async () => {
    const choose = (password: string, merchant = perya) =>
      register(merchant, { password, confirmPassword: password });
    for (const good of [
      "dalawang kalabaw sa ilog",
      "ñ🌴🪁🎡🎈🥥🌊🐃",
      `sixty-four signs or more: ${"x".repeat(60)}`,
    ]) {
      expect(codeOf(await choose(good)), good).toBe("ok");
    }
    expect(codeOf(await choose("🪁🎡🎈🥥🌊🐃🌴"))).toBe("password too_short");
    // Except for that, a brand sets its own rules for passwords.
    const strict = await withPassword(".*([A-Za-z].*\\d|\\d.*[A-Za-z]).*");
    expect(codeOf(await choose("onlyletters", strict))).toBe("password bad_format");
    expect(codeOf(await choose("Sampaguita77", strict))).toBe("ok");
    const lax = await withPassword(".{1,128}");
    expect(codeOf(await choose("seven77", lax))).toBe("password too_short");
  });

  it("judge a value at once, even with a pattern that backtracks without end", async () => {
    const pattern = "([A-Za-z0-9]+[._-]?)+@[a-z.]+";
    const brand = await brandWith((field, name) =>
      name === "email" ? { ...field, pattern } : field,
    );
    const judged = (value: string) => harness.identity.registrations.verify(brand, "email", value);
    expect(judged("maria.santos@mail.test")).toEqual([]);
    // With `RegExp` this one takes two minutes, and twice as long for each letter more.
    expect(judged(`${"a".repeat(34)}!`)).toEqual([{ field: "email", code: "bad_format" }]);
  });

  it("take no name by which nobody could log in, whatever the brand's pattern allows", async () => {
    const pattern = "[\\p{L}\\p{M}0-9_ ]{1,16}";
    const wide = await brandWith((field, name) =>
      name === "username" ? { ...field, pattern } : field,
    );
    const odd = [
      "señor_niño",
      "josé",
      "jose\u0301",
      "𝓐𝓑𝓒𝓓",
      "ｊose",
      "ma\u212aria",
      "two words",
      "jo",
    ];
    for (const username of odd) {
      expect(codeOf(await register(wide, { username })), username).toBe("username bad_format");
      expect(harness.identity.registrations.verify(wide, "username", username), username).toEqual([
        { field: "username", code: "bad_format" },
      ]);
    }
    const username = `Maria_${freshName()}`.slice(0, 16);
    expect(codeOf(await register(wide, { username }))).toBe("ok");
  });

  it("refuse a password that everyone tries first, or that contains the name", async () => {
    const choose = (password: string, more = {}) =>
      register(perya, { password, confirmPassword: password, ...more });
    expect(codeOf(await choose("Qwerty123"))).toBe("password too_common");
    expect(codeOf(await choose("xTessie_9", { username: "tessie" }))).toBe("password too_common");
    expect(codeOf(await choose(`I love ${perya.name}`))).toBe("password too_common");
    expect(codeOf(await register(curious, { paymentPassword: "123456" }))).toBe(
      "paymentPassword too_common",
    );
  });

  it("[A5-14] ask for the captcha if the brand wants one", async () => {
    const wary = await brandWith((field, name) =>
      name === "captcha" ? { ...field, enabled: true } : field,
    );
    const username = freshName();
    expect(codeOf(await register(wary, { username }))).toBe("captcha_wrong");
    const { captchaId, captcha } = await harness.readCaptcha(wary);
    expect(codeOf(await register(wary, { username, captchaId, captcha }))).toBe("ok");
    const again = await register(wary, { captchaId, captcha });
    expect(again).toMatchObject({ error: { code: "captcha_wrong", captchaRequired: true } });
  });
});

const passwords = { password: PASSWORD, confirmPassword: PASSWORD };

let addresses = 0;

/** The limits per address have tests of their own. */
function elsewhere() {
  addresses += 1;
  return { ...DEVICE, address: `198.51.${addresses >> 8}.${addresses & 255}` };
}

/** By username, unless the test gives another form. */
function register(merchant: Merchant, more: Partial<Registration>) {
  return harness.identity.registrations.register(
    merchant,
    { username: freshName(), ...passwords, ...more },
    elsewhere(),
  );
}

function byMobile(more: Partial<Registration>, merchant = perya) {
  return harness.identity.registrations.register(
    merchant,
    { countryDialingCode: "+63", ...passwords, ...more },
    elsewhere(),
  );
}

/** The code alone, where `codeOf` would name the field. */
function refusalOf(result: Awaited<ReturnType<typeof byMobile>>): string {
  return result.ok ? "ok" : result.error.code;
}

function codeFor(merchant: Merchant, mobileNum: string): Promise<string> {
  return harness.codeFor(merchant, { asker: { browser: DEVICE.asker }, mobileNum });
}

type Fields = BrandSettingsJson["registerFields"];

/** A brand like the demo's with some registration fields changed. */
async function brandWith(
  change: (field: Fields[string], name: string) => Fields[string],
  except: readonly string[] = [],
): Promise<Merchant> {
  const fields = Object.entries(perya.settings.registerFields).map(([name, field]) => [
    name,
    except.includes(name) ? field : change(field, name),
  ]);
  const settings = { registerFields: Object.fromEntries(fields) };
  return makeBrand(harness.db.pool, harness.clock, { settings });
}

function withPassword(pattern: string): Promise<Merchant> {
  return brandWith((field, name) => (name === "password" ? { ...field, pattern } : field));
}

async function rowOf(id: string) {
  const { rows } = await harness.db.pool.query("SELECT * FROM members WHERE id = $1", [id]);
  return rows[0];
}

function freshName(): string {
  names += 1;
  return `player_${names}`;
}
