import { present } from "@perya/kernel/assert";
import { DAY_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openCaptchaReader } from "../../../../../../tests/server/captcha-reader.ts";
import { makeBrand } from "../../../../../../tests/server/fixtures.ts";
import { openIdentityHarness } from "../../../../../../tests/server/identity-harness.ts";
import type { Merchant } from "../../brand/brand.ts";
import { createCaptchas, simplePuzzle } from "./captcha.ts";

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;
let perya: Merchant;

beforeAll(async () => {
  harness = await openIdentityHarness("captchas");
  perya = await makeBrand(harness.db.pool, harness.clock);
});

afterAll(() => harness.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a captcha", () => {
  it("is a PNG, whose answer is stored nowhere in the open", async () => {
    const { cap, captchaId: id, captcha: answer } = await harness.readCaptcha(perya);
    expect(Buffer.from(cap, "base64").subarray(1, 4).toString()).toBe("PNG");
    const { rows } = await harness.db.pool.query("SELECT * FROM captchas WHERE id = $1", [id]);
    expect(JSON.stringify(rows)).not.toContain(answer);
    expect(
      await harness.captchas.check(perya.id, "digits", { captchaId: id, captcha: answer }),
    ).toBe(true);
    expect(
      await harness.captchas.check(perya.id, "digits", { captchaId: id, captcha: answer }),
    ).toBe(false);
  });
});

describe("a captcha of one kind", () => {
  it("does not pass for the other kind, and is used up by an answer to the other kind", async () => {
    const reader = openCaptchaReader(harness.db.pool, harness.clock, harness.entropy);
    const digits = async () => harness.readCaptcha(perya);
    const simple = async () => reader.read(perya.id);
    for (const [kind, other, read] of [
      ["digits", "simple", digits],
      ["simple", "digits", simple],
    ] as const) {
      const spent = await read();
      expect(await harness.captchas.check(perya.id, other, spent)).toBe(false);
      expect(await harness.captchas.check(perya.id, kind, spent)).toBe(false);
      expect(await harness.captchas.check(perya.id, kind, await read())).toBe(true);
    }
  });

  it("that a process of an earlier version made passes for either kind", async () => {
    const read = await harness.readCaptcha(perya);
    await harness.db.pool.query("UPDATE captchas SET kind = NULL WHERE id = $1", [read.captchaId]);
    expect(await harness.captchas.check(perya.id, "digits", read)).toBe(true);
  });
});

describe("the simple captcha", () => {
  it("has so many answers that a blind guess is worthless", async () => {
    const given = new Map<string, number>();
    for (let i = 0; i < 20_000; i++) {
      const { answer } = simplePuzzle(harness.entropy.bytes(8));
      given.set(answer, (given.get(answer) ?? 0) + 1);
    }
    expect(Math.max(...given.values())).toBeLessThanOrEqual(10);
  });

  it("[A5-15] shows characters, or an equation whose result is its answer", () => {
    const equations: string[] = [];
    for (let which = 0; which < 256; which++) {
      const { shown, answer } = simplePuzzle(harness.entropy.bytes(8).with(0, which));
      expect(answer).toMatch(/^[A-Z0-9]{1,16}$/);
      const [, more, sign, less] = /^(\d+)([+−])(\d+)=\?$/.exec(shown) ?? [];
      if (sign === undefined) {
        expect(answer).toBe(shown);
        continue;
      }
      equations.push(sign);
      const result = sign === "+" ? Number(more) + Number(less) : Number(more) - Number(less);
      expect(answer).toBe(String(result));
      expect(result).toBeGreaterThanOrEqual(0);
    }
    expect([equations.length, new Set(equations)]).toEqual([128, new Set(["+", "−"])]);
  });

  it("[A5-15] takes 1 to 16 letters or digits in either case, once; other answers use nothing up", async () => {
    const bytes: Uint8Array[] = [];
    const source = {
      bytes: (length: number) => {
        const drawn = harness.entropy.bytes(length);
        // Characters every other time, in turn with equations.
        const made = length === 8 ? drawn.with(0, bytes.length) : drawn;
        if (length === 8) bytes.push(made);
        return made;
      },
    };
    const captchas = createCaptchas(harness.db.pool, harness.clock, source);
    const check = (captchaId: string, captcha: string) =>
      captchas.check(perya.id, "simple", { captchaId, captcha });
    for (let round = 0; round < 4; round++) {
      const { id, cap } = await captchas.make(perya.id, "simple");
      expect(Buffer.from(cap, "base64").subarray(1, 4).toString()).toBe("PNG");
      const { answer } = simplePuzzle(present(bytes.at(-1), "the bytes of the puzzle"));
      for (const odd of ["", "x".repeat(17), "a b", "7+5", "ñ"]) {
        expect(await check(id, odd), odd).toBe(false);
      }
      expect(await check(id, answer.toLowerCase())).toBe(true);
      expect(await check(id, answer)).toBe(false);
    }
    const { id } = await captchas.make(perya.id, "simple");
    expect(await check(id, "WRONG")).toBe(false);
    const { answer } = simplePuzzle(present(bytes.at(-1), "the bytes of the puzzle"));
    expect(await check(id, answer)).toBe(false);
  });
});
