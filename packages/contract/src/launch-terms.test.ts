import { describe, expect, it } from "vitest";
import {
  isFreeToTry,
  isLotteryVendor,
  isSportsVendor,
  LOTTERY_VENDORS,
  playTypeOf,
  prizeModeOf,
} from "./launch-terms.ts";

const ELECTRONIC = { vassalage: "LOTT", gameType: "ELOTT" } as const;

describe("a launch", () => {
  it("goes to the lottery or the sports lobby by its vendor, and inherited object properties are no vendors", () => {
    const asked = [...LOTTERY_VENDORS, "LRO", "IA", "BGS", "toString"];
    expect(asked.filter(isLotteryVendor)).toEqual(LOTTERY_VENDORS);
    expect(asked.filter(isSportsVendor)).toEqual(["LRO", "IA"]);
  });

  it("[G2.6-11] has prize mode SEA for TCG_SEA whatever the mapping, and ELOTT where the mapping has it for a lottery vendor", () => {
    const modes = (mapping: Parameters<typeof prizeModeOf>[1]) =>
      LOTTERY_VENDORS.map((vendor) => prizeModeOf(vendor, mapping));
    const plain = ["LOTT", "SEA", "LOTT", "LOTT"];
    const electronic = ["ELOTT", "SEA", "ELOTT", "ELOTT"];
    expect(modes([])).toEqual(plain);
    expect(modes([{ vassalage: "LOTT", gameType: "LOTT" }])).toEqual(plain);
    expect(modes([{ vassalage: "PGE", gameType: "ELOTT" }])).toEqual(plain);
    expect(modes([{ vassalage: "PGE", gameType: "RNG" }, ELECTRONIC])).toEqual(electronic);
    expect(modes([{ ...ELECTRONIC, vassalage: "TCG_LOTTO_VN" }])).toEqual(electronic);
  });

  it("has the play type that the game names, else that of its game type", () => {
    expect(playTypeOf({ gameType: "ELOTT", lottoMode: "Tradition" })).toBe("trad");
    expect(playTypeOf({ gameType: "LOTT", lottoMode: "Entertainment" })).toBe("ent");
    expect(playTypeOf({ gameType: "ELOTT", lottoMode: null })).toBe("ent");
    expect(playTypeOf({ gameType: "LOTT", lottoMode: null })).toBe("trad");
  });

  it("is free to try where either field of the game allows it", () => {
    const ways = [false, true].flatMap((supportPlay) =>
      [false, true].map((freeplay) => isFreeToTry({ supportPlay, freeplay })),
    );
    expect(ways).toEqual([false, true, true, true]);
  });
});
