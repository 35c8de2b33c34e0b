import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFieldPattern } from "./field-pattern.ts";

describe("a brand's pattern for a field", () => {
  it("must match the whole value", () => {
    expect(fits("[a-z]{2,4}", "abc")).toBe(true);
    expect(fits("[a-z]{2,4}", "abcde")).toBe(false);
    expect(fits("[a-z]{2,4}", "abc\n")).toBe(false);
    expect(fits("a|ab", "ab")).toBe(true);
    expect(fits("ab|a", "b")).toBe(false);
    expect(fits("[\\p{L}\\p{M} .'’-]{2,60}", "Señor Niño-Reyes")).toBe(true);
    expect(fits("\\P{L}{2}", "𝓐𝓑")).toBe(false);
    expect(fits("..", "𝓐𝓑")).toBe(true);
  });

  it.each([
    ["([A-Za-z0-9]+[._-]?)+@[a-z.]+", `${"a".repeat(253)}!`],
    ["([a-z0-9]+\\.?)+@[a-z]+\\.com", "a".repeat(254)],
    ["(x+x+)+y", "x".repeat(254)],
    ["((((a*)*)*)*)*b", "a".repeat(254)],
    ["(.*a){20}", "b".repeat(254)],
  ])("is judged at once, even where `RegExp` would run for hours: %s", (pattern, value) => {
    expect(fits(pattern, value)).toBe(false);
  });

  it.each([
    ["a set without its end", "[a-z", /no expression of RE2: .*missing closing \]/],
    ["a group without its end", "(a", /no expression of RE2/],
    ["a look-ahead", "(?=.*\\d).{8,20}", /no expression of RE2: .*\(\?=/],
    ["a look-behind", "(?<!a)b", /no expression of RE2/],
    ["a back-reference", "(.)\\1", /no expression of RE2: .*\\1/],
    ["thousands of steps", "(\\p{L}{0,30}){0,33}", /repeats too much/],
    ["a number of repeats that nobody means", "a{1001}", /no expression of RE2/],
    ["a page of signs", "a".repeat(501), /longer than 500 signs/],
  ])("is refused with an explanation if it has %s", (_what, pattern, words) => {
    const read = readFieldPattern(pattern);
    expect(read).toEqual({ ok: false, error: expect.stringMatching(words) });
  });

  it("matches the same values as `RegExp`, where both read it the same way", () => {
    const part = fc.constantFrom("a", "[ab]", "[^a]", "\\d", "\\w", "ñ", "\\p{L}", "[\\s\\S]");
    const times = fc.constantFrom("", "?", "*", "+", "{2}", "{1,3}", "*?");
    const some = fc.array(fc.tuple(part, times), { minLength: 1, maxLength: 4 });
    const joined = some.map((list) => list.flat().join(""));
    const patterns = fc
      .tuple(joined, joined, times)
      .map(([one, other, again]) => `(${one}|${other})${again}`);
    const value = fc.string({ unit: fc.constantFrom("a", "b", "1", "ñ", "𝓐", "-"), maxLength: 8 });
    fc.assert(
      fc.property(patterns, value, (pattern, text) => {
        expect(fits(pattern, text)).toBe(new RegExp(`^(?:${pattern})$`, "u").test(text));
      }),
      { numRuns: 500 },
    );
  });
});

function fits(pattern: string, value: string): boolean {
  const read = readFieldPattern(pattern);
  if (!read.ok) throw new Error(read.error);
  return read.value(value);
}
