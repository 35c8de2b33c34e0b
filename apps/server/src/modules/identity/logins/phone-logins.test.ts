import { DAY_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf } from "../../../../../../tests/server/answers.ts";
import { whileBroken } from "../../../../../../tests/server/broken-statement.ts";
import { makeBrand, makeMember } from "../../../../../../tests/server/fixtures.ts";
import { entered, openIdentityHarness } from "../../../../../../tests/server/identity-harness.ts";
import { wordsOf } from "../../../../../../tests/server/phone-service.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { Device } from "../sessions/sessions.ts";
import type { LoginForm } from "./logins.ts";

const AT_HOME = {
  address: "203.0.113.7",
  userAgent: "the owner's phone",
  host: "perya.test",
  asker: "a browser at home",
};

const ABROAD = { address: "198.51.100.9", userAgent: "the owner's new phone" };

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;
let perya: Merchant;
let fiesta: Merchant;

beforeAll(async () => {
  harness = await openIdentityHarness("logins");
  perya = await makeBrand(harness.db.pool, harness.clock, {
    settings: { flags: { MOBILEVERCODELOGIN3: true }, agentHosts: ["Agents.Perya.Test"] },
  });
  fiesta = await makeBrand(harness.db.pool, harness.clock, { settings: { flags: {} } });
});

afterAll(() => harness.close());

beforeEach(() => harness.clock.advance(2 * DAY_MS));

describe("a login by mobile number", () => {
  it("[A1-03 A7-40] takes the code that was sent to a verified number, once", async () => {
    const { id, number } = await reachable();
    const code = await codeFor(number);
    const given = entered(await loginByCode(number, code));
    expect(given.member.id).toBe(id);
    expect(await methodOf(given.halves)).toBe("sms");
    expect(codeOf(await loginByCode(number, code, { address: "192.0.2.9", userAgent: "" }))).toBe(
      "code_wrong",
    );
  });

  it.each(["sessions", "known_devices", "login_events"])(
    "leaves the code valid and begins no session if the connection ends at the row of %s",
    async (table) => {
      const { id, number } = await reachable();
      const code = await codeFor(number);
      const enter = () => loginByCode(number, code);
      const sessions = async () =>
        (
          await harness.db.pool.query(
            "SELECT FROM sessions WHERE member_id = $1 AND method = 'sms'",
            [id],
          )
        ).rowCount;
      const broken = { table, does: "INSERT" } as const;
      await expect(whileBroken(harness.db.pool, broken, enter)).rejects.toThrow();
      expect(await sessions()).toBe(0);
      entered(await enter());
      expect(await sessions()).toBe(1);
    },
  );

  it("takes the code in the browser that asked for it, and no other browser uses up its tries", async () => {
    const { id, number } = await reachable();
    const code = await codeFor(number);
    const elsewhere = { ...ABROAD, asker: "a browser of somebody else's" };
    for (let i = 0; i < 3; i++) {
      const captcha = await harness.readCaptcha(perya);
      const form = { type: "sms", countryDialingCode: "+63", username: number } as const;
      const tried = await harness.identity.logins.login(
        perya,
        { ...form, ...captcha, password: code },
        elsewhere,
      );
      expect(codeOf(tried)).toBe("code_wrong");
    }
    const captcha = await harness.readCaptcha(perya);
    const form = { type: "sms", countryDialingCode: "+63", username: number } as const;
    const done = await harness.identity.logins.login(
      perya,
      { ...form, ...captcha, password: code },
      AT_HOME,
    );
    expect(entered(done).member.id).toBe(id);
  });

  it("[A8-07] answers a wrong code as it answers an unknown number", async () => {
    const { number } = await reachable();
    await codeFor(number);
    const wrong = await loginByCode(number, "000000");
    const unknown = await loginByCode(harness.freshNumber(), "000000");
    expect(wrong).toEqual(unknown);
    expect(wrong).toMatchObject({ error: { code: "code_wrong", captchaRequired: true } });
  });

  it("[A2.3-02] exists only while the brand's flag is on", async () => {
    const form = { type: "sms", countryDialingCode: "+63", username: "9171234567" } as const;
    const refused = await harness.identity.logins.login(
      fiesta,
      { ...form, password: "123456" },
      ABROAD,
    );
    expect(codeOf(refused)).toBe("feature_off");
  });

  it("names what its form lacks", async () => {
    const form = { type: "sms", countryDialingCode: "+63", username: "9171234567" } as const;
    const forms: [LoginForm, string][] = [
      [{ type: "sms" }, "countryDialingCode required"],
      [{ type: "sms", countryDialingCode: "+63" }, "username required"],
      [form, "password required"],
      [{ ...form, username: "917123", password: "123456" }, "username too_short"],
      [{ type: "username" }, "username required"],
      [{ type: "username", username: "maria" }, "password required"],
    ];
    for (const [given, fault] of forms) {
      expect(codeOf(await harness.identity.logins.login(perya, given, ABROAD))).toBe(fault);
    }
  });
});

describe("a login by an outside service's token", () => {
  it("[A7-40] is off if no service is configured", async () => {
    const form = { type: "firebase", firebaseIdToken: "a token" } as const;
    expect(codeOf(await harness.identity.logins.login(perya, form, ABROAD))).toBe("feature_off");
  });

  it("[A7-40] logs in the member whose number the service names, whatever the form says", async () => {
    const { id, number } = await reachable();
    const proofs: Record<string, string> = {
      genuine: number,
      "of a stranger": harness.freshNumber(),
    };
    const identity = harness.makeIdentity({
      phoneProofs: wordsOf(harness.clock, (token) => proofs[token]),
    });
    const by = (firebaseIdToken?: string) =>
      identity.logins.login(perya, { type: "firebase", firebaseIdToken }, ABROAD);
    expect(entered(await by("genuine")).member.id).toBe(id);
    expect(codeOf(await by("forged"))).toBe("code_wrong");
    expect(codeOf(await by("of a stranger"))).toBe("user_missing");
    expect(codeOf(await by())).toBe("firebaseIdToken required");
    // If a brand has no log-in by number, a service's token makes none.
    const settings = { flags: { MOBILEVERCODELOGIN3: false } };
    const without = await makeBrand(harness.db.pool, harness.clock, { settings });
    const form = { type: "firebase", firebaseIdToken: "genuine" } as const;
    expect(codeOf(await identity.logins.login(without, form, ABROAD))).toBe("feature_off");
  });
});

function loginByCode(number: string, password: string, device: Device = AT_HOME) {
  const form = {
    type: "sms",
    countryDialingCode: "+63",
    username: `0${number}`,
    password,
  } as const;
  return harness.identity.logins.login(perya, form, device);
}

function codeFor(mobileNum: string): Promise<string> {
  return harness.codeFor(perya, { asker: { browser: AT_HOME.asker }, purpose: "login", mobileNum });
}

async function methodOf(halves: { storage: string; cookie: string }): Promise<string> {
  const session = await harness.identity.sessions.find(perya, halves);
  const { rows } = await harness.db.pool.query("SELECT method FROM sessions WHERE id = $1", [
    session?.ok === true ? session.value.id : null,
  ]);
  return rows[0]?.method;
}

async function reachable() {
  const { memberId: id } = await makeMember({ ...harness, pool: harness.db.pool }, perya);
  const number = harness.freshNumber();
  await harness.db.pool.query(
    `UPDATE members SET dialing_code = '+63', mobile_num = $2, mobile_verified_at = now()
     WHERE id = $1`,
    [id, number],
  );
  return { id, number };
}
