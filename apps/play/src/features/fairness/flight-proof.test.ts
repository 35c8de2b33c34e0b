import { generateKeyPairSync, sign } from "node:crypto";
import type { FlightChain } from "@perya/contract/saranggola";
import { seedHash } from "@perya/games/fairness";
import {
  CHAIN_FORM,
  type ChainForm,
  commitmentText,
  crashHundredths,
  seedChain,
} from "@perya/games/saranggola";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ShownFlight } from "../../parts/proofs/flight-chain.ts";
import { type Flight, type FlightEvidence, proveFlight } from "./flight-proof.ts";

const COMMITTED_AT = 1_700_000_000_000;
const TOOK_OFF_AT = COMMITTED_AT + 60_000;
const CHANGES = [{ chainId: "sed_other" }, { chainIndex: 3 }, { seedHash: "0" }, { salt: "x" }];
const house = generateKeyPairSync("ed25519");
const seeds = seedChain("a".repeat(64), 12);
const chain = published({ salt: "of-the-fair" });
const NOTHING: FlightEvidence = { shown: null, kept: null, published: null, firstKey: null };
const SHOWN: FlightEvidence = {
  ...{ shown: whileItWaited(), kept: chain, published: chain },
  firstKey: chain.publicKey,
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the proof of a flight", () => {
  it("holds for what the phone was shown before, and says so", async () => {
    expect(await judged(flight(), SHOWN)).toEqual(["before", []]);
    // What this phone keeps of the flight is enough, whatever else is kept or published.
    const { shown } = SHOWN;
    expect(await judged(flight(), { ...NOTHING, shown })).toEqual(["before", []]);
  });

  it("is refuted for another salt than that of the shown chain, even if reply and list agree on it", async () => {
    // Among a few dozen salts one crashes the seed at 1.00×.
    const salts = Array.from({ length: 2_000 }, (_, n) => `salt-${n}`);
    const seed = seeds[4] ?? "";
    const salt = present(
      salts.find((one) => crashHundredths(seed, one, 2) === 100) ?? null,
      "one of many salts",
    );
    const swapped = published({ salt });
    const forged = { ...flight(), crashedAt: 100 };
    const said = await judged({ ...forged, salt }, { ...SHOWN, published: swapped });
    expect(said).toEqual(["before", ["published", "salt", "crash"]]);
    expect(await judged(forged, SHOWN)).toEqual(["before", ["crash"]]);
    // It does not help if the phone no longer keeps the chain, or first saw the other one.
    for (const kept of [null, swapped]) {
      const evidence = { ...SHOWN, kept, published: swapped };
      expect(await judged(forged, evidence)).toEqual(["before", ["flight", "crash"]]);
    }
  });

  it("claims no more than a correct calculation for a flight that the phone was not shown while it waited", async () => {
    for (const startedAt of [TOOK_OFF_AT, COMMITTED_AT + 1e12]) {
      for (const kept of [chain, null]) {
        const evidence = { ...SHOWN, shown: null, kept };
        expect(await judged({ ...flight(), startedAt }, evidence)).toEqual(["later", []]);
      }
    }
    expect(await judged({ ...flight(), salt: "of-the-fair" }, NOTHING)).toMatchObject(["old", {}]);
  });

  it("is refuted for another chain, place, hash or salt than the flight was shown with", async () => {
    for (const change of CHANGES) {
      const shown = { ...whileItWaited(), ...change };
      const [ground, wrong] = await judged(flight(), { ...SHOWN, shown });
      expect([ground, wrong]).toEqual(["before", expect.arrayContaining(["flight"])]);
    }
    const skipped = { ...flight(5), chainIndex: 4 };
    expect(await judged(skipped, SHOWN)).toEqual(["before", ["flight", "chain"]]);
    expect(await judged(skipped, { ...SHOWN, shown: null })).toEqual(["later", ["chain"]]);
  });

  it("is refuted for a chain that is unsigned or signed by another key", async () => {
    const unsigned = { ...chain, signature: published({ salt: "x" }).signature };
    expect(await judged(flight(), { ...SHOWN, kept: unsigned, published: unsigned })).toEqual([
      "before",
      ["signature"],
    ]);
    expect(await judged(flight(), { ...SHOWN, firstKey: "another" })).toEqual([
      "before",
      ["signature"],
    ]);
  });

  it("is refuted for an invalid signature or key", async () => {
    for (const signature of ["", "?", "a".repeat(3), "é", chain.signature.slice(1)]) {
      const forged = { ...chain, signature };
      const evidence = { ...SHOWN, kept: forged, published: forged };
      expect(await judged(flight(), evidence)).toEqual(["before", ["signature"]]);
    }
    for (const publicKey of ["", "?", "a".repeat(43)]) {
      const forged = { ...chain, publicKey };
      const evidence = { ...SHOWN, kept: forged, published: forged, firstKey: publicKey };
      expect(await judged(flight(), evidence)).toEqual(["before", ["signature"]]);
    }
  });

  it("omits the signature where the browser does not know the algorithm, and holds without it", async () => {
    vi.spyOn(crypto.subtle, "importKey").mockRejectedValue(
      new DOMException("Unrecognized name", "NotSupportedError"),
    );
    const unsigned = { ...chain, signature: "" };
    expect(await judged(flight(), { ...SHOWN, kept: unsigned, published: unsigned })).toEqual([
      "before",
      [],
    ]);
  });

  it("names the form by which the flight was recomputed", async () => {
    const form = async (claim: Flight, evidence: FlightEvidence) =>
      (await proveFlight(claim, null, evidence)).fixed.form;
    const old = published({ salt: "of-the-fair", form: 1 });
    expect(await form(flight(), SHOWN)).toBe(2);
    expect(await form(flight(), { ...NOTHING, published: old })).toBe(1);
    expect(await form(flight(), { ...NOTHING, shown: { ...whileItWaited(), form: 1 } })).toBe(1);
    expect(await form({ ...flight(1), salt: chain.salt }, { ...SHOWN, shown: null })).toBe(1);
  });

  it("rests on the flight's own answer alone where it flew before its chain was published, and says so", async () => {
    const crashedAt = crashHundredths(seeds[1] ?? "", chain.salt, 1);
    const old = { ...flight(1), crashedAt, salt: chain.salt };
    const evidence = { ...SHOWN, shown: null };
    expect(await judged(old, evidence)).toEqual(["old", []]);
    expect(await judged({ ...old, crashedAt: crashedAt + 1 }, evidence)).toEqual([
      "old",
      ["crash"],
    ]);
  });
});

/** The ground of the proof, and the steps that do not hold. */
async function judged(claim: Flight, evidence: FlightEvidence) {
  const { ground, steps } = await proveFlight(claim, null, evidence);
  return [ground, steps.filter((step) => !step.holds).map(({ name }) => name)];
}

function whileItWaited(): ShownFlight {
  return { ...chain, chainIndex: 4, seedHash: seedHash(seeds[4] ?? "") };
}

function published({ salt, form = CHAIN_FORM }: { salt: string; form?: ChainForm }): FlightChain {
  const fixed = {
    ...{ chainId: "sed_1", form, firstIndex: 2, firstHash: seedHash(seeds[2] ?? "") },
    ...{ salt, length: seeds.length, committedAt: COMMITTED_AT },
  };
  const signature = sign(null, Buffer.from(commitmentText(fixed)), house.privateKey);
  const { x = "" } = house.publicKey.export({ format: "jwk" });
  return { ...fixed, publicKey: x, signature: signature.toString("base64url") };
}

/** The flight as the server answers it. */
function flight(index = 4): Flight {
  const seed = seeds[index] ?? "";
  return {
    id: mintId("round", 1, new Uint8Array(16)),
    ...{ seed, seedHash: seedHash(seed), salt: null, chainId: "sed_1", chainIndex: index },
    crashedAt: crashHundredths(seed, chain.salt, 2),
    startedAt: TOOK_OFF_AT,
  };
}
