import { createHash, createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { COLOURS, playColorGame } from "./color-game.ts";
import { drawStream, seedHash } from "./fairness.ts";
import { CHAIN_FORM, commitmentText, crashHundredths, isInChain, seedChain } from "./saranggola.ts";
import { CHAIN_VECTOR, PAIR_VECTOR, VERIFY_CODE } from "./verify-us.ts";

const { salt, flights } = CHAIN_VECTOR;
const { serverSeed } = PAIR_VECTOR;

interface TheirCode {
  readonly crash: (seed: string, salt: string) => number;
  readonly isInChain: (seed: string, place: number, chain: object) => boolean;
  readonly isSigned: (chain: object) => boolean;
  readonly floats: (server: string, client: string, nonce: number, cursor: number) => number[];
}

/** The code that the fairness page prints, run in isolation: it can reach nothing of ours. */
const theirs = runInNewContext(`${VERIFY_CODE}; ({ crash, isInChain, isSigned, floats })`, {
  require: createRequire(import.meta.url),
  Buffer,
}) as TheirCode;

test("the test vectors equal the results of the published formulas, written again in this test", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  expect(sha256(flights[0][0])).toBe(CHAIN_VECTOR.firstHash);
  for (const [i, [seed, crash]] of flights.entries()) {
    const next = flights[i + 1];
    if (next !== undefined) expect(sha256(next[0])).toBe(seed);
    const hmac = createHmac("sha256", salt).update(Buffer.from(seed, "hex")).digest("hex");
    const X = 99 / (1 - Number.parseInt(hmac.slice(0, 13), 16) / 2 ** 52);
    expect(Math.max(1, Math.floor(X) / 100).toFixed(2)).toBe(crash);
  }
  expect(sha256(serverSeed)).toBe(PAIR_VECTOR.seedHash);
  for (const { clientSeed, nonce, dice } of PAIR_VECTOR.rounds) {
    const bytes = createHmac("sha256", serverSeed).update(`${clientSeed}:${nonce}:0`).digest();
    const faces = [0, 4, 8].map((at) => Math.floor((bytes.readUInt32BE(at) / 2 ** 32) * 6));
    expect(faces.map((face) => COLOURS[face]).join(" ")).toBe(dice);
  }
});

test("our games give the results of the test vectors", () => {
  for (const [i, [seed, crash]] of flights.entries()) {
    expect((crashHundredths(seed, salt, CHAIN_FORM) / 100).toFixed(2)).toBe(crash);
    expect(isInChain(seed, i, { ...CHAIN_VECTOR, length: flights.length })).toBe(true);
  }
  expect(seedHash(serverSeed)).toBe(PAIR_VECTOR.seedHash);
  for (const { clientSeed, nonce, dice } of PAIR_VECTOR.rounds) {
    const { outcome } = playColorGame(drawStream({ serverSeed, clientSeed, nonce }), { red: 100n });
    expect(outcome.dice.join(" ")).toBe(dice);
  }
});

test("the code on the fairness page gives the test vectors, and the results of our games in 500 flights", () => {
  for (const [i, [seed, crash]] of flights.entries()) {
    expect(theirs.crash(seed, salt).toFixed(2)).toBe(crash);
    expect(theirs.isInChain(seed, i, CHAIN_VECTOR)).toBe(true);
    expect(theirs.isInChain(seed, i + 1, CHAIN_VECTOR)).toBe(false);
  }
  for (const seed of seedChain("d".repeat(64), 500)) {
    expect(theirs.crash(seed, salt)).toBe(crashHundredths(seed, salt, CHAIN_FORM) / 100);
  }
  for (const { clientSeed, nonce } of PAIR_VECTOR.rounds) {
    const stream = drawStream({ serverSeed, clientSeed, nonce });
    const drawn = [0, 1].flatMap((cursor) => theirs.floats(serverSeed, clientSeed, nonce, cursor));
    expect(drawn).toEqual(drawn.map(() => stream.float()));
  }
});

test("the code on the fairness page accepts a chain that we signed and refuses any other", () => {
  const house = generateKeyPairSync("ed25519");
  const fixed = {
    ...{ chainId: "sed_1", form: CHAIN_FORM, firstIndex: 0, firstHash: CHAIN_VECTOR.firstHash },
    ...{ salt, length: 20_000, committedAt: 1_700_000_000_000 },
  };
  const signature = sign(null, Buffer.from(commitmentText(fixed)), house.privateKey);
  const { x } = createPublicKey(house.privateKey).export({ format: "jwk" });
  const chain = { ...fixed, publicKey: x, signature: signature.toString("base64url") };
  expect(theirs.isSigned(chain)).toBe(true);
  expect(theirs.isSigned({ ...chain, salt: "another" })).toBe(false);
  expect(theirs.isSigned({ ...chain, length: 10_000 })).toBe(false);
});

test("docs/fairness.md prints the same code and the same vectors", () => {
  const page = readFileSync(new URL("../../../docs/fairness.md", import.meta.url), "utf8");
  expect(page).toContain(VERIFY_CODE);
  for (const text of [CHAIN_VECTOR.firstHash, salt, serverSeed, PAIR_VECTOR.seedHash]) {
    expect(page).toContain(text);
  }
  for (const [seed, crash] of flights) expect(page).toContain(`| \`${seed}\` | ${crash} |`);
  for (const { clientSeed, nonce, dice } of PAIR_VECTOR.rounds) {
    expect(page).toContain(`| \`${clientSeed}\` | ${nonce} | ${dice} |`);
  }
});
