import { describe, expect, it } from "vitest";
import { countOf, offerOf, selectionsOf, typesWithGames } from "./vendor-offer.ts";

const none = { newCount: 0, hotCount: 0, gameClassify: [] };
const gameTypes = [
  {
    gameType: "RNG" as const,
    gameCount: 12,
    newCount: 2,
    hotCount: 0,
    gameClassify: [
      { key: "CLASSIC", gameCount: 3 },
      { key: "VIDEO", gameCount: 9 },
    ],
  },
  { ...none, gameType: "SPORTS" as const, gameCount: 1 },
  {
    ...none,
    gameType: "ESPORTS" as const,
    gameCount: 4,
    hotCount: 1,
    gameClassify: [{ key: "ESPORT", gameCount: 4 }],
  },
  { ...none, gameType: "FISH" as const, gameCount: 0 },
];
const CLASSES = ["VIDEO", "CLASSIC", "JACKPOT", "VIDEO"];

describe("a vendor's offer", () => {
  it("[G7-03] has the choices with games of the vendor, each with its count", () => {
    const offer = offerOf(gameTypes, "RNG");
    const selections = selectionsOf(offer, CLASSES);
    expect(selections).toEqual(["", "NEW", "FAV", "RECENT", "VIDEO", "CLASSIC"]);
    expect(selections.map((one) => countOf(offer, one))).toEqual([
      ...[12, 2, undefined, undefined],
      ...[9, 3],
    ]);
  });

  it("has every choice while the vendor's games are unknown, without counts", () => {
    const selections = selectionsOf(undefined, CLASSES);
    expect(selections.slice(0, 5)).toEqual(["", "NEW", "HOT", "FAV", "RECENT"]);
    expect(selections.slice(5)).toEqual(["VIDEO", "CLASSIC", "JACKPOT"]);
    expect(countOf(undefined, "VIDEO")).toBeUndefined();
  });

  it("counts e-sports with sports, and leaves out types without games", () => {
    const offer = offerOf(gameTypes, "SPORTS");
    expect([countOf(offer, ""), countOf(offer, "HOT"), countOf(offer, "ESPORT")]).toEqual([
      ...[5, 1, 4],
    ]);
    expect(typesWithGames(gameTypes)).toEqual(["RNG", "SPORTS"]);
  });
});
