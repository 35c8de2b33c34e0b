import { describe, expect, it } from "vitest";
import { systemEntropy } from "./entropy.ts";

describe("chance", () => {
  it("never hands the same bytes out twice, across pages and of any length", () => {
    const seen = new Set<string>();
    const lengths = [16, 32, 9, 4_095, 4_096, 5_000];
    for (let i = 0; i < 3_000; i++) {
      const length = lengths[i % (i % 100 === 0 ? lengths.length : 3)] ?? 16;
      const bytes = systemEntropy.bytes(length);
      expect(bytes).toHaveLength(length);
      // The first nine bytes tell any two draws apart: a repeat by chance is one in 10^15.
      seen.add(Buffer.from(bytes.subarray(0, 9)).toString("hex"));
    }
    expect(seen.size).toBe(3_000);
  });

  it("protects what it handed out from later draws", () => {
    const first = systemEntropy.bytes(32);
    const copy = Buffer.from(first);
    for (let i = 0; i < 1_000; i++) systemEntropy.bytes(32).fill(0);
    expect(Buffer.from(first).equals(copy)).toBe(true);
  });

  it("shows every byte about as often, within six errors", () => {
    const counts = new Array<number>(256).fill(0);
    const draws = 256 * 400;
    for (let i = 0; i < draws / 16; i++) {
      for (const byte of systemEntropy.bytes(16)) counts[byte] = (counts[byte] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 400)).toBeLessThan(6 * Math.sqrt(400));
  });
});
