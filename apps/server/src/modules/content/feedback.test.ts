import { FEEDBACK_TYPES, feedbackCalls } from "@perya/contract/feedback";
import { refusal } from "@perya/contract/refusal";
import { mintId } from "@perya/kernel/ids";
import { MINUTE_MS } from "@perya/kernel/instant";
import { beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCaptchaReader, type ReadCaptcha } from "../../../../../tests/server/captcha-reader.ts";
import {
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { type Feedback, FeedbackInbox } from "./feedback.ts";

const clock = manualClock();
const random = seededEntropy("feedback");

const db = await databaseOfFile();
const ledger = ledgerOfFile(db);
const reader = openCaptchaReader(db.pool, clock, random);
const inbox = new FeedbackInbox(db.pool, clock, reader.captchas);
const perya = await makeBrand(db.pool, clock);
const other = await makeBrand(db.pool, clock);
const deps = { pool: db.pool, ledger, clock };
const maria = await makeMember(deps, perya);
const bea = await makeMember(deps, perya);

beforeEach(async () => {
  clock.advance(MINUTE_MS);
  await db.pool.query("DELETE FROM feedback");
});

describe("feedback", () => {
  it("[A5-15 A7-36] is taken for the characters of its picture and for the result of its equation", async () => {
    const kinds = new Set<string>();
    for (const type of Object.values(FEEDBACK_TYPES)) {
      const read = await reader.read(perya.id);
      kinds.add(read.shown.endsWith("=?") ? "equation" : "signs");
      const given = messageOver(read, { type });
      expect(taken(await inbox.send(maria, given))).toEqual({ id: given.id, sentAt: clock.now() });
    }
    expect(kinds).toEqual(new Set(["equation", "signs"]));
    expect((await stored()).map(({ type }) => type).sort()).toEqual([0, 1, 2, 3, 4, 6]);
  });

  it("is stored under the brand and the name of the session that sent it", async () => {
    const given = await message({ content: "Ang bilis ng withdrawal, salamat po!" });
    taken(await inbox.send(maria, { ...given, sender: "somebody_else" } as Feedback));
    expect(await stored()).toEqual([
      {
        merchant_id: perya.id,
        member_id: maria.memberId,
        id: given.id,
        sender: maria.username,
        type: 3,
        content: "Ang bilis ng withdrawal, salamat po!",
        language: "TY",
        sent_at: new Date(clock.now()),
      },
    ]);
  });

  it("needs a picture of its own brand, read rightly, and each is tried once", async () => {
    const right = await message({});
    const misread = { ...right, captcha: "WRONG" };
    expect(codeOf(await inbox.send(maria, misread))).toBe("captcha_wrong");
    expect(codeOf(await inbox.send(maria, right))).toBe("captcha_wrong");
    const foreign = await message({}, other);
    expect(codeOf(await inbox.send(maria, foreign))).toBe("captcha_wrong");
    const old = await message({});
    clock.advance(6 * MINUTE_MS);
    expect(codeOf(await inbox.send(maria, old))).toBe("captcha_wrong");
    expect(await stored()).toEqual([]);
    const again = { ...(await message({})), id: misread.id };
    expect(codeOf(await inbox.send(maria, again))).toBe("ok");
  });

  it("that arrives twice is one message, and is answered as the first time", async () => {
    const given = await message({});
    const [first, second] = await Promise.all([inbox.send(maria, given), inbox.send(maria, given)]);
    clock.advance(MINUTE_MS);
    const third = await inbox.send(maria, given);
    expect(taken(second)).toEqual(taken(first));
    expect(taken(third)).toEqual(taken(first));
    expect(await stored()).toHaveLength(1);
  });

  it("is refused if its sender may write no more today, while a repeat is answered and no picture used up", async () => {
    const given = await message({});
    const first = taken(await inbox.send(maria, given));
    const full = refusal("rate_limited", { retryAt: clock.now() + MINUTE_MS });
    const another = await message({});
    expect(await inbox.send(maria, another, full)).toEqual({ ok: false, error: full });
    expect(taken(await inbox.send(maria, given, full))).toEqual(first);
    expect(await stored()).toHaveLength(1);
    expect(codeOf(await inbox.send(maria, another))).toBe("ok");
  });

  it("with other words under a known id is refused; another sender's id is their own", async () => {
    const given = await message({});
    taken(await inbox.send(maria, given));
    for (const change of [{ content: "Something else altogether" }, { type: 1 }]) {
      const changed = { ...(await message(change)), id: given.id };
      expect(codeOf(await inbox.send(maria, changed))).toBe("id_reused");
    }
    const hers = { ...(await message({})), id: given.id };
    expect(codeOf(await inbox.send(bea, hers))).toBe("ok");
    expect(await stored()).toHaveLength(2);
  });

  it("[A2.11-05] has a code for each subject that it may have", () => {
    expect(FEEDBACK_TYPES).toEqual({
      deposit: 1,
      withdrawal: 2,
      game: 3,
      customerService: 4,
      agentApplication: 6,
      other: 0,
    });
  });

  it.each([
    [{ content: "x".repeat(9) }, "too_small"],
    [{ content: "x".repeat(201) }, "too_big"],
    [{ content: "👍".repeat(9) }, "too_small"],
    [{ content: "👍".repeat(201) }, "too_big"],
    [{ content: " ".repeat(20) }, "invalid_format"],
    [{ type: 5 }, "invalid_value"],
    [{ type: "1" }, "invalid_value"],
    [{ type: undefined }, "invalid_value"],
    [{ captcha: "" }, "invalid_format"],
    [{ captcha: "x".repeat(17) }, "invalid_format"],
    [{ captcha: "7+5" }, "invalid_format"],
    [{ captchaId: undefined }, "invalid_type"],
  ])("[A2.11-04 A5-20] of %j is refused", async (change, code) => {
    const { language: _, ...body } = await message({});
    const schema = feedbackCalls["PUT /api/v1/feedback"].body;
    const [issue] = schema.safeParse({ ...body, ...change }).error?.issues ?? [];
    expect([issue?.path, issue?.code]).toEqual([[Object.keys(change)[0]], code]);
  });

  it.each(["x".repeat(10), "x".repeat(200), "👍".repeat(10), "👍".repeat(200)])(
    "[A2.11-04] of 10 to 200 characters is stored, each character counted once: %s",
    async (content) => {
      const { language, ...body } = await message({ content });
      const parsed = feedbackCalls["PUT /api/v1/feedback"].body.parse({ ...body, sender: "maria" });
      taken(await inbox.send(maria, { ...parsed, language }));
      expect((await stored())[0]?.content).toBe(content);
    },
  );
});

/** A message with the right answer to a new picture. */
async function message(change: Partial<Feedback>, brand = perya): Promise<Feedback> {
  return messageOver(await reader.read(brand.id), change);
}

function messageOver(read: ReadCaptcha, change: Partial<Feedback>): Feedback {
  return {
    id: mintId("feedback", clock.now(), random.bytes(16)),
    type: FEEDBACK_TYPES.game,
    content: "The kite flies well today",
    language: "TY",
    captchaId: read.captchaId,
    captcha: read.captcha,
    ...change,
  };
}

async function stored() {
  const { rows } = await db.pool.query("SELECT * FROM feedback ORDER BY sent_at, id");
  return rows;
}
