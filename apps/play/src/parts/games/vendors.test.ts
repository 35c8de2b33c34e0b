import { expect, it } from "vitest";
import { pickHost } from "../pictures/image-host.ts";
import {
  categoriesOf,
  openCategories,
  typeAsked,
  type VendorSorting,
  vendorIconFile,
  vendorsOf,
} from "./vendors.ts";

it("[G2.7-32 G2.7-33] a vendor's icon is named after its code, one has a name of its own, and TCG's have none", () => {
  expect(vendorIconFile("BGS", "COLOR")).toBe("BGS-COLOR.png");
  expect(vendorIconFile("PGE", "SMALL")).toBe("PISTA-SMALL.png");
  expect(vendorIconFile("TCG_SEA", "COLOR")).toBeNull();
  expect(vendorIconFile("TCG_LOTTO_VN", "SMALL")).toBeNull();
});

it("[G3-13] a picture's host is a random one of the list, and the page's own without a list", () => {
  const hosts = ["https://a.test", "https://b.test", "https://c.test"];
  expect([0, 0.34, 0.99].map((chance) => pickHost(hosts, chance))).toEqual(hosts);
  expect(pickHost([], 0.7)).toBe("");
});

it("[G2.6-08 G2.6-09] sports are split into sports, e-sports and cockfights by their vendors, and an empty one is left out", () => {
  const esports = ["AV", "AI", "IMES", "TF", "IA"];
  const cockfights = ["SV3", "DS88", "DIG", "WGB"];
  expect(
    shown([group("RNG", ["BGS"]), group("SPORTS", ["LRO", ...esports, ...cockfights])]),
  ).toEqual([
    ["RNG", ["BGS"]],
    ["SPORTS", ["LRO"]],
    ["ESPORTS", esports],
    ["COCKFIGHT", cockfights],
  ]);
  expect(shown([group("SPORTS", ["AI"]), group("ESPORTS", ["TF"])])).toEqual([
    ["ESPORTS", ["AI", "TF"]],
  ]);
  expect(shown([group("LIVE", ["DIG", "IMES"])])).toEqual([["LIVE", ["DIG", "IMES"]]]);
});

it("[G2.6-08] a category that the brand has closed has no vendors, wherever they are listed", () => {
  const content = [
    group("SPORTS", ["LRO", "DS88"]),
    group("COCKFIGHT", ["SV3"]),
    group("ESPORTS", ["WGB"]),
  ];
  const open = openCategories(content, (type) => type !== "COCKFIGHT");
  expect(shown(open)).toEqual([["SPORTS", ["LRO"]]]);
  expect(vendorsOf(open, "SPORTS").map(({ vassalage }) => vassalage)).toEqual(["LRO"]);
  expect(openCategories(content, () => true)).toEqual(content);
});

it("[G2.6-07] a category's games are asked for by the type under which its vendors are listed", () => {
  const asked = (content: readonly VendorSorting[]) =>
    categoriesOf(content).map((one) => [one.type, typeAsked(one)]);
  expect(asked([group("SPORTS", ["LRO", "AV", "SV3"])])).toEqual([
    ["SPORTS", "SPORTS"],
    ["ESPORTS", "SPORTS"],
    ["COCKFIGHT", "SPORTS"],
  ]);
  expect(
    asked([group("SPORTS", ["LRO", "AI"]), group("ESPORTS", ["TF"]), group("COCKFIGHT", ["WGB"])]),
  ).toEqual([
    ["SPORTS", "SPORTS"],
    ["ESPORTS", "ESPORTS"],
    ["COCKFIGHT", "COCKFIGHT"],
  ]);
});

it("[G2.7-11 G2.6-08] a vendor listed under several types appears once, with the list's own type", () => {
  const content = [group("SPORTS", ["LRO", "AV"]), group("ESPORTS", ["AV", "IA"])];
  expect(shown(content)).toEqual([
    ["SPORTS", ["LRO"]],
    ["ESPORTS", ["AV", "IA"]],
  ]);
  const filed = (type: "SPORTS" | "ESPORTS") =>
    vendorsOf(content, type).map(({ vassalage, gameType }) => `${vassalage} ${gameType}`);
  expect(filed("SPORTS")).toEqual(["LRO SPORTS", "AV SPORTS", "IA ESPORTS"]);
  expect(filed("ESPORTS")).toEqual(["AV ESPORTS", "IA ESPORTS"]);
  const [, esports] = categoriesOf(content);
  expect(esports?.vendors.map(({ gameType }) => gameType)).toEqual(["ESPORTS", "ESPORTS"]);
});

function group(
  gameCategory: VendorSorting["gameCategory"],
  codes: readonly string[],
): VendorSorting {
  const vendorNames = codes.map((vassalage) => ({
    ...{ vassalage, displayName: vassalage, accountTypeName: vassalage, gameType: gameCategory },
    ...{ mobileLargeIcon: "", gameClassify: [], gameCount: 1, status: "up" as const },
  }));
  return { gameCategory, vendorNames };
}

function shown(content: readonly VendorSorting[]) {
  return categoriesOf(content).map(({ type, vendors }) => [
    type,
    vendors.map(({ vassalage }) => vassalage),
  ]);
}
