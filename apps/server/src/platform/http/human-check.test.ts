import type { Instant } from "@perya/kernel/instant";
import { createChallenge, solveChallenge } from "altcha-lib/v1";
import { describe, expect, it } from "vitest";
import { type Challenge, createHumanCheck } from "./human-check.ts";

const KEY = "key-of-the-human-check-in-tests";
const LITTLE_WORK = 50;
/** Not the machine's time: only the injected clock decides. */
const START = Date.parse("2020-01-01T00:00:00.700Z");
const LIFE_MS = 5 * 60_000;

function humanCheck(key = KEY) {
  const clock = { at: START, now: () => clock.at };
  const taken = new Map<string, Instant>();
  const used = {
    take: async (nonce: string, until: Instant) => {
      if (taken.has(nonce)) return false;
      taken.set(nonce, until);
      return true;
    },
  };
  const check = createHumanCheck({ key, clock, used, maxNumber: LITTLE_WORK });
  return { ...check, clock, taken };
}

/** What the browser sends: the challenge with its number, as ALTCHA's widget makes it. */
async function solve(given: Challenge) {
  const { algorithm, challenge, salt, signature, maxnumber } = given;
  const solution = await solveChallenge(challenge, salt, algorithm, maxnumber).promise;
  if (solution === null) throw new Error("the challenge has no solution");
  return { algorithm, challenge, number: solution.number, salt, signature, took: solution.took };
}

const encode = (solved: unknown) => Buffer.from(JSON.stringify(solved)).toString("base64");

describe("the human check", () => {
  it("asks for SHA-256 work up to its number, and no two challenges are alike", async () => {
    const { challenge } = humanCheck();
    const first = await challenge();
    expect(first).toMatchObject({ algorithm: "SHA-256", maxnumber: LITTLE_WORK });
    expect(first.salt).toMatch(/^[0-9a-f]{24}\?expires=1577837100&$/);
    expect((await challenge()).challenge).not.toBe(first.challenge);
  });

  it("takes a solution once, however often and fast it comes", async () => {
    const { challenge, verify } = humanCheck();
    const payload = encode(await solve(await challenge()));
    const answers = await Promise.all([verify(payload), verify(payload), verify(payload)]);
    expect(answers.filter((passed) => passed)).toHaveLength(1);
    expect(await verify(payload)).toBe(false);
  });

  it("takes the next challenge's solution too", async () => {
    const { challenge, verify } = humanCheck();
    for (let round = 0; round < 2; round++) {
      expect(await verify(encode(await solve(await challenge())))).toBe(true);
    }
  });

  it("takes one solution once in all its spellings", async () => {
    const { challenge, verify } = humanCheck();
    const solved = await solve(await challenge());
    expect(await verify(encode(solved))).toBe(true);
    for (const other of [
      { ...solved, salt: solved.salt.slice(0, -1) },
      { ...solved, took: 1 },
      Object.fromEntries(Object.entries(solved).reverse()),
    ]) {
      expect(await verify(encode(other))).toBe(false);
    }
    expect(await verify(`${encode(solved)}====`)).toBe(false);
  });

  it("stores what was used until it could no longer be used", async () => {
    const { challenge, verify, taken } = humanCheck();
    await verify(encode(await solve(await challenge())));
    expect([...taken.values()]).toEqual([Math.floor((START + LIFE_MS) / 1_000) * 1_000]);
  });

  it("takes no altered solution, and stores no trace of it", async () => {
    const { challenge, verify, taken } = humanCheck();
    const [mine, other] = [await solve(await challenge()), await solve(await challenge())];
    const altered = [
      { ...mine, number: mine.number + 1 },
      { ...mine, number: -mine.number },
      { ...mine, number: String(mine.number) },
      { ...mine, salt: mine.salt.replace("expires=1577837100", "expires=1977837100") },
      { ...mine, salt: `${mine.salt}expires=1977837100&` },
      { ...mine, salt: mine.salt.replace(/\?.*/, "") },
      { ...mine, salt: [mine.salt] },
      { ...mine, challenge: other.challenge },
      { ...mine, signature: other.signature },
      { ...mine, challenge: other.challenge, signature: other.signature },
      { ...mine, signature: mine.signature.toUpperCase() },
      { ...mine, algorithm: "SHA-512" },
      { ...mine, algorithm: "sha-256" },
    ];
    for (const one of altered) expect(await verify(encode(one)), JSON.stringify(one)).toBe(false);
    expect(taken.size).toBe(0);
    expect(await verify(encode(mine))).toBe(true);
  });

  it("takes no digits of the number for a part of the salt", async () => {
    const { verify } = humanCheck();
    // A salt without an end: "…=1577837100" + 23 is "…=15778371002" + 3 if nothing separates them.
    const salt = "00".repeat(12);
    const expires = new Date(START + LIFE_MS);
    const made = await createChallenge({ hmacKey: KEY, salt, expires, number: 23 });
    const { algorithm, challenge, signature } = made;
    const spliced = `${made.salt.slice(0, -1)}2`;
    expect(
      await verify(encode({ algorithm, challenge, signature, salt: spliced, number: 3 })),
    ).toBe(false);
  });

  it("takes no solution after the challenge's life, by the injected clock", async () => {
    const { challenge, verify, clock, taken } = humanCheck();
    const [early, late] = [await solve(await challenge()), await solve(await challenge())];
    const expiry = Math.floor((START + LIFE_MS) / 1_000) * 1_000;
    clock.at = expiry - 1;
    expect(await verify(encode(early))).toBe(true);
    clock.at = expiry;
    expect(await verify(encode(late))).toBe(false);
    expect(taken.size).toBe(1);
  });

  it("takes no challenge that never expires, though it is signed with the key", async () => {
    const { verify } = humanCheck();
    const made = await createChallenge({ hmacKey: KEY, number: 7 });
    expect(await verify(encode({ ...made, number: 7 }))).toBe(false);
  });

  it("takes no challenge of another key", async () => {
    const { verify } = humanCheck();
    const stranger = humanCheck("another-key-of-the-human-check");
    const payload = encode(await solve(await stranger.challenge()));
    expect(await verify(payload)).toBe(false);
    expect(await stranger.verify(payload)).toBe(true);
  });

  it("takes no garbage", async () => {
    const { challenge, verify } = humanCheck();
    const solved = await solve(await challenge());
    const garbage = [
      "",
      "%%%",
      "bm90IGpzb24=",
      JSON.stringify(solved),
      ...[null, [], 7, "text", {}, { ...solved, salt: undefined }].map(encode),
      encode({ ...solved, padding: "x".repeat(2_000) }),
    ];
    for (const payload of garbage) expect(await verify(payload), payload).toBe(false);
  });
});
