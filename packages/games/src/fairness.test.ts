import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CLIENT_SEED, isClientSeed } from "./client-seed.ts";
import { drawStream, isServerSeed, seedHash } from "./fairness.ts";

const serverSeed = "a3".repeat(32);
const seeds = { serverSeed, clientSeed: "mabuhay", nonce: 7 };

const anySeeds = fc.record({
  serverSeed: fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => Buffer.from(bytes).toString("hex")),
  clientSeed: fc.stringMatching(CLIENT_SEED),
  nonce: fc.nat(),
});

describe("draws", () => {
  test("are the published HMAC bytes, four at a time, block after block", () => {
    fc.assert(
      fc.property(anySeeds, (drawn) => {
        const stream = drawStream(drawn);
        for (let cursor = 0; cursor < 3; cursor++) {
          const block = createHmac("sha256", drawn.serverSeed)
            .update(`${drawn.clientSeed}:${drawn.nonce}:${cursor}`)
            .digest();
          for (let i = 0; i < 8; i++) expect(stream.uint32()).toBe(block.readUInt32BE(i * 4));
        }
      }),
      { numRuns: 50 },
    );
  });

  test("keep the known answer of a fixed round", () => {
    const stream = drawStream(seeds);
    expect([stream.uint32(), stream.uint32()]).toEqual([2_416_490_311, 2_386_112_825]);
  });

  test("give the float b0/256 + b1/256² + b2/256³ + b3/256⁴", () => {
    const block = createHmac("sha256", serverSeed).update("mabuhay:7:0").digest();
    const float = [...block.subarray(0, 4)].reduce((sum, b, i) => sum + b / 256 ** (i + 1), 0);
    expect(drawStream(seeds).float()).toBe(float);
  });

  test("differ when a seed or the nonce differs", () => {
    const draws = [
      seeds,
      { ...seeds, nonce: 8 },
      { ...seeds, clientSeed: "mabuhay2" },
      { ...seeds, serverSeed: "a4".repeat(32) },
    ].map((each) => drawStream(each).uint32());
    expect(new Set(draws).size).toBe(4);
  });

  test("below(n) equals the floor(float × n) of published verifiers for powers of two", () => {
    const [ours, published] = [drawStream(seeds), drawStream(seeds)];
    for (let i = 0; i < 200; i++) expect(ours.below(32)).toBe(Math.floor(published.float() * 32));
  });

  test("below(n) stays in range for any n", () => {
    fc.assert(
      fc.property(anySeeds, fc.integer({ min: 1, max: 2 ** 20 }), (drawn, n) => {
        const value = drawStream(drawn).below(n);
        expect(Number.isInteger(value) && value >= 0 && value < n).toBe(true);
      }),
    );
  });

  test("below(n) skips only the draws that would favour a number", () => {
    // With this n nearly one draw in 4,096 is refused, the most in the allowed range.
    const n = 1_047_553;
    const [ours, raw] = [drawStream(seeds), drawStream(seeds)];
    let refused = 0;
    for (let i = 0; i < 40_000; i++) {
      let product = BigInt(raw.uint32()) * BigInt(n);
      while (product % 2n ** 32n < 2n ** 32n % BigInt(n)) {
        product = BigInt(raw.uint32()) * BigInt(n);
        refused += 1;
      }
      if (ours.below(n) !== Number(product >> 32n)) throw new Error(`draw ${i} differs`);
    }
    expect(refused).toBeGreaterThan(0);
  });

  test("below(6) throws a fair die: chi-squared under the 99.9% point", () => {
    const stream = drawStream(seeds);
    const seen = Array.from({ length: 6 }, () => 0);
    const throws = 60_000;
    for (let i = 0; i < throws; i++) {
      const face = stream.below(6);
      seen[face] = (seen[face] ?? 0) + 1;
    }
    const chi = seen.reduce((sum, count) => sum + (count - throws / 6) ** 2 / (throws / 6), 0);
    expect(chi).toBeLessThan(20.52);
  });

  test("shuffle keeps every item, leaves its input unchanged, and reaches every order", () => {
    const items = ["a", undefined, "c"];
    const orders = new Set<string>();
    for (let nonce = 0; nonce < 200; nonce++) {
      const shuffled = drawStream({ ...seeds, nonce }).shuffle(items);
      expect(shuffled).toHaveLength(3);
      expect(new Set(shuffled)).toEqual(new Set(items));
      orders.add(shuffled.map(String).join());
    }
    expect(items).toEqual(["a", undefined, "c"]);
    expect(orders.size).toBe(6);
  });

  test("refuse malformed seeds, nonces and ranges", () => {
    expect(() => drawStream({ ...seeds, serverSeed: "A3".repeat(32) })).toThrow("server seed");
    expect(() => drawStream({ ...seeds, clientSeed: "" })).toThrow("client seed");
    expect(() => drawStream({ ...seeds, nonce: -1 })).toThrow("nonce");
    expect(() => drawStream({ ...seeds, nonce: 0.5 })).toThrow("nonce");
    for (const n of [0, -1, 1.5, 2 ** 20 + 1, Number.NaN]) {
      expect(() => drawStream(seeds).below(n)).toThrow("below");
    }
  });
});

test("the hash shown before a round is SHA-256 of the seed's text", () => {
  const expected = createHash("sha256").update(serverSeed).digest("hex");
  expect(seedHash(serverSeed)).toBe(expected);
});

test("seeds with hidden or non-ASCII characters are refused", () => {
  expect(isClientSeed("kalabaw-77")).toBe(true);
  expect(isClientSeed("x".repeat(65))).toBe(false);
  expect(isClientSeed("may puwang")).toBe(false);
  expect(isClientSeed("kalabaw:77")).toBe(false);
  expect(isClientSeed("ñ")).toBe(false);
  expect(isClientSeed(7)).toBe(false);
  expect(isServerSeed(`${serverSeed}\n`)).toBe(false);
});
