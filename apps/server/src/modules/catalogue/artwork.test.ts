import { MOTIFS } from "@perya/art/tile";
import { GAME_TYPES } from "@perya/contract/catalogue";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOptions } from "../../../../../tests/server/call-options.ts";
import { makeBrand, manualClock, seededEntropy } from "../../../../../tests/server/fixtures.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import { createHttpServer } from "../../platform/http/call-server.ts";
import { createLogger } from "../../platform/log.ts";
import { createBrands } from "../brand/brand.ts";
import { motifOf, serveArtwork } from "./artwork.ts";
import {
  Catalogue,
  insertGames,
  insertLiveModels,
  insertVendors,
  type NewGame,
} from "./catalogue.ts";

const TABLE: NewGame = {
  ...{ nodeId: 1, gameId: "table-1", name: "Baccarat", gameType: "LIVE", gameCode: "T1" },
  ...{ vendor: "PGE", vendorName: "Pista", classify: "", minBetMinor: 100 },
  ...{ isNew: false, supportPlay: false, freeplay: false, isGameH5: null, lottoMode: null },
  ...{ rtp: null, houseGame: null, sort: 0, hotSort: null },
};

const COCKPIT: NewGame = {
  ...TABLE,
  ...{ nodeId: 3, gameId: "cockpit-1", name: "Cockpit", gameType: "COCKFIGHT", vendor: "GALLO" },
};

describe("a picture of the artwork", () => {
  let db: TestDatabase;
  let app: Awaited<ReturnType<typeof createHttpServer>>;

  beforeAll(async () => {
    db = await createTestDatabase();
    const clock = manualClock();
    const brands = createBrands(db.pool, clock);
    const { id } = await makeBrand(db.pool, clock, { hosts: ["perya.test"] });
    const flags = { COCKFIGHT: true };
    const cockpit = await makeBrand(db.pool, clock, {
      hosts: ["cockpit.test"],
      settings: { flags },
    });
    await makeBrand(db.pool, clock, { hosts: ["empty.test"] });
    for (const brand of [id, cockpit.id]) {
      await insertVendors(db.pool, brand, [
        { code: "PGE", gameType: "LIVE", displayName: "Pista", status: "up" },
        { code: "GALLO", gameType: "COCKFIGHT", displayName: "Gallo", status: "up" },
      ]);
      await insertGames(db.pool, brand, [TABLE, COCKPIT]);
      await insertLiveModels(db.pool, brand, [
        { id: "tala", name: "Tala", nodeId: 1, active: true, streaming: true },
        { id: "mayari", name: "Mayari", nodeId: 3, active: true, streaming: true },
      ]);
    }
    const log = createLogger({ level: "silent" });
    const entropy = seededEntropy("artwork");
    app = await createHttpServer(openOptions({ log, clock, entropy, brands }));
    serveArtwork(app, new Catalogue(db.pool, clock), (host) => brands.byHost(host));
  });

  afterAll(async () => {
    await app?.close();
    await db?.drop();
  });

  it.each([
    ["tile/1.svg", "tile/2.svg"],
    ["portrait/tala.svg", "portrait/nobody.svg"],
    ["vendor/PGE.svg", "vendor/NONE.svg"],
    ["vendor/PISTA-COLOR.png", "vendor/NONE-COLOR.png"],
  ])(
    "is drawn for what the brand's catalogue has, as %s, and for no made-up name, as %s",
    async (has, made) => {
      for (let i = 0; i < 2; i++) {
        expect(await status(has)).toBe(200);
        expect(await status(made)).toBe(404);
      }
    },
  );

  it.each(["tile/1.svg", "portrait/tala.svg", "vendor/PGE.svg", "vendor/PISTA-COLOR.png"])(
    "of a brand that has it is not served by another that has not, in any order of requests, as %s",
    async (file) => {
      expect(await status(file, "empty.test")).toBe(404);
      expect(await status(file)).toBe(200);
      expect(await status(file, "empty.test")).toBe(404);
    },
  );

  it.each(["tile/3.svg", "portrait/mayari.svg", "vendor/GALLO.svg", "vendor/GALLO-COLOR.png"])(
    "of a category that the brand has off is not drawn, as %s",
    async (file) => {
      expect(await status(file, "cockpit.test")).toBe(200);
      expect(await status(file)).toBe(404);
    },
  );

  async function status(file: string, host = "perya.test"): Promise<number> {
    const headers = { host };
    return (await app.inject({ url: `/art/${file}`, headers })).statusCode;
  }
});

describe("a tile's subject", () => {
  it("is what the game's name speaks of, in any case and with any punctuation", () => {
    expect(motifOf("Jeepney Riches", "RNG", 7)).toBe("jeepney");
    expect(motifOf("Halo-Halo Nights", "RNG", 7)).toBe("halo-halo");
    expect(motifOf("BAHAY KUBO Blast", "RNG", 7)).toBe("kubo");
    expect(motifOf("Makati Hold'em", "LIVE", 7)).toBe("tsips");
  });

  it("is never taken from another category or from a part of a word", () => {
    expect(MOTIFS.FISH).toContain(motifOf("Jeepney of the Sea", "FISH", 7));
    expect(motifOf("Golden Nights", "RNG", 0)).toBe(MOTIFS.RNG[0]);
  });

  it("goes round with the node id if the name says nothing", () => {
    for (const category of GAME_TYPES) {
      const own = MOTIFS[category];
      const drawn = own.map((_, nodeId) => motifOf("Zzz", category, nodeId));
      expect(new Set(drawn).size).toBe(own.length);
    }
  });
});
