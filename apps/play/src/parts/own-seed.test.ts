// @vitest-environment jsdom
import { mintId } from "@perya/kernel/ids";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chooseOwnSeed, readSeed, replaceSeed } from "./own-seed.ts";
import { shownHere } from "./shown-here.ts";

const [FIRST, NEXT, LATER] = [1, 2, 3].map((n) => mintId("seed", n, new Uint8Array(16).fill(n)));
let chosenBy: "player" | "house" | null;
/** The hash of the pair that the house puts into use. */
let used: string;
/** What the house puts in the place of the player's client seed; empty for nothing. */
let swapped: string;
let sent: { clientSeed: string }[];

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  [chosenBy, used, swapped, sent] = ["house", "hash-of-next", "", []];
  vi.stubGlobal("fetch", async (_: string, init: { method: string; body: string }) => {
    if (init.method === "GET") {
      return answer({
        ...{ seedId: FIRST, serverSeedHash: "hash-in-use", clientSeed: "ours", nextNonce: 0 },
        ...{ chosenBy, next: { seedId: NEXT, serverSeedHash: "hash-of-next" } },
      });
    }
    sent.push(JSON.parse(init.body));
    const { clientSeed = "" } = swapped === "" ? (sent.at(-1) ?? {}) : { clientSeed: swapped };
    const next = { seedId: LATER, serverSeedHash: "hash-of-later" };
    return answer({
      current: { seedId: NEXT, serverSeedHash: used, clientSeed, chosenBy: "player", next },
      revealed: { seedId: FIRST, serverSeed: "", serverSeedHash: "", clientSeed: "", rounds: 0 },
    });
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("the pair that deals a player's rounds", () => {
  it("has a client seed of the player's own device from its first game on, chosen after the next hash was shown", async () => {
    await chooseOwnSeed(new AbortController().signal);
    const [call] = sent;
    expect(call).toEqual({
      clientSeed: expect.stringMatching(/^[0-9a-z]{16}$/),
      replaces: FIRST,
      next: NEXT,
    });
    await chooseOwnSeed(new AbortController().signal);
    expect(sent[1]?.clientSeed).not.toBe(call?.clientSeed);
  });

  it("is left as it is where the player chose it, or nobody knows who did", async () => {
    for (chosenBy of ["player", null] as const) {
      await chooseOwnSeed(new AbortController().signal);
    }
    expect(sent).toEqual([]);
  });

  it("is kept by its hash when that is shown, as is the next one's, and not changed by later answers", async () => {
    const seed = await readSeed();
    expect(shownHere.find("pair", `${FIRST}`)?.text).toBe("hash-in-use");
    expect(shownHere.find("pair", `${NEXT}`)?.text).toBe("hash-of-next");
    used = "swapped";
    expect(await replaceSeed(seed, "mine")).toMatchObject({ isAsShown: false });
    expect(shownHere.find("pair", `${NEXT}`)?.text).toBe("hash-of-next");
    expect(shownHere.find("pair", `${LATER}`)?.text).toBe("hash-of-later");
    used = "hash-of-next";
    expect(await replaceSeed(seed, "mine")).toMatchObject({ isAsShown: true });
  });

  it("is told from one with another client seed than the player sent, which is the one that is kept", async () => {
    const seed = await readSeed();
    expect(shownHere.find("client", `${FIRST}`)?.text).toBe("ours");
    swapped = "of-the-house";
    expect(await replaceSeed(seed, "mine")).toMatchObject({ isAsShown: false });
    expect(shownHere.find("client", `${NEXT}`)?.text).toBe("mine");
  });
});

function answer(value: object): Response {
  return new Response(JSON.stringify({ value }));
}
