import { expect, it } from "vitest";
import { categoriesOf, type VendorSorting } from "../../parts/games/vendors.ts";
import { shownCategories } from "./shown-categories.ts";

const TYPES = ["RNG", "LIVE", "PVP", "FISH", "SPORTS", "LOTT", "ELOTT"] as const;

it("[G2.6-01 G2.6-10] home has a tab for each category of the brand, for the player's own lists and for all else that home shows", () => {
  const content = TYPES.map((gameCategory) => sorting(gameCategory, gameCategory));
  const sports = [sorting("SPORTS", "AV"), sorting("SPORTS", "SV3")];
  const types = categoriesOf([...content, ...sports]).map(({ type }) => type);
  expect(shownCategories(types).map(({ key }) => key)).toEqual([
    "HOT",
    ...TYPES,
    "ESPORTS",
    "COCKFIGHT",
    "FAV",
    "RECENT",
    "NEW",
    "PROVIDERS",
    "WINNERS",
    "PROMOTION",
  ]);
});

function sorting(gameCategory: VendorSorting["gameCategory"], vassalage: string): VendorSorting {
  const words = { displayName: "", accountTypeName: "", mobileLargeIcon: "" };
  const counted = { gameClassify: [], gameCount: 1, status: "up" } as const;
  const vendor = { vassalage, gameType: gameCategory, ...words, ...counted };
  return { gameCategory, vendorNames: [{ ...vendor, gameClassify: [] }] };
}
