import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { ok, refuse } from "@perya/kernel/result";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, isTaken, taken } from "../../../../../../tests/server/answers.ts";
import { makeBrand, makeMember } from "../../../../../../tests/server/fixtures.ts";
import { openIdentityHarness } from "../../../../../../tests/server/identity-harness.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import type { Merchant } from "../../brand/brand.ts";
import { setPassword } from "../accounts/password-setting.ts";
import { deviceHashOf, KnownDevices } from "../defence/known-devices.ts";
import type { SmsPurpose } from "./sms-codes.store.ts";
import type { Asker, SmsCodeRequest } from "./sms-codes.ts";
import { SMS_RESEND_MS } from "./sms-limits.ts";

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;
let merchant: Merchant;

beforeAll(async () => {
  harness = await openIdentityHarness("sms delivery");
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

describe.each(["login", "reset"] as const)("a code for %s", (purpose) => {
  it("goes to a verified member's number only, with the same answer and limits for any", async () => {
    const [known, unknown, claimed] = [
      harness.freshNumber(),
      harness.freshNumber(),
      harness.freshNumber(),
    ];
    await giveNumber(known, true);
    await giveNumber(claimed, false);
    const answers = [];
    for (const mobileNum of [known, unknown, claimed]) {
      answers.push(await ask({ purpose, mobileNum }));
      expect(codeOf(await ask({ purpose, mobileNum }))).toBe("rate_limited");
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await harness.smsCodes.delivery.settled();
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
    const known = [harness.freshNumber(), harness.freshNumber(), harness.freshNumber()];
    for (const mobileNum of known) await giveNumber(mobileNum, true);
    const [first = "", second = "", third = ""] = known;
    const gotten = async (mobileNum: string) => {
      taken(await ask({ purpose, mobileNum }));
      await harness.smsCodes.delivery.settled();
      return harness.sent.some(({ to }) => to === `+63${mobileNum}`);
    };
    for (let i = 0; i < 5; i++) expect(await gotten(harness.freshNumber())).toBe(false);
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
    expect(await ask({ purpose, mobileNum: harness.freshNumber() })).toEqual(ofMember);
    await harness.smsCodes.delivery.settled();
    expect(harness.sent.some(({ to }) => to === `+63${third}`)).toBe(false);
    expect(codeOf(await ask({ purpose: "verify_mobile" }))).toBe("rate_limited");
  });

  it("reaches its owner's phone however often strangers have requested it", async () => {
    const mobileNum = harness.freshNumber();
    const deviceHash = await knownPhone(await giveNumber(mobileNum, true));
    const before = harness.clock.now();
    for (let asked = 0; asked < 30; asked++) {
      await ask({ purpose, mobileNum, asker: { browser: `stranger ${asked}` } });
      harness.clock.advance(MINUTE_MS);
    }
    const stranger = await harness.smsRequest({ purpose, mobileNum });
    expect(codeOf(await harness.smsCodes.request(merchant, stranger))).toBe("rate_limited");
    // It has five an hour of its own, and no phone of another person has a share in them.
    const theirs = await harness.smsRequest({ purpose, mobileNum, deviceHash });
    expect(codeOf(await harness.smsCodes.request(merchant, theirs))).toBe("ok");
    const other = await harness.smsRequest({
      purpose,
      mobileNum: harness.freshNumber(),
      deviceHash,
    });
    taken(await harness.smsCodes.request(merchant, other));
    expect(codeOf(await ask({ purpose, mobileNum, deviceHash }))).toBe("rate_limited");
    expect(harness.clock.now() - before).toBeLessThan(HOUR_MS);
  });

  it("reaches each phone of its owner's, whatever another of them and all behind its address requested", async () => {
    const mobileNum = harness.freshNumber();
    const memberId = await giveNumber(mobileNum, true);
    const [once, own] = [await knownPhone(memberId), await knownPhone(memberId)];
    const address = "203.0.113.77";
    const from = async (deviceHash: string) => {
      const asked = await harness.smsRequest({ purpose, mobileNum, deviceHash });
      return codeOf(await harness.smsCodes.request(merchant, { ...asked, address }));
    };
    for (let time = 0; time < 5; time++) {
      expect(await from(once)).toBe("ok");
      harness.clock.advance(SMS_RESEND_MS);
    }
    expect(await from(once)).toBe("rate_limited");
    for (let other = 0; other < 40; other++) {
      const asked = await harness.smsRequest({ purpose, mobileNum: harness.freshNumber() });
      await harness.smsCodes.request(merchant, { ...asked, address });
    }
    expect(await from(own)).toBe("ok");
  });

  it("reaches all phones of a member but the three known longest twenty times an hour and a day together, whatever number is theirs", async () => {
    const mobileNum = harness.freshNumber();
    const memberId = await giveNumber(mobileNum, true);
    const longest = await Promise.all(Array.from({ length: 3 }, () => knownPhone(memberId)));
    harness.clock.advance(DAY_MS);
    const phones = await Promise.all(Array.from({ length: 10 }, () => knownPhone(memberId)));
    /** Answers how many of three requests per phone succeed. */
    const oks = async (to: string) => {
      let sent = 0;
      for (let time = 0; time < 3; time++) {
        for (const deviceHash of phones) {
          const asked = await harness.smsRequest({ purpose, mobileNum: to, deviceHash });
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
    const other = harness.freshNumber();
    await harness.db.pool.query("UPDATE members SET mobile_num = $2 WHERE id = $1", [
      memberId,
      other,
    ]);
    expect(await oks(other)).toBe(0);
    harness.clock.advance(DAY_MS);
    expect(await oks(other)).toBe(20);
  });

  it("reaches a phone that knows the new password, whatever all earlier phones requested", async () => {
    const mobileNum = harness.freshNumber();
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
    const mobileNum = harness.freshNumber();
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
    const mobileNum = harness.freshNumber();
    await giveNumber(mobileNum, true);
    const block = mobileNum.slice(0, 7);
    for (let n = 0; n < 200; n++) {
      const other = block + String((Number(mobileNum.slice(7)) + n + 1) % 1_000).padStart(3, "0");
      expect(codeOf(await ask({ purpose, mobileNum: other }))).toBe("ok");
    }
    taken(await ask({ purpose, mobileNum }));
    await harness.smsCodes.delivery.settled();
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
      const mobileNum = harness.freshNumber();
      const deviceHash = await knownPhone(await giveNumber(mobileNum, true));
      const tries: string[] = [];
      harness.pauses();
      const codes = harness.smsCodesOver({
        send: async ({ reference }) => {
          tries.push(reference);
          return tries.length < 3 ? refuse(outage) : ok(undefined);
        },
      });
      const asked = await harness.smsRequest({ purpose, mobileNum, deviceHash });
      taken(await codes.request(merchant, asked));
      await codes.delivery.settled();
      expect(tries).toHaveLength(3);
      // The gateway sends one reference once.
      expect(new Set(tries).size).toBe(1);
      expect(harness.pauses()).toEqual([2_000, 8_000]);
    }
    expect(codeOf(await ask({ purpose: "verify_mobile" }))).toBe("rate_limited");
  });

  it("that did not leave makes nobody's earlier one wrong", async () => {
    const mobileNum = harness.freshNumber();
    await giveNumber(mobileNum, true);
    taken(await ask({ purpose, mobileNum }));
    await harness.smsCodes.delivery.settled();
    const code = harness.codeSentTo(`+63${mobileNum}`);
    harness.clock.advance(SMS_RESEND_MS);
    harness.setOutage("refused");
    taken(await ask({ purpose, mobileNum }));
    await harness.smsCodes.delivery.settled();
    harness.setOutage(null);
    expect(await take({ dialingCode: "+63", mobileNum }, code, purpose)).toBe(true);
  });

  it("is not tried again if it is refused, or if the process ends", async () => {
    const mobileNum = harness.freshNumber();
    await giveNumber(mobileNum, true);
    let tries = 0;
    for (const outage of ["refused", "unavailable"] as const) {
      const codes = harness.smsCodesOver({
        send: async () => {
          tries += 1;
          return refuse(outage);
        },
      });
      taken(await codes.request(merchant, await harness.smsRequest({ purpose, mobileNum })));
      await (outage === "refused" ? codes.delivery.settled() : codes.delivery.close());
      harness.clock.advance(SMS_RESEND_MS);
    }
    expect(tries).toBe(2);
  });

  it("keeps no process from ending if the gateway hangs", async () => {
    const mobileNum = harness.freshNumber();
    await giveNumber(mobileNum, true);
    const answers: (() => void)[] = [];
    const send = async () => {
      await new Promise<void>((answered) => void answers.push(answered));
      return ok(undefined);
    };
    const codes = harness.smsCodesOver({ send }, { farewellMs: 1 });
    taken(await codes.request(merchant, await harness.smsRequest({ purpose, mobileNum })));
    await expect.poll(() => answers.length).toBe(1);
    await codes.delivery.close();
    answers[0]?.();
    await codes.delivery.settled();
  });

  it("answers a gateway's outage as it answers an unknown number", async () => {
    const known = harness.freshNumber();
    await giveNumber(known, true);
    harness.setOutage("unavailable");
    const answers = [
      await ask({ purpose, mobileNum: known }),
      await ask({ purpose, mobileNum: harness.freshNumber() }),
    ];
    expect(answers[0]).toEqual(answers[1]);
    expect(codeOf(await ask({ purpose, mobileNum: known }))).toBe("rate_limited");
  });
});

async function ask(more: Partial<SmsCodeRequest> = {}) {
  return harness.smsCodes.request(merchant, await harness.smsRequest(more));
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
