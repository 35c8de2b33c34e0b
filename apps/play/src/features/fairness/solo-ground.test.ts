import { mintId } from "@perya/kernel/ids";
import { describe, expect, it } from "vitest";
import { soloGround } from "./solo-ground.ts";

const AT = 1_790_000_000_123;
const ROUND = mintId("round", AT, new Uint8Array(16).fill(31));
const pairAt = (at: number) => ({ text: "hash", at });
const ownAt = (at: number) => ({ clientSeed: "mine", serverSeedHash: "hash", at });

describe("the ground of a solo round", () => {
  it("is what was shown and chosen here before the time in the round's id", () => {
    expect(soloGround(ROUND, pairAt(AT - 1), ownAt(AT))).toBe("before");
    expect(soloGround(ROUND, pairAt(AT - 1), ownAt(AT + 1))).toBe("told");
    expect(soloGround(ROUND, pairAt(AT + 1), ownAt(AT + 1))).toBe("later");
  });

  it("is at most `told` where this phone chose no client seed for the pair", () => {
    expect(soloGround(ROUND, pairAt(AT - 1), null)).toBe("told");
    expect(soloGround(ROUND, null, null)).toBe("later");
  });
});
