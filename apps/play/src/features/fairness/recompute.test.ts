import { expect, it } from "vitest";
import { drawByHand } from "./recompute.ts";

const SEED = "0f".repeat(32);

it.each(["saranggola", "saranggola-before"] as const)(
  "a malformed salt is reported as a salt, because it may hold what a client seed may not: %s",
  (game) => {
    const draw = (clientSeed: string) =>
      drawByHand({ game, serverSeed: SEED, clientSeed, nonce: 0 });
    expect(draw("two words")).toEqual({ fault: "salt" });
    expect(draw("")).toEqual({ fault: "salt" });
    expect(draw("block:0000")).toHaveProperty("lines");
  },
);
