import { expect, it } from "vitest";
import { pickHost } from "./image-host.ts";
import { categoriesOf, type VendorSorting, vendorIconFile } from "./vendors.ts";

it("[G2.7-32 G2.7-33] a vendor's icon is called after its code, one by a name of its own, and TCG's have none", () => {
  expect(vendorIconFile("BGS", "COLOR")).toBe("BGS-COLOR.png");
  expect(vendorIconFile("PGE", "SMALL")).toBe("PISTA-SMALL.png");
  expect(vendorIconFile("TCG_SEA", "COLOR")).toBeNull();
  expect(vendorIconFile("TCG_LOTTO_VN", "SMALL")).toBeNull();
});

it("[G3-13] a picture's host is any of the list by chance, and the page's own without one", () => {
  const hosts = ["https://a.test", "https://b.test", "https://c.test"];
  expect([0, 0.34, 0.99].map((chance) => pickHost(hosts, chance))).toEqual(hosts);
  expect(pickHost([], 0.7)).toBe("");
});

it("[G2.6-08 G2.6-09] sports fall into sports, e-sports and cockfights by their vendors, and an empty one is left out", () => {
  const group = (gameCategory: VendorSorting["gameCategory"], codes: readonly string[]) => ({
    gameCategory,
    vendorNames: codes.map((vassalage) => ({
      vassalage,
      displayName: vassalage,
      accountTypeName: vassalage,
      gameType: gameCategory,
      mobileLargeIcon: "",
      gameClassify: [],
      gameCount: 1,
      status: "up" as const,
    })),
  });
  const shown = (content: readonly VendorSorting[]) =>
    categoriesOf(content).map(({ type, vendors }) => [type, vendors.map((one) => one.vassalage)]);
  expect(
    shown([group("RNG", ["BGS"]), group("SPORTS", ["LRO", "AV", "SV3", "IA", "WGB"])]),
  ).toEqual([
    ["RNG", ["BGS"]],
    ["SPORTS", ["LRO"]],
    ["ESPORTS", ["AV", "IA"]],
    ["COCKFIGHT", ["SV3", "WGB"]],
  ]);
  expect(shown([group("SPORTS", ["AI"]), group("ESPORTS", ["TF"])])).toEqual([
    ["ESPORTS", ["AI", "TF"]],
  ]);
});
