import { expect, it } from "vitest";
import { byName, findCountries } from "./country-search.ts";

const COUNTRIES = [
  { code: "PH", dialingCode: "+63", minDigits: 10 },
  { code: "US", dialingCode: "+1", minDigits: 10 },
  { code: "CI", dialingCode: "+225", minDigits: 10 },
];
const names = new Intl.DisplayNames(["en"], { type: "region" });
const find = (typed: string) =>
  findCountries(COUNTRIES, typed, (code) => names.of(code) ?? code).map(({ code }) => code);

it("[A2.4-08] a country is found by its name, its code or its dialling code", () => {
  expect(find("")).toEqual(["PH", "US", "CI"]);
  expect(find("philip")).toEqual(["PH"]);
  expect(find(" cote d ")).toEqual(["CI"]);
  expect(find("cote d")).toEqual(["CI"]);
  expect(find("us")).toEqual(["US"]);
  expect(find("+63")).toEqual(["PH"]);
  expect(find("2")).toEqual(["CI"]);
  expect(find("nowhere")).toEqual([]);
});

it("the brand's own country stays first, and the others are sorted by name", () => {
  const codes = byName(COUNTRIES, "en", (code) => names.of(code) ?? code).map(({ code }) => code);
  expect(codes).toEqual(["PH", "CI", "US"]);
});
