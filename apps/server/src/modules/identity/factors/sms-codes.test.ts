import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { ok, refuse } from "@perya/kernel/result";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, isTaken, taken } from "../../../../../../tests/server/answers.ts";
import { makeBrand, makeMember } from "../../../../../../tests/server/fixtures.ts";
import { openIdentityHarness } from "../../../../../../tests/server/identity-harness.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import type { Merchant } from "../../brand/brand.ts";
import { deviceHashOf, KnownDevices } from "../defence/known-devices.ts";
import { setPassword } from "../members/account.store.ts";
import type { SmsPurpose } from "./sms-codes.store.ts";
import { type Asker, SMS_RESEND_MS, type SmsCodeRequest } from "./sms-codes.ts";

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;
let merchant: Merchant;
let numbers = 0;
let addresses = 0;

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
    const number = freshNumber();
    await ask({ mobileNum: number, language: "TY" });
    expect(harness.sent.at(-1)).toMatchObject({ to: `+63${number}` });
    expect(harness.sent.at(-1)?.text).toMatch(/^Perya: \d{6} ang code mo\..*Huwag itong ibibigay/);
    await ask({ mobileNum: freshNumber(), language: "EN" });
    expect(harness.sent.at(-1)?.text).toMatch(/^Perya: your code is \d{6}\..*Never share/);
    for (const { text } of harness.sent) expect(text.length).toBeLessThanOrEqual(160);
  });

  it("[A2.3-11] can be requested again after sixty seconds, and the answer says so", async () => {
    const mobileNum = freshNumber();
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
    const mobileNum = freshNumber();
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
    expect(await take({ ...number, mobileNum: freshNumber() }, code)).toBe(false);
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
    await harness.smsCodes.sweep();
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
    const number = freshNumber();
    expect(codeOf(await ask({ mobileNum: number }))).toBe("ok");
    expect(codeOf(await ask({ mobileNum: `0${number}` }))).toBe("rate_limited");
  });

  it("succeeds five times an hour and ten times a day for one number", async () => {
    const mobileNum = freshNumber();
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
    const owners = [freshNumber(), freshNumber(), freshNumber(), freshNumber(), freshNumber()];
    const phones = [];
    for (const mobileNum of owners)
      phones.push(await knownPhone(await giveNumber(mobileNum, true)));
    const gotten = async (mobileNum: string, deviceHash: string | null) => {
      const before = harness.sent.length;
      taken(await ask({ purpose: "login", mobileNum, deviceHash }));
      await harness.smsCodes.settled();
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
    const mobileNum = freshNumber();
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
    const mobileNum = freshNumber();
    const before = harness.sent.length;
    const dying = harness.smsCodesOver({
      send: (message) => {
        harness.sent.push(message);
        return new Promise(() => undefined);
      },
    });
    void dying.request(merchant, await asking({ mobileNum }));
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
    const muted = await harness.mutedSmsCodes.request(merchant, await asking({}));
    expect(codeOf(muted)).toBe("feature_off");
  });
});

describe.each(["login", "reset"] as const)("a code for %s", (purpose) => {
  it("goes to a verified member's number only, with the same answer and limits for any", async () => {
    const [known, unknown, claimed] = [freshNumber(), freshNumber(), freshNumber()];
    await giveNumber(known, true);
    await giveNumber(claimed, false);
    const answers = [];
    for (const mobileNum of [known, unknown, claimed]) {
      answers.push(await ask({ purpose, mobileNum }));
      expect(codeOf(await ask({ purpose, mobileNum }))).toBe("rate_limited");
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await harness.smsCodes.settled();
    const numbersSent = harness.sent.map(({ to }) => to);
    expect(numbersSent).toContain(`+63${known}`);
    expect(numbersSent).not.toContain(`+63${unknown}`);
    expect(numbersSent).not.toContain(`+63${claimed}`);
  });

  it("counts against the brand's day when its SMS leaves: a request without an SMS uses nothing up", async () => {
    merchant = await makeBrand(harness.db.pool, harness.clock, {
      settings: {
        recoveryByPhone: true,
        flags: { MOBILEVERCODELOGIN3: true },
        smsDailyMax: 4,
      },
    });
    const known = [freshNumber(), freshNumber(), freshNumber()];
    for (const mobileNum of known) await giveNumber(mobileNum, true);
    const [first = "", second = "", third = ""] = known;
    const gotten = async (mobileNum: string) => {
      taken(await ask({ purpose, mobileNum }));
      await harness.smsCodes.settled();
      return harness.sent.some(({ to }) => to === `+63${mobileNum}`);
    };
    for (let i = 0; i < 5; i++) expect(await gotten(freshNumber())).toBe(false);
    for (const outage of ["unavailable", "refused"] as const) {
      harness.setOutage(outage);
      expect(await gotten(first)).toBe(false);
      harness.clock.advance(SMS_RESEND_MS);
    }
    harness.setOutage(null);
    expect(await gotten(first)).toBe(true);
    expect(await gotten(second)).toBe(true);
    // Used up: the answer stays the same, or it would tell who has a number; nothing leaves.
    const ofMember = await ask({ purpose, mobileNum: third });
    expect(codeOf(ofMember)).toBe("ok");
    expect(await ask({ purpose, mobileNum: freshNumber() })).toEqual(ofMember);
    await harness.smsCodes.settled();
    expect(harness.sent.some(({ to }) => to === `+63${third}`)).toBe(false);
    expect(codeOf(await ask({ purpose: "verify_mobile" }))).toBe("rate_limited");
  });

  it("reaches its owner's phone however often strangers have requested it", async () => {
    const mobileNum = freshNumber();
    const deviceHash = await knownPhone(await giveNumber(mobileNum, true));
    const before = harness.clock.now();
    for (let asked = 0; asked < 30; asked++) {
      await ask({ purpose, mobileNum, asker: { browser: `stranger ${asked}` } });
      harness.clock.advance(MINUTE_MS);
    }
    const stranger = await asking({ purpose, mobileNum });
    expect(codeOf(await harness.smsCodes.request(merchant, stranger))).toBe("rate_limited");
    // It has five an hour of its own, and no phone of another person has a share in them.
    const theirs = await asking({ purpose, mobileNum, deviceHash });
    expect(codeOf(await harness.smsCodes.request(merchant, theirs))).toBe("ok");
    const other = await asking({ purpose, mobileNum: freshNumber(), deviceHash });
    taken(await harness.smsCodes.request(merchant, other));
    expect(codeOf(await ask({ purpose, mobileNum, deviceHash }))).toBe("rate_limited");
    expect(harness.clock.now() - before).toBeLessThan(HOUR_MS);
  });

  it("reaches each phone of its owner's, whatever another of them and all behind its address requested", async () => {
    const mobileNum = freshNumber();
    const memberId = await giveNumber(mobileNum, true);
    const [once, own] = [await knownPhone(memberId), await knownPhone(memberId)];
    const address = "203.0.113.77";
    const from = async (deviceHash: string) => {
      const asked = await asking({ purpose, mobileNum, deviceHash });
      return codeOf(await harness.smsCodes.request(merchant, { ...asked, address }));
    };
    for (let time = 0; time < 5; time++) {
      expect(await from(once)).toBe("ok");
      harness.clock.advance(SMS_RESEND_MS);
    }
    expect(await from(once)).toBe("rate_limited");
    for (let other = 0; other < 40; other++) {
      const asked = await asking({ purpose, mobileNum: freshNumber() });
      await harness.smsCodes.request(merchant, { ...asked, address });
    }
    expect(await from(own)).toBe("ok");
  });

  it("reaches all phones of a member but the three known longest twenty times an hour and a day together, whatever number is theirs", async () => {
    const mobileNum = freshNumber();
    const memberId = await giveNumber(mobileNum, true);
    const longest = await Promise.all(Array.from({ length: 3 }, () => knownPhone(memberId)));
    harness.clock.advance(DAY_MS);
    const phones = await Promise.all(Array.from({ length: 10 }, () => knownPhone(memberId)));
    /** Answers how many of three requests per phone succeed. */
    const oks = async (to: string) => {
      let sent = 0;
      for (let time = 0; time < 3; time++) {
        for (const deviceHash of phones) {
          const asked = await asking({ purpose, mobileNum: to, deviceHash });
          if ((await harness.smsCodes.request(merchant, asked)).ok) sent += 1;
        }
        harness.clock.advance(SMS_RESEND_MS);
      }
      return sent;
    };
    expect(await oks(mobileNum)).toBe(20);
    harness.clock.advance(2 * HOUR_MS);
    expect(await oks(mobileNum)).toBe(0);
    for (const deviceHash of longest) {
      expect(codeOf(await ask({ purpose, mobileNum, deviceHash }))).toBe("ok");
    }
    const other = freshNumber();
    await harness.db.pool.query("UPDATE members SET mobile_num = $2 WHERE id = $1", [
      memberId,
      other,
    ]);
    expect(await oks(other)).toBe(0);
    harness.clock.advance(DAY_MS);
    expect(await oks(other)).toBe(20);
  });

  it("reaches a phone that knows the new password, whatever all earlier phones requested", async () => {
    const mobileNum = freshNumber();
    const memberId = await giveNumber(mobileNum, true);
    const from = async (deviceHash: string) =>
      codeOf(await ask({ purpose, mobileNum, deviceHash }));
    const former = await Promise.all(Array.from({ length: 20 }, () => knownPhone(memberId)));
    harness.clock.advance(1_000);
    const next = { memberId, passwordHash: "another", except: null };
    await withTransaction(harness.db.pool, (client) =>
      setPassword(client, next, harness.clock.now()),
    );
    // As many as all of them together may.
    for (const phone of former) expect(await from(phone)).toBe("ok");
    expect(await from(await knownPhone(memberId))).toBe("ok");
  });

  it("reaches an earlier phone, whatever newer ones requested and whichever password they set", async () => {
    const mobileNum = freshNumber();
    const memberId = await giveNumber(mobileNum, true);
    const own = await knownPhone(memberId);
    harness.clock.advance(DAY_MS);
    const from = async (deviceHash: string) =>
      codeOf(await ask({ purpose, mobileNum, deviceHash }));
    const newer = await Promise.all(Array.from({ length: 10 }, () => knownPhone(memberId)));
    const next = { memberId, passwordHash: "a thief's", except: null };
    await withTransaction(harness.db.pool, (client) =>
      setPassword(client, next, harness.clock.now() + 1),
    );
    harness.clock.advance(SMS_RESEND_MS);
    for (const phone of [...newer, ...newer]) {
      expect(await from(phone)).toBe("ok");
      harness.clock.advance(SMS_RESEND_MS / 10);
    }
    expect(await from(newer[0] ?? "")).toBe("rate_limited");
    expect(await from(own)).toBe("ok");
  });

  it("arrives even if hundreds were requested to unknown numbers of the same block", async () => {
    const mobileNum = freshNumber();
    await giveNumber(mobileNum, true);
    const block = mobileNum.slice(0, 7);
    for (let n = 0; n < 200; n++) {
      const other = block + String((Number(mobileNum.slice(7)) + n + 1) % 1_000).padStart(3, "0");
      expect(codeOf(await ask({ purpose, mobileNum: other }))).toBe("ok");
    }
    taken(await ask({ purpose, mobileNum }));
    await harness.smsCodes.settled();
    expect(harness.sent.some(({ to }) => to === `+63${mobileNum}`)).toBe(true);
  });

  it("is tried again if the gateway is away for a moment, and counted once", async () => {
    merchant = await makeBrand(harness.db.pool, harness.clock, {
      settings: {
        recoveryByPhone: true,
        flags: { MOBILEVERCODELOGIN3: true },
        smsDailyMax: 2,
      },
    });
    for (const outage of ["unavailable", "unknown"] as const) {
      const mobileNum = freshNumber();
      const deviceHash = await knownPhone(await giveNumber(mobileNum, true));
      const tries: string[] = [];
      harness.pauses();
      const codes = harness.smsCodesOver({
        send: async ({ reference }) => {
          tries.push(reference);
          return tries.length < 3 ? refuse(outage) : ok(undefined);
        },
      });
      const asked = await asking({ purpose, mobileNum, deviceHash });
      taken(await codes.request(merchant, asked));
      await codes.settled();
      expect(tries).toHaveLength(3);
      // The gateway sends one reference once.
      expect(new Set(tries).size).toBe(1);
      expect(harness.pauses()).toEqual([2_000, 8_000]);
    }
    expect(codeOf(await ask({ purpose: "verify_mobile" }))).toBe("rate_limited");
  });

  it("that did not leave makes nobody's earlier one wrong", async () => {
    const mobileNum = freshNumber();
    await giveNumber(mobileNum, true);
    taken(await ask({ purpose, mobileNum }));
    await harness.smsCodes.settled();
    const code = harness.codeSentTo(`+63${mobileNum}`);
    harness.clock.advance(SMS_RESEND_MS);
    harness.setOutage("refused");
    taken(await ask({ purpose, mobileNum }));
    await harness.smsCodes.settled();
    harness.setOutage(null);
    expect(await take({ dialingCode: "+63", mobileNum }, code, purpose)).toBe(true);
  });

  it("is not tried again if it is refused, or if the process ends", async () => {
    const mobileNum = freshNumber();
    await giveNumber(mobileNum, true);
    let tries = 0;
    for (const outage of ["refused", "unavailable"] as const) {
      const codes = harness.smsCodesOver({
        send: async () => {
          tries += 1;
          return refuse(outage);
        },
      });
      taken(await codes.request(merchant, await asking({ purpose, mobileNum })));
      await (outage === "refused" ? codes.settled() : codes.close());
      harness.clock.advance(SMS_RESEND_MS);
    }
    expect(tries).toBe(2);
  });

  it("keeps no process from ending if the gateway hangs", async () => {
    const mobileNum = freshNumber();
    await giveNumber(mobileNum, true);
    const answers: (() => void)[] = [];
    const send = async () => {
      await new Promise<void>((answered) => void answers.push(answered));
      return ok(undefined);
    };
    const codes = harness.smsCodesOver({ send }, { farewellMs: 1 });
    taken(await codes.request(merchant, await asking({ purpose, mobileNum })));
    await expect.poll(() => answers.length).toBe(1);
    await codes.close();
    answers[0]?.();
    await codes.settled();
  });

  it("answers a gateway's outage as it answers an unknown number", async () => {
    const known = freshNumber();
    await giveNumber(known, true);
    harness.setOutage("unavailable");
    const answers = [
      await ask({ purpose, mobileNum: known }),
      await ask({ purpose, mobileNum: freshNumber() }),
    ];
    expect(answers[0]).toEqual(answers[1]);
    expect(codeOf(await ask({ purpose, mobileNum: known }))).toBe("rate_limited");
  });
});

/** Each from an address of its own, unless the test says otherwise. */
async function asking(more: Partial<SmsCodeRequest>): Promise<SmsCodeRequest> {
  addresses += 1;
  return {
    asker: { browser: "a browser" },
    purpose: "register",
    countryDialingCode: "+63",
    mobileNum: more.mobileNum ?? freshNumber(),
    humanCheck: more.humanCheck ?? (await harness.solvedCheck()),
    address: `address ${addresses}`,
    deviceHash: null,
    language: "EN",
    ...more,
  };
}

async function ask(more: Partial<SmsCodeRequest> = {}) {
  return harness.smsCodes.request(merchant, await asking(more));
}

async function sentNumber() {
  const mobileNum = freshNumber();
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
       mobile_verified_at = CASE WHEN $3 THEN now() END WHERE id = $1`,
    [memberId, mobileNum, verified],
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

/** Numbers far enough apart to share no block. */
function freshNumber(): string {
  numbers += 1;
  return `917${String(numbers * 1_009).padStart(7, "0")}`;
}
