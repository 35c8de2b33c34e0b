import { expect, it } from "vitest";
import { downloadLinks } from "./download-links.ts";

const facebook = { resourceType: "FACEBOOK", url: "https://facebook.example/perya" };
const telegram = { resourceType: "TELEGRAM", url: "https://t.example/perya" };

it("[A3-20] download links are keyed by FACEBOOK and TELEGRAM, each with its kind and its address", () => {
  const links = downloadLinks([telegram, facebook]);
  expect(links).toEqual({ FACEBOOK: facebook, TELEGRAM: telegram });
  expect(downloadLinks([telegram]).FACEBOOK).toBeUndefined();
});

it("of two links of a kind the first counts, and one without a web address is ignored", () => {
  const second = { resourceType: "TELEGRAM", url: "https://t.example/other" };
  expect(downloadLinks([telegram, second]).TELEGRAM).toBe(telegram);
  const broken = ["", "javascript:alert(1)", "/m/home"].map((url) => ({ ...telegram, url }));
  expect(downloadLinks(broken)).toEqual({});
});
