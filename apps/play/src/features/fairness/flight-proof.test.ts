import { generateKeyPairSync, sign } from "node:crypto";
import type { KiteChain } from "@perya/contract/rounds";
import { seedHash } from "@perya/games/fairness";
import { CHAIN_FORM, commitmentText, crashHundredths, seedChain } from "@perya/games/saranggola";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { describe, expect, it } from "vitest";
import { flightText } from "../../parts/kite-chain.ts";
import { type Flight, type FlightEvidence, proveFlight } from "./flight-proof.ts";

const COMMITTED_AT = 1_700_000_000_000;
const TOOK_OFF_AT = COMMITTED_AT + 60_000;
const house = generateKeyPairSync("ed25519");
const seeds = seedChain("a".repeat(64), 12);
const chain = published({ salt: "of-the-fair" });
const NOTHING: FlightEvidence = { kept: null, published: null, shown: null, firstKey: null };
const kept = { chain, at: COMMITTED_AT };
const SHOWN: FlightEvidence = { ...NOTHING, kept, published: chain, firstKey: chain.publicKey };

describe("the proof of a flight", () => {
  it("holds for what the phone was shown before, and says so", async () => {
    expect(await judged(flight(), SHOWN)).toEqual(["before", []]);
    const { seedHash: hash, chainId } = flight();
    expect(await judged(flight(), { ...SHOWN, shown: flightText(chainId, 4, hash) })).toEqual([
      "before",
      [],
    ]);
  });

  it("is refuted for another salt of the chain that was shown, though reply and list agree on it", async () => {
    // Of a few dozen salts one crashes the seed at 1.00×.
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
  });

  it("is never more than worked out for a chain that the phone was not shown before", async () => {
    const later = { chain, at: TOOK_OFF_AT + 1 };
    for (const evidence of [
      { ...NOTHING, published: chain },
      { ...SHOWN, kept: later },
    ]) {
      expect(await judged(flight(), evidence)).toEqual(["later", []]);
    }
    expect(await judged({ ...flight(), salt: "of-the-fair" }, NOTHING)).toMatchObject(["old", {}]);
  });

  it("is refuted for another chain or place than the flight was shown with", async () => {
    const { seedHash: hash, chainId } = flight();
    for (const shown of [flightText("sed_other", 4, hash), flightText(chainId, 3, hash)]) {
      expect(await judged(flight(), { ...SHOWN, shown })).toEqual(["before", ["flight"]]);
      const unknown = { ...NOTHING, published: chain, shown };
      expect(await judged(flight(), unknown)).toEqual(["later", ["flight"]]);
    }
    const skipped = { ...flight(5), chainIndex: 4 };
    expect(await judged(skipped, SHOWN)).toEqual(["before", ["chain"]]);
  });

  it("is refuted for a chain that somebody else signed, or nobody", async () => {
    const unsigned = { ...chain, signature: published({ salt: "x" }).signature };
    const known = { ...SHOWN, kept: { ...kept, chain: unsigned }, published: unsigned };
    expect(await judged(flight(), known)).toEqual(["before", ["signature"]]);
    expect(await judged(flight(), { ...SHOWN, firstKey: "another" })).toEqual([
      "before",
      ["signature"],
    ]);
  });

  it("of before its chain was published rests on its own answer alone, and says so", async () => {
    const crashedAt = crashHundredths(seeds[1] ?? "", chain.salt, 1);
    const old = { ...flight(1), crashedAt, salt: chain.salt };
    expect(await judged(old, SHOWN)).toEqual(["old", []]);
    expect(await judged({ ...old, crashedAt: crashedAt + 1 }, SHOWN)).toEqual(["old", ["crash"]]);
  });
});

/** What it rests on, and the steps that do not hold. */
async function judged(claim: Flight, evidence: FlightEvidence) {
  const { ground, steps } = await proveFlight(claim, null, evidence);
  return [ground, steps.filter((step) => !step.holds).map(({ name }) => name)];
}

function published({ salt }: { salt: string }): KiteChain {
  const fixed = {
    ...{ chainId: "sed_1", form: CHAIN_FORM, firstIndex: 2, firstHash: seedHash(seeds[2] ?? "") },
    ...{ salt, length: seeds.length, committedAt: COMMITTED_AT },
  };
  const signature = sign(null, Buffer.from(commitmentText(fixed)), house.privateKey);
  const { x = "" } = house.publicKey.export({ format: "jwk" });
  return { ...fixed, publicKey: x, signature: signature.toString("base64url") };
}

/** As the server answers it. */
function flight(index = 4): Flight {
  const seed = seeds[index] ?? "";
  return {
    id: mintId("round", 1, new Uint8Array(16)),
    ...{ seed, seedHash: seedHash(seed), salt: null, chainId: "sed_1", chainIndex: index },
    crashedAt: crashHundredths(seed, chain.salt, 2),
    startedAt: TOOK_OFF_AT,
  };
}
