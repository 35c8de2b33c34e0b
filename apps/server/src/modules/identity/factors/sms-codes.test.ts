import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, isTaken, taken } from "../../../../../../tests/server/answers.ts";
import { makeBrand, makeMember } from "../../../../../../tests/server/fixtures.ts";
import { openIdentityHarness } from "../../../../../../tests/server/identity-harness.ts";
import type { Merchant } from "../../brand/brand.ts";
import { deviceHashOf, KnownDevices } from "../defence/known-devices.ts";
import { type SmsPurpose, sweepCodes } from "./sms-codes.store.ts";
import type { Asker, SmsCodeRequest } from "./sms-codes.ts";
import { SMS_RESEND_MS } from "./sms-limits.ts";

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;
let merchant: Merchant;

beforeAll(async () => {
  harness = await openIdentityHarness("sms codes");
});

beforeEach(async () => {
  harness.clock.advance(DAY_MS);
  harness.setOutage(null);
  merchant = await makeBrand(harness.db.pool, harness.clock, {
    settings: {
      registration: { username: true, mobile: true },
      recoveryByPhone: true,
      flags: { MOBILEVERCODELOGIN3: true },
    },
  });
});

afterAll(() => harness.close());

describe("a code by SMS", () => {
  it("[A7-40] is six digits to the number, in the player's language, under the brand's name", async () => {
    const number = harness.freshNumber();
    await ask({ mobileNum: number, language: "TY" });
    expect(harness.sent.at(-1)).toMatchObject({ to: `+63${number}` });
    expect(harness.sent.at(-1)?.text).toMatch(/^Perya: \d{6} ang code mo\..*Huwag itong ibibigay/);
    await ask({ mobileNum: harness.freshNumber(), language: "EN" });
    expect(harness.sent.at(-1)?.text).toMatch(/^Perya: your code is \d{6}\..*Never share/);
    for (const { text } of harness.sent) expect(text.length).toBeLessThanOrEqual(160);
  });

  it("[A2.3-11] can be requested again after sixty seconds, and the answer says so", async () => {
    const mobileNum = harness.freshNumber();
    const { expirationTime } = taken(await ask({ mobileNum }));
    expect(expirationTime).toBe(harness.clock.now() + 60 * SECOND_MS);
    harness.clock.set(expirationTime - 1);
    const early = await ask({ mobileNum });
    expect(early).toMatchObject({ error: { code: "rate_limited", retryAt: expirationTime } });
    harness.clock.set(expirationTime);
    expect(codeOf(await ask({ mobileNum }))).toBe("ok");
  });

  it("is taken once, also if it is tried twice at the same moment", async () => {
    const number = await sentNumber();
    const code = harness.codeSentTo(`+63${number.mobileNum}`);
    const both = await Promise.all([take(number, code), take(number, code)]);
    expect(both.sort()).toEqual([false, true]);
    expect(await take(number, code)).toBe(false);
  });

  it("is used up by five wrong tries", async () => {
    const number = await sentNumber();
    const code = harness.codeSentTo(`+63${number.mobileNum}`);
    for (let i = 0; i < 5; i++) expect(await take(number, wrong(code))).toBe(false);
    expect(await take(number, code)).toBe(false);
  });

  it("stays valid if it was right and its purpose was not done, and is still taken only once", async () => {
    const number = await sentNumber();
    const code = harness.codeSentTo(`+63${number.mobileNum}`);
    const given = { code, asker: { browser: "a browser" } };
    const judge = () => harness.smsCodes.judge(merchant, "register", number, given);
    const judged = [];
    for (let i = 0; i < 6; i++) judged.push(await judge());
    expect(judged).not.toContain(null);
    const uses = await Promise.all(judged.map((use) => use?.(harness.db.pool)));
    expect(uses.filter((used) => used)).toHaveLength(1);
    expect(await judge()).toBeNull();
  });

  it("is the asker's own: a person who only knows the number uses up none of its tries", async () => {
    const mobileNum = harness.freshNumber();
    const number = { dialingCode: "+63", mobileNum };
    const owner = { browser: "the owner's" };
    const member = { sessionId: "ses_of_somebody", memberId: "mem_of_somebody" };
    taken(await ask({ mobileNum, asker: owner }));
    const code = harness.codeSentTo(`+63${mobileNum}`);
    for (const asker of [{ browser: "another" }, { browser: undefined }, member]) {
      for (let i = 0; i < 6; i++) {
        expect(await take(number, wrong(code), "register", asker)).toBe(false);
      }
      expect(await take(number, code, "register", asker)).toBe(false);
    }
    // A code requested elsewhere replaces none.
    harness.clock.advance(SMS_RESEND_MS);
    taken(await ask({ mobileNum, asker: { browser: "another" } }));
    expect(await take(number, code, "register", owner)).toBe(true);
  });

  it("is valid for ten minutes", async () => {
    const number = await sentNumber();
    const code = harness.codeSentTo(`+63${number.mobileNum}`);
    harness.clock.advance(10 * MINUTE_MS);
    expect(await take(number, code)).toBe(false);
    const later = await sentNumber();
    const fresh = harness.codeSentTo(`+63${later.mobileNum}`);
    harness.clock.advance(10 * MINUTE_MS - 1);
    expect(await take(later, fresh)).toBe(true);
  });

  it("replaces the earlier one, which is no longer valid", async () => {
    const number = await sentNumber();
    const first = harness.codeSentTo(`+63${number.mobileNum}`);
    harness.clock.advance(SMS_RESEND_MS);
    await ask({ mobileNum: number.mobileNum });
    const second = harness.codeSentTo(`+63${number.mobileNum}`);
    expect(second).not.toBe(first);
    expect(await take(number, first)).toBe(false);
    expect(await take(number, second)).toBe(true);
  });

  it("is valid for its purpose, its number and its brand only", async () => {
    const number = await sentNumber();
    const code = harness.codeSentTo(`+63${number.mobileNum}`);
    const other = await makeBrand(harness.db.pool, harness.clock);
    expect(await take(number, code, "reset")).toBe(false);
    expect(await take({ ...number, mobileNum: harness.freshNumber() }, code)).toBe(false);
    const given = { code, asker: { browser: "a browser" } };
    expect(await harness.smsCodes.judge(other, "register", number, given)).toBeNull();
    expect(await take(number, code)).toBe(true);
  });

  it("is stored in the database as a hash that the six digits alone do not give", async () => {
    const number = await sentNumber();
    const code = harness.codeSentTo(`+63${number.mobileNum}`);
    const { rows } = await harness.db.pool.query("SELECT * FROM sms_codes WHERE mobile_num = $1", [
      number.mobileNum,
    ]);
    expect(JSON.stringify(rows)).not.toContain(code);
    expect(rows[0].code_hash).toHaveLength(32);
  });

  it("is deleted by the sweep when it is over", async () => {
    await sentNumber();
    harness.clock.advance(10 * MINUTE_MS);
    await sweepCodes(harness.db.pool, harness.clock.now());
    const { rows } = await harness.db.pool.query("SELECT count(*)::int AS left FROM sms_codes");
    expect(rows).toEqual([{ left: 0 }]);
  });
});

describe("a request for a code", () => {
  it("[A7-41] costs a human check, which is taken once", async () => {
    const humanCheck = await harness.solvedCheck();
    expect(codeOf(await ask({ humanCheck }))).toBe("ok");
    expect(codeOf(await ask({ humanCheck }))).toBe("human_check_failed");
    expect(codeOf(await ask({ humanCheck: "bm90aGluZw==" }))).toBe("human_check_failed");
  });

  it("[A5-21] with a number that its country does not have is refused before anything is used up", async () => {
    const humanCheck = await harness.solvedCheck();
    const before = harness.sent.length;
    const short = await ask({ humanCheck, mobileNum: "917123456" });
    expect(short).toMatchObject({
      error: { fields: [{ field: "mobileNum", code: "too_short", limit: "10" }] },
    });
    expect(codeOf(await ask({ humanCheck, countryDialingCode: "+999" }))).toBe(
      "countryDialingCode not_allowed",
    );
    expect(harness.sent).toHaveLength(before);
    expect(codeOf(await ask({ humanCheck }))).toBe("ok");
  });

  it("counts a number as one, with its trunk zero and without", async () => {
    const number = harness.freshNumber();
    expect(codeOf(await ask({ mobileNum: number }))).toBe("ok");
    expect(codeOf(await ask({ mobileNum: `0${number}` }))).toBe("rate_limited");
  });

  it("succeeds five times an hour and ten times a day for one number", async () => {
    const mobileNum = harness.freshNumber();
    const began = harness.clock.now();
    const outcomes: string[] = [];
    for (let minute = 0; minute < 180; minute += 2) {
      harness.clock.set(began + minute * MINUTE_MS);
      outcomes.push(codeOf(await ask({ mobileNum })));
    }
    expect(outcomes.filter((code) => code === "ok")).toHaveLength(10);
    expect(outcomes.slice(0, 6)).toEqual(["ok", "ok", "ok", "ok", "ok", "rate_limited"]);
    harness.clock.set(began + DAY_MS);
    expect(codeOf(await ask({ mobileNum }))).toBe("ok");
  });

  it("succeeds sixty times an hour for the numbers of one block", async () => {
    const outcomes: string[] = [];
    for (let i = 0; i < 61; i++) {
      outcomes.push(codeOf(await ask({ mobileNum: `9181234${String(i).padStart(3, "0")}` })));
    }
    expect(outcomes.indexOf("rate_limited")).toBe(60);
    expect(codeOf(await ask({ mobileNum: "9181235000" }))).toBe("ok");
  });

  it("succeeds twenty times an hour from one address, and ten from one device", async () => {
    const from = async (more: Partial<SmsCodeRequest>, times: number) => {
      const outcomes: string[] = [];
      for (let i = 0; i < times; i++) outcomes.push(codeOf(await ask(more)));
      return outcomes.indexOf("rate_limited");
    };
    expect(await from({ address: "192.0.2.1" }, 21)).toBe(20);
    expect(await from({ deviceHash: "a phone" }, 11)).toBe(10);
    harness.clock.advance(HOUR_MS);
    expect(codeOf(await ask({ address: "192.0.2.1", deviceHash: "a phone" }))).toBe("ok");
  });

  it("succeeds for an IPv6 /48 as often as for sixteen addresses, however many of its blocks ask", async () => {
    const outcomes: string[] = [];
    for (let i = 0; i < 330; i++) {
      const address = `2001:db8:5:${(i % 30).toString(16)}::1`;
      outcomes.push(codeOf(await ask({ address })));
    }
    expect(outcomes.indexOf("rate_limited")).toBe(320);
    expect(codeOf(await ask({ address: "2001:db8:6::1" }))).toBe("ok");
  });

  it("by a stranger is refused for the day at half of the brand's own limit, for any number, and owners still get theirs", async () => {
    merchant = await makeBrand(harness.db.pool, harness.clock, {
      settings: {
        registration: { username: true, mobile: true },
        flags: { MOBILEVERCODELOGIN3: true },
        smsDailyMax: 6,
      },
    });
    const began = harness.clock.now();
    const owners = [
      harness.freshNumber(),
      harness.freshNumber(),
      harness.freshNumber(),
      harness.freshNumber(),
      harness.freshNumber(),
    ];
    const phones = [];
    for (const mobileNum of owners)
      phones.push(await knownPhone(await giveNumber(mobileNum, true)));
    const gotten = async (mobileNum: string, deviceHash: string | null) => {
      const before = harness.sent.length;
      taken(await ask({ purpose: "login", mobileNum, deviceHash }));
      await harness.smsCodes.delivery.settled();
      return harness.sent.length > before;
    };
    expect(codeOf(await ask())).toBe("ok");
    const [one = "", two = "", ...others] = owners;
    expect(await gotten(one, null)).toBe(true);
    expect(await gotten(two, null)).toBe(true);
    for (const mobileNum of others) expect(await gotten(mobileNum, null)).toBe(false);
    expect(codeOf(await ask())).toBe("rate_limited");
    const theirs = [];
    for (const [i, mobileNum] of owners.entries()) {
      theirs.push(await gotten(mobileNum, phones[i] ?? null));
    }
    expect(theirs).toEqual([true, true, true, false, false]);
    harness.clock.set(began + DAY_MS);
    expect(codeOf(await ask())).toBe("ok");
  });

  it("by a stranger is refused at half of each of the brand's days, whenever the first one came", async () => {
    merchant = await makeBrand(harness.db.pool, harness.clock, {
      settings: { registration: { username: true, mobile: true }, smsDailyMax: 8 },
    });
    const strangers = async () => {
      let sent = 0;
      for (let asked = 0; asked < 8; asked++) if ((await ask()).ok) sent += 1;
      return sent;
    };
    // In the middle of a day, and in the morning and the middle of the next.
    const untilNoon = (1.5 * DAY_MS - (harness.clock.now() % DAY_MS)) % DAY_MS;
    harness.clock.advance(untilNoon);
    expect(await strangers()).toBe(4);
    harness.clock.advance(DAY_MS / 2 + HOUR_MS);
    expect(await strangers()).toBe(4);
    harness.clock.advance(DAY_MS / 2);
    expect(await strangers()).toBe(0);
  });

  it("is counted exactly if many come at once", async () => {
    const mobileNum = harness.freshNumber();
    const before = harness.sent.length;
    const asked = await Promise.all(Array.from({ length: 12 }, () => ask({ mobileNum })));
    expect(asked.filter(({ ok }) => ok)).toHaveLength(1);
    expect(harness.sent).toHaveLength(before + 1);
  });

  it("whose code could not be sent says so, counts nothing against the number and keeps its old code", async () => {
    const number = await sentNumber();
    const code = harness.codeSentTo(`+63${number.mobileNum}`);
    harness.clock.advance(SMS_RESEND_MS);
    for (const outage of ["unavailable", "refused"] as const) {
      harness.setOutage(outage);
      for (let i = 0; i < 12; i++) {
        const asked = await ask({ mobileNum: number.mobileNum });
        expect(codeOf(asked)).toBe("message_unavailable");
      }
    }
    harness.setOutage(null);
    expect(await take(number, code)).toBe(true);
    expect(codeOf(await ask({ mobileNum: number.mobileNum }))).toBe("ok");
  });

  it("whose answer was lost has a valid code and is counted, since its SMS may be on its way", async () => {
    const number = await sentNumber();
    const earlier = harness.codeSentTo(`+63${number.mobileNum}`);
    harness.clock.advance(SMS_RESEND_MS);
    harness.setOutage("unknown");
    taken(await ask({ mobileNum: number.mobileNum }));
    expect(codeOf(await ask({ mobileNum: number.mobileNum }))).toBe("rate_limited");
    harness.setOutage(null);
    expect(await take(number, earlier)).toBe(false);
    expect(await take(number, harness.codeSentTo(`+63${number.mobileNum}`))).toBe(true);
  });

  it("whose code left a process that died before the answer has a valid code", async () => {
    const mobileNum = harness.freshNumber();
    const before = harness.sent.length;
    const dying = harness.smsCodesOver({
      send: (message) => {
        harness.sent.push(message);
        return new Promise(() => undefined);
      },
    });
    void dying.request(merchant, await harness.smsRequest({ mobileNum }));
    await expect.poll(() => harness.sent.length).toBe(before + 1);
    const code = harness.codeSentTo(`+63${mobileNum}`);
    expect(await take({ dialingCode: "+63", mobileNum }, code)).toBe(true);
  });

  it("is refused if the brand has no use for a code, and if no gateway is configured", async () => {
    merchant = await makeBrand(harness.db.pool, harness.clock, {
      settings: { registration: { username: true, mobile: false }, flags: {} },
    });
    for (const purpose of ["register", "login", "reset"] as const) {
      expect(codeOf(await ask({ purpose }))).toBe("feature_off");
    }
    expect(codeOf(await ask({ purpose: "verify_mobile" }))).toBe("ok");
    const muted = await harness.mutedSmsCodes.request(merchant, await harness.smsRequest({}));
    expect(codeOf(muted)).toBe("feature_off");
  });
});

async function ask(more: Partial<SmsCodeRequest> = {}) {
  return harness.smsCodes.request(merchant, await harness.smsRequest(more));
}

async function sentNumber() {
  const mobileNum = harness.freshNumber();
  taken(await ask({ mobileNum }));
  return { dialingCode: "+63", mobileNum };
}

function take(
  number: { dialingCode: string; mobileNum: string },
  code: string,
  purpose: SmsPurpose = "register",
  asker: Asker = { browser: "a browser" },
) {
  return isTaken(
    harness.db.pool,
    harness.smsCodes.judge(merchant, purpose, number, { code, asker }),
  );
}

async function giveNumber(mobileNum: string, verified: boolean): Promise<string> {
  const { memberId } = await makeMember({ ...harness, pool: harness.db.pool }, merchant);
  await harness.db.pool.query(
    `UPDATE members SET dialing_code = '+63', mobile_num = $2,
       mobile_verified_at = to_timestamp($3 / 1000.0) WHERE id = $1`,
    [memberId, mobileNum, verified ? harness.clock.now() : null],
  );
  return memberId;
}

/** The hash of a device from which the member has logged in, as the calls name it. */
async function knownPhone(memberId: string): Promise<string> {
  const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
  const token = await devices.tokenOf(undefined);
  await devices.note(memberId, token);
  return present(deviceHashOf(token), "a device").toString("base64url");
}

function wrong(code: string): string {
  return code === "000000" ? "000001" : "000000";
}
