// @vitest-environment jsdom
import { mintId } from "@perya/kernel/ids";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chooseOwnSeed, readSeed, replaceSeed } from "./own-seed.ts";
import { ownSeed, shownHere } from "./shown-here.ts";

const [FIRST, NEXT, LATER] = [1, 2, 3].map((n) => mintId("seed", n, new Uint8Array(16).fill(n)));
let chosenBy: "player" | "house" | null;
/** The pair that the house puts into use. */
let used: { seedId: string | undefined; serverSeedHash: string };
/** The seed that the house uses in place of the player's client seed; empty for none. */
let swapped: string;
let sent: { clientSeed: string }[];
/** The client seed that this device had kept for the next pair when each call went out. */
let keptBySending: (string | undefined)[];
/** The call fails, as with a server that is away. */
let lost: boolean;

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  used = { seedId: NEXT, serverSeedHash: "hash-of-next" };
  [chosenBy, swapped, sent, keptBySending, lost] = ["house", "", [], [], false];
  vi.stubGlobal("fetch", async (_: string, init: { method: string; body: string }) => {
    if (init.method === "GET") {
      return answer({
        ...{ seedId: FIRST, serverSeedHash: "hash-in-use", clientSeed: "ours", nextNonce: 0 },
        ...{ chosenBy, next: { seedId: NEXT, serverSeedHash: "hash-of-next" } },
      });
    }
    sent.push(JSON.parse(init.body));
    keptBySending.push(ownSeed(`${NEXT}`)?.clientSeed);
    if (lost) throw new TypeError("Failed to fetch");
    const { clientSeed = "" } = swapped === "" ? (sent.at(-1) ?? {}) : { clientSeed: swapped };
    const next = { seedId: LATER, serverSeedHash: "hash-of-later" };
    return answer({
      current: { ...used, clientSeed, chosenBy: "player", next },
      revealed: { seedId: FIRST, serverSeed: "", serverSeedHash: "", clientSeed: "", rounds: 0 },
    });
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("the pair that deals a player's rounds", () => {
  it("has a client seed from the player's own device from the first game on, chosen after the next hash was shown", async () => {
    await chooseOwnSeed(new AbortController().signal);
    const [call] = sent;
    expect(call).toEqual({
      clientSeed: expect.stringMatching(/^[0-9a-z]{16}$/),
      replaces: FIRST,
      next: NEXT,
    });
    localStorage.clear();
    await chooseOwnSeed(new AbortController().signal);
    expect(sent[1]?.clientSeed).not.toBe(call?.clientSeed);
  });

  it("is left alone where the player chose its client seed, or nobody knows who did", async () => {
    for (chosenBy of ["player", null] as const) {
      await chooseOwnSeed(new AbortController().signal);
    }
    expect(sent).toEqual([]);
  });

  it("is stored with its hash when that is shown, as is the next pair, and later answers do not change either", async () => {
    const seed = await readSeed();
    expect(shownHere.find("pair", `${FIRST}`)?.text).toBe("hash-in-use");
    expect(shownHere.find("pair", `${NEXT}`)?.text).toBe("hash-of-next");
    used = { seedId: NEXT, serverSeedHash: "swapped" };
    expect(await replaceSeed(seed, "mine")).toMatchObject({ isAsShown: false });
    expect(shownHere.find("pair", `${NEXT}`)?.text).toBe("hash-of-next");
    expect(shownHere.find("pair", `${LATER}`)?.text).toBe("hash-of-later");
    used = { seedId: NEXT, serverSeedHash: "hash-of-next" };
    expect(await replaceSeed(seed, "mine")).toMatchObject({ isAsShown: true });
  });

  it("is not the pair shown as next where it has another id, even with the same hash", async () => {
    const seed = await readSeed();
    used = { seedId: LATER, serverSeedHash: "hash-of-next" };
    expect(await replaceSeed(seed, "mine")).toMatchObject({ isAsShown: false });
    expect(ownSeed(`${LATER}`)).toBeNull();
  });

  it("is not the pair shown as next where that was first shown with another hash", async () => {
    const seed = await readSeed();
    const next = { seedId: `${NEXT}`, serverSeedHash: "made-later" };
    used = next;
    expect(await replaceSeed({ ...seed, next }, "mine")).toMatchObject({ isAsShown: false });
    expect(ownSeed(`${NEXT}`)?.serverSeedHash).toBe("hash-of-next");
  });
});

describe("the client seed that counts as the player's own", () => {
  it("is the one that this device sent and stored before it went out, and no other that the house names", async () => {
    const seed = await readSeed();
    expect(ownSeed(`${FIRST}`)).toBeNull();
    swapped = "of-the-house";
    expect(await replaceSeed(seed, "mine")).toMatchObject({ isAsShown: false });
    expect(keptBySending).toEqual(["mine"]);
    const { clientSeed, serverSeedHash } = ownSeed(`${NEXT}`) ?? {};
    expect([clientSeed, serverSeedHash]).toEqual(["mine", "hash-of-next"]);
  });

  it("is one per next pair: a seed that was sent without an answer is sent again", async () => {
    const seed = await readSeed();
    lost = true;
    await expect(replaceSeed(seed, "mine")).rejects.toThrow();
    lost = false;
    expect(await replaceSeed(seed, "another")).toMatchObject({ isAsShown: true });
    expect(sent.map(({ clientSeed }) => clientSeed)).toEqual(["mine", "mine"]);
  });

  it("does not exist where an earlier build stored the house's statement", () => {
    shownHere.keep("client", [[`${NEXT}`, "told"]]);
    expect(ownSeed(`${NEXT}`)).toBeNull();
  });
});

function answer(value: object): Response {
  return new Response(JSON.stringify({ value }));
}
