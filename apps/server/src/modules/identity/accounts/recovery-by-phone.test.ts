import { DAY_MS, HOUR_MS, SECOND_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type AccountHarness,
  ASKER,
  NEW,
  openAccountHarness,
  PASSWORD,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { makeBrand } from "../../../../../../tests/server/fixtures.ts";
import { startPhoneService } from "../../../../../../tests/server/phone-service.ts";
import { createLogger } from "../../../platform/log.ts";
import type { Merchant } from "../../brand/brand.ts";
import { deviceHashOf, KnownDevices } from "../defence/known-devices.ts";
import { createPhoneProofs } from "../factors/phone-proofs.ts";

let harness: AccountHarness;
/** A brand that recovers by phone. */
let phones: Merchant;

beforeAll(async () => {
  harness = await openAccountHarness("recovery by phone");
  phones = await makeBrand(harness.db.pool, harness.clock, { settings: { recoveryByPhone: true } });
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a forgotten password, by phone", () => {
  it("[A2.5-05] is set by a code to the account's own number, and all sessions end", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    const { halves } = await harness.logIn(account);
    const code = await harness.resetCode(phones, mobile);
    taken(await harness.setByPhone(phones, [account.username.toUpperCase(), mobile, code]));
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    expect(await harness.isOpen(account, halves)).toBe(false);
    expect(
      codeOf(await harness.setByPhone(phones, [account.username, mobile, code], "Sampaguita78")),
    ).toBe("code_wrong");
  });

  it("[A2.5-04 A5-01] takes every name that a log-in takes, also old ones that the brand no longer allows, and no other", async () => {
    const { account } = await harness.withMobile(phones);
    for (const name of [account.username, "nobody_at_all", "jun", "seventeen_letters", "a@b.ph"]) {
      expect(codeOf(harness.byPhone.acceptName(phones, name)), name).toBe("ok");
    }
    for (const name of ["no spaces!", "ab", "x".repeat(33)]) {
      expect(codeOf(harness.byPhone.acceptName(phones, name)), name).toBe("username bad_format");
    }
    expect(codeOf(harness.byPhone.acceptName(harness.perya, account.username))).toBe("feature_off");
    const given = ["maria", "9171234567", "123456"] as const;
    expect(codeOf(await harness.setByPhone(harness.perya, given))).toBe("feature_off");
  });

  it("takes no code of another number, and gives the same answer for an unknown name", async () => {
    const mine = await harness.withMobile(phones);
    const theirs = await harness.withMobile(phones);
    for (const username of [theirs.account.username, "nobody_at_all"]) {
      const code = await harness.resetCode(phones, mine.mobile);
      harness.passwords.work = 0;
      expect(codeOf(await harness.setByPhone(phones, [username, mine.mobile, code]))).toBe(
        "code_wrong",
      );
      expect(harness.passwords.work).toBe(1);
      harness.clock.advance(HOUR_MS);
    }
    const right = await harness.resetCode(phones, mine.mobile);
    const wrong = right === "000000" ? "111111" : "000000";
    harness.passwords.work = 0;
    expect(
      codeOf(await harness.setByPhone(phones, [mine.account.username, mine.mobile, wrong])),
    ).toBe("code_wrong");
    expect(harness.passwords.work).toBe(1);
    expect(await harness.passwordOf(mine.account, PASSWORD)).toBe(true);
    expect(await harness.passwordOf(theirs.account, PASSWORD)).toBe(true);
  });

  it("[A2.5-08] is followed by a log-in without a captcha, though log-ins failed before it, here or on a known phone", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    const form = { type: "username", username: account.username } as const;
    const login = (password: string, token?: string) =>
      harness.logins.login(
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
        ...{ mobileNum: mobile, verificationCode: await harness.resetCode(phones, mobile) },
      };
      const by = { language: "EN", asker: ASKER, deviceHash: deviceHashOf(token) };
      // A caller who proves nothing must still answer the captcha.
      const wrong = given.verificationCode === "000000" ? "111111" : "000000";
      const refused = { ...given, verificationCode: wrong };
      expect(codeOf(await harness.byPhone.setByPhone(phones, refused, by))).toBe("code_wrong");
      expect(codeOf(await login(PASSWORD, token))).toBe("captcha_wrong");
      taken(await harness.byPhone.setByPhone(phones, given, by));
      expect(codeOf(await login(newPassword, token))).toBe("ok");
      harness.clock.advance(HOUR_MS);
    }
  });

  it("takes no number that the account has not verified", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    const code = await harness.resetCode(phones, mobile);
    await harness.db.pool.query("UPDATE members SET mobile_verified_at = NULL WHERE id = $1", [
      account.id,
    ]);
    expect(codeOf(await harness.setByPhone(phones, [account.username, mobile, code]))).toBe(
      "code_wrong",
    );
  });

  it("takes the code in the browser that asked for it, and no other browser uses up its tries", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    const code = await harness.resetCode(phones, mobile);
    const given = {
      ...{ username: account.username, newPassword: NEW, countryDialingCode: "+63" },
      mobileNum: mobile,
    };
    for (const browser of [undefined, "another browser"]) {
      for (let i = 0; i < 6; i++) {
        const by = { language: "EN", asker: { browser } };
        const tried = await harness.byPhone.setByPhone(
          phones,
          { ...given, verificationCode: code },
          by,
        );
        expect(codeOf(tried)).toBe("code_wrong");
      }
    }
    taken(await harness.setByPhone(phones, [account.username, mobile, code]));
  });

  it("[A2.5-10] leaves the code valid after the old password, an answer that a wrong code does not get", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    const code = await harness.resetCode(phones, mobile);
    const wrong = code === "000000" ? "111111" : "000000";
    expect(
      codeOf(await harness.setByPhone(phones, [account.username, mobile, wrong], PASSWORD)),
    ).toBe("code_wrong");
    expect(
      codeOf(await harness.setByPhone(phones, [account.username, mobile, code], PASSWORD)),
    ).toBe("modify.new.old.same");
    taken(await harness.setByPhone(phones, [account.username, mobile, code]));
  });

  it("names the wrong fields before it looks at a code", async () => {
    const bad = await harness.byPhone.setByPhone(
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
    const { account, mobile } = await harness.withMobile(phones);
    const { mobile: other } = await harness.withMobile(phones);
    const given = {
      username: account.username,
      newPassword: NEW,
      countryDialingCode: "+63",
      mobileNum: mobile,
    };
    const byProof = (
      firebaseIdToken: string,
      { byPhone }: Pick<AccountHarness, "byPhone"> = harness,
    ) =>
      byPhone.setByPhone(phones, { ...given, firebaseIdToken }, { language: "EN", asker: ASKER });
    expect(codeOf(await byProof("a forged token"))).toBe("code_wrong");
    expect(codeOf(await byProof(other))).toBe("code_wrong");
    expect(codeOf(await byProof(mobile, harness.partsWith({ phoneProofs: null })))).toBe(
      "feature_off",
    );
    expect(codeOf(await byProof(""))).toBe("verificationCode required");
    taken(await byProof(mobile));
    expect(await harness.passwordOf(account, NEW)).toBe(true);
  });

  it("[A7-40] counts each proof of the outside service once, and answers a repetition as done", async () => {
    const { account, mobile } = await harness.withMobile(phones);
    harness.clock.advance(SECOND_MS - (harness.clock.now() % SECOND_MS));
    const service = await startPhoneService(harness.clock);
    const { db, clock } = harness;
    const log = createLogger({ level: "silent" });
    const phoneProofs = createPhoneProofs({ pool: db.pool, clock, log, service: service.config });
    const recovery = harness.partsWith({ phoneProofs });
    const firebaseIdToken = await service.token(`+63${mobile}`);
    const set = (newPassword: string, username = account.username) =>
      recovery.byPhone.setByPhone(
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
    const { account: other } = await harness.withMobile(phones);
    const next = await service.token(`+63${mobile}`);
    const given = { newPassword: `${NEW}2`, countryDialingCode: "+63", mobileNum: mobile };
    for (const username of [other.username, account.username]) {
      const asked = { ...given, username, firebaseIdToken: next };
      const answer = await recovery.byPhone.setByPhone(phones, asked, {
        language: "EN",
        asker: ASKER,
      });
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
    taken(await recovery.byPhone.setByPhone(phones, asked, { language: "EN", asker: ASKER }));
    await service.close();
  });
});
