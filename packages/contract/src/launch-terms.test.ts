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

describe("what a launch names", () => {
  it("is the lottery's or the sports lobby's by the vendor, whatever an object has by nature", () => {
    const asked = [...LOTTERY_VENDORS, "LRO", "IA", "BGS", "toString"];
    expect(asked.filter(isLotteryVendor)).toEqual(LOTTERY_VENDORS);
    expect(asked.filter(isSportsVendor)).toEqual(["LRO", "IA"]);
  });

  it("[G2.6-11] is SEA for TCG_SEA whatever is mapped, and ELOTT where a lottery's vendor has it mapped", () => {
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

  it("is the play type that the game says, else its type's", () => {
    expect(playTypeOf({ gameType: "ELOTT", lottoMode: "Tradition" })).toBe("trad");
    expect(playTypeOf({ gameType: "LOTT", lottoMode: "Entertainment" })).toBe("ent");
    expect(playTypeOf({ gameType: "ELOTT", lottoMode: null })).toBe("ent");
    expect(playTypeOf({ gameType: "LOTT", lottoMode: null })).toBe("trad");
  });

  it("is free to try where the game says so in either way", () => {
    const ways = [false, true].flatMap((supportPlay) =>
      [false, true].map((freeplay) => isFreeToTry({ supportPlay, freeplay })),
    );
    expect(ways).toEqual([false, true, true, true]);
  });
});
