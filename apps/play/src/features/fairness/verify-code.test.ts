import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";
import { crashHundredths } from "@perya/games/saranggola";
import { CHAIN_VECTOR } from "@perya/games/verify-us";
import { describe, expect, it } from "vitest";
import { verifyCodeOf } from "./verify-code.ts";

describe("the code that is shown for a flight", () => {
  it("computes the crash by the form of the flight's chain", () => {
    const { salt, flights } = CHAIN_VECTOR;
    for (const form of [1, 2] as const) {
      const context = { require: createRequire(import.meta.url), Buffer };
      const crash = runInNewContext(`${verifyCodeOf(form)}; crash`, context);
      for (const [seed] of flights) {
        expect(Math.round(crash(seed, salt) * 100)).toBe(crashHundredths(seed, salt, form));
      }
    }
  });
});
