import { expect, it } from "vitest";
import { clientConfig } from "./client-config.ts";

it("[A3-21] the client holds the merchant, its languages and the gateways' codes", () => {
  const gateways = { web: 1, mobile: 3 };
  const brand = { merchantCode: "perya", defaultLanguage: "EN", languages: ["EN", "TY"] };
  expect(clientConfig(brand)).toEqual({
    merchantId: "perya",
    defaultLanguage: "EN",
    languages: ["EN", "TY"],
    gateways,
  });
  expect(clientConfig(undefined)).toEqual({
    merchantId: null,
    defaultLanguage: "TY",
    languages: ["TY", "EN"],
    gateways,
  });
});
