import { MOTIFS } from "@perya/art/tile";
import { GAME_TYPES } from "@perya/contract/catalogue";
import { describe, expect, it } from "vitest";
import { motifOf } from "./artwork.ts";

describe("a tile's subject", () => {
  it("is what the game's name speaks of, whatever the signs and the case", () => {
    expect(motifOf("Jeepney Riches", "RNG", 7)).toBe("jeepney");
    expect(motifOf("Halo-Halo Nights", "RNG", 7)).toBe("halo-halo");
    expect(motifOf("BAHAY KUBO Blast", "RNG", 7)).toBe("kubo");
    expect(motifOf("Makati Hold'em", "LIVE", 7)).toBe("tsips");
  });

  it("is never taken from another category or from a part of a word", () => {
    expect(MOTIFS.FISH).toContain(motifOf("Jeepney of the Sea", "FISH", 7));
    expect(motifOf("Golden Nights", "RNG", 0)).toBe(MOTIFS.RNG[0]);
  });

  it("goes round with the node id where the name says nothing", () => {
    for (const category of GAME_TYPES) {
      const own = MOTIFS[category];
      const drawn = own.map((_, nodeId) => motifOf("Zzz", category, nodeId));
      expect(new Set(drawn).size).toBe(own.length);
    }
  });
});
