import { PAGES_WITH_HEADS } from "@perya/contract/page-heads";
import { describe, expect, it } from "vitest";
import { makeBrand, manualClock } from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { brandRoutes } from "./brand.routes.ts";
import { type Merchant, ownManifest, pageHead, robotsText, sitemapXml } from "./brand.ts";
import { createContacts } from "./contacts.ts";

const PUBLIC_URL = "https://perya.test";
const clock = manualClock();

const db = await databaseOfFile();
const tagalog = await makeBrand(db.pool, clock, { hosts: ["*"] });
const english = await makeBrand(db.pool, clock, {
  settings: { defaultLanguage: "EN", minimumAge: 18, domains: ["luck.test", "two.test:8443"] },
});

/** Each screen of the specification's table with its one address (games §2.13). */
const CANONICAL = {
  "/m/home": "/",
  "/m/slot-games": "/rng",
  "/m/live-games": "/live",
  "/m/poker-games": "/pvp",
  "/m/fishing-games": "/fish",
  "/m/activity": "/promotions",
  "/m/sport-games": "/sports",
  "/m/cockfight": "/cockfight",
};

it("the application's manifest names the brand, its own age and its language", () => {
  const manifests = [tagalog, english].map(ownManifest);
  for (const [at, brand] of [tagalog, english].entries()) {
    expect(manifests[at]).toMatchObject({ name: brand.name, short_name: brand.name });
  }
  expect(manifests.map(({ lang }) => lang)).toEqual(["fil", "en"]);
  expect(manifests.map(({ description }) => description)).toEqual([
    expect.stringContaining("21+"),
    expect.stringContaining("18+"),
  ]);
});

describe("the page heads", () => {
  it("[G2.13-01 G2.13-02] give each screen a title and a description of its own, and its one address", () => {
    for (const brand of [tagalog, english]) {
      const heads = Object.keys(CANONICAL).map((path) => pageHead(brand, PUBLIC_URL, path));
      for (const key of ["title", "description"] as const) {
        expect(new Set(heads.map((head) => head[key])).size, key).toBe(8);
      }
      const [origin] = brand === tagalog ? [PUBLIC_URL] : ["https://luck.test"];
      expect(heads.map(({ canonical }) => canonical)).toEqual(
        Object.values(CANONICAL).map((path) => origin + path),
      );
    }
  });

  it("fit into what search engines show, name the brand and its own age", () => {
    for (const brand of [tagalog, english]) {
      for (const path of PAGES_WITH_HEADS) {
        const { title, description } = pageHead(brand, PUBLIC_URL, path);
        expect(title, path).toContain(brand.name);
        expect(title.length, title).toBeLessThanOrEqual(65);
        expect(description.length, description).toBeGreaterThan(50);
        expect(description.length, description).toBeLessThanOrEqual(160);
        expect(title + description).not.toMatch(/[{}]/);
      }
    }
    expect(pageHead(tagalog, PUBLIC_URL, "/").description).toContain("21+");
    expect(pageHead(english, PUBLIC_URL, "/").description).toContain("18+");
  });

  it("have home's words and an address of their own if nobody should find the page", () => {
    const home = pageHead(english, PUBLIC_URL, "/m/home");
    expect(pageHead(english, PUBLIC_URL, "/m/set")).toEqual({
      ...home,
      canonical: "https://luck.test/m/set",
    });
  });
});

describe("a brand's addresses", () => {
  const listed = async (merchant: Merchant, publicUrl: string) => {
    const routes = brandRoutes({
      publicUrl,
      imageCdns: [],
      externalLogins: () => [],
      phoneService: null,
      contacts: createContacts(),
    });
    const call = routes["GET /api/v1/domain-routes"];
    // Of its input the handler reads only the merchant.
    const reply = await call({ merchant } as Parameters<typeof call>[0]);
    if (!reply.ok || !("domainList" in reply.value)) throw new Error("no list of addresses");
    return reply.value.domainList.map(({ domainName }) => domainName);
  };

  it("[A7-37] are its own, with the installation's port if they name none, the main one first", async () => {
    expect(await listed(english, "https://perya.test")).toEqual(["luck.test", "two.test:8443"]);
    expect(await listed(english, "http://perya.test:8080")).toEqual([
      "luck.test:8080",
      "two.test:8443",
    ]);
  });

  it("are the installation's if it sets none, and both names of a developer's machine", async () => {
    expect(await listed(tagalog, "https://perya.test")).toEqual(["perya.test"]);
    expect(await listed(tagalog, "http://localhost:8080")).toEqual([
      "localhost:8080",
      "127.0.0.1:8080",
    ]);
  });

  it("are those that its pages may call", () => {
    expect(pageHead(english, PUBLIC_URL, "/").connectsTo).toEqual([
      "https://luck.test",
      "https://two.test:8443",
    ]);
  });
});

describe("the texts for search engines", () => {
  it("list the pages that can be found, each by its one address, on the brand's own host", () => {
    const listed = [...sitemapXml(english, PUBLIC_URL).matchAll(/<loc>(.*?)<\/loc>/g)];
    const urls = listed.map(([, url]) => url);
    for (const [screen, path] of Object.entries(CANONICAL)) {
      // Cockfight is off in the demo's market.
      expect(urls.includes(`https://luck.test${path}`), path).toBe(screen !== "/m/cockfight");
    }
    expect(new Set(urls).size).toBe(PAGES_WITH_HEADS.length - 1);
  });

  it("keep them off the interface and name the list", () => {
    const text = robotsText(english, PUBLIC_URL);
    expect(text).toContain("Disallow: /api/\n");
    expect(text).toContain("Sitemap: https://luck.test/sitemap.xml\n");
    expect(robotsText(tagalog, PUBLIC_URL)).toContain(`Sitemap: ${PUBLIC_URL}/sitemap.xml\n`);
  });
});
