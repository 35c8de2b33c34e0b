import { HOUR_MS, SECOND_MS } from "@perya/kernel/instant";
import { describe, expect, it, vi } from "vitest";
import { makeBrand, manualClock } from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import type { Merchant } from "../brand/brand.ts";
import {
  Catalogue,
  insertGames,
  insertLiveModels,
  insertVendors,
  type NewGame,
  searchName,
} from "./catalogue.ts";

const clock = manualClock();
const NAMES = [
  "Parol Fortune",
  "Kalabaw Gold",
  "Kalabaw Gold Deluxe",
  "Golden Kalabaw",
  "Piñata Fiesta",
  "Sampaguita Bloom",
  "Jeepney Joyride",
  "Jeepney Rush 100%",
  "Derby of the North",
];

const db = await databaseOfFile();
const catalogue = new Catalogue(db.pool, clock);
const merchant = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: false } } });
const withCockfight = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: true } } });
for (const one of [merchant, withCockfight]) {
  await insertVendors(db.pool, one.id, [
    { code: "BGS", gameType: "RNG", displayName: "Originals", status: "up" },
    { code: "PGE", gameType: "RNG", displayName: "Pista", status: "maintenance" },
    { code: "SV3", gameType: "COCKFIGHT", displayName: "Sabong", status: "up" },
  ]);
  await insertGames(db.pool, one.id, NAMES.map(game));
}

describe("a search by name", () => {
  it("finds within names, in any case, with any accents and punctuation", async () => {
    expect(await found("jeepney")).toEqual(["Jeepney Joyride", "Jeepney Rush 100%"]);
    expect(await found("NEY JOY")).toEqual(["Jeepney Joyride"]);
    expect(await found("pinata")).toEqual(["Piñata Fiesta"]);
    expect(await found("Piñata")).toEqual(["Piñata Fiesta"]);
    expect(searchName("  Piñata—FIESTA!! ")).toBe("pinata fiesta");
  });

  it("finds a misspelt name", async () => {
    expect(await found("kalabau gold")).toContain("Kalabaw Gold");
    expect(await found("jepney")).toContain("Jeepney Joyride");
    expect(await found("sampagita")).toEqual(["Sampaguita Bloom"]);
    expect(await found("parol fortun")).toEqual(["Parol Fortune"]);
    expect(await found("fortune parol")).toEqual(["Parol Fortune"]);
  });

  it("finds by the surest word if no game contains all of them", async () => {
    expect(await found("sampagita jepney")).toEqual(["Sampaguita Bloom"]);
  });

  it("looks for one or two letters where words begin, names that begin with them first", async () => {
    expect(await found("go")).toEqual(["Golden Kalabaw", "Kalabaw Gold", "Kalabaw Gold Deluxe"]);
    expect(await found("ny")).toEqual([]);
  });

  it("puts names that begin with it first, then names that contain it", async () => {
    const names = await found("kalabaw");
    expect(names.slice(0, 2)).toEqual(["Kalabaw Gold", "Kalabaw Gold Deluxe"]);
    expect(names[2]).toBe("Golden Kalabaw");
  });

  it("takes the signs of a pattern literally, and finds nothing by signs alone", async () => {
    expect(await found("%")).toEqual([]);
    expect(await found("___")).toEqual([]);
    expect(await found("zzzzqqq")).toEqual([]);
    expect(await found("100%")).toEqual(["Jeepney Rush 100%"]);
  });
});

describe("a list of games", () => {
  it("pages through every game once, in the brand's order, with the whole count", async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 4; page++) {
      const { games, totalCount } = await catalogue.page(merchant, all(), page, 3);
      expect(totalCount).toBe(8);
      seen.push(...games.map((one) => one.name));
    }
    expect(seen).toEqual(NAMES.slice(0, 8));
    expect((await catalogue.page(merchant, all(), 10_000, 60)).games).toEqual([]);
  });

  it("narrows by vendor, classification, novelty and smallest stake together", async () => {
    const names = async (change: object) =>
      (await catalogue.page(merchant, { ...all(), ...change }, 1, 60)).games.map((g) => g.name);
    expect(await names({ vendor: "PGE" })).toEqual(NAMES.filter((_, i) => i % 2 === 1 && i < 8));
    expect(await names({ isNew: true })).toEqual([
      "Parol Fortune",
      "Golden Kalabaw",
      "Jeepney Joyride",
    ]);
    expect(await names({ maxMinBetMinor: 200n })).toEqual(["Parol Fortune", "Kalabaw Gold"]);
    expect(await names({ vendor: "PGE", isNew: true, name: "golden" })).toEqual(["Golden Kalabaw"]);
    expect(await names({ gameType: "FISH" })).toEqual([]);
  });

  it("shows a change within seconds, or at once after `forget`", async () => {
    const count = async () => (await catalogue.page(merchant, all(), 1, 1)).totalCount;
    expect(await count()).toBe(8);
    await insertGames(db.pool, merchant.id, [game("New Arrival", 20)]);
    catalogue.forget();
    expect(await count()).toBe(9);
    await db.pool.query("DELETE FROM games WHERE merchant_id = $1 AND name = 'New Arrival'", [
      merchant.id,
    ]);
    clock.advance(10 * SECOND_MS);
    expect(await count()).toBe(8);
    await insertGames(db.pool, merchant.id, [game("New Arrival", 20)]);
    clock.set(clock.now() - HOUR_MS);
    expect(await count()).toBe(9);
    await db.pool.query("DELETE FROM games WHERE merchant_id = $1 AND name = 'New Arrival'", [
      merchant.id,
    ]);
    clock.set(clock.now() + HOUR_MS);
    expect(await count()).toBe(8);
  });

  it("[G2.7-09] of sports includes the related categories that the brand has on", async () => {
    const sports = async (one: Merchant) => {
      const filter = { ...all(), gameType: "SPORTS" as const };
      return (await catalogue.page(one, filter, 1, 60)).games.map(({ name }) => name);
    };
    const kin = ["SPORTS", "ESPORTS"] as const;
    for (const one of [merchant, withCockfight]) {
      await insertVendors(
        db.pool,
        one.id,
        kin.map((gameType) => ({ code: "AV", gameType, displayName: "Arena", status: "up" })),
      );
      const games = kin.map((gameType, i) => ({
        ...game(`Of ${gameType}`, 30 + i),
        ...{ gameType, vendor: "AV", isNew: false, hotSort: null },
      }));
      await insertGames(db.pool, one.id, games);
    }
    catalogue.forget();
    const listed = [await sports(withCockfight), await sports(merchant)];
    for (const from of ["games WHERE vendor", "vendors WHERE code"]) {
      await db.pool.query(`DELETE FROM ${from} = 'AV'`);
    }
    catalogue.forget();
    expect(listed).toEqual([
      [NAMES[8], "Of SPORTS", "Of ESPORTS"],
      ["Of SPORTS", "Of ESPORTS"],
    ]);
  });

  it("[G1-02] of a brand without cockfights shows none anywhere, and of one with cockfights all of them", async () => {
    const derby = 1_008;
    expect(await found("derby")).toEqual([]);
    expect(await catalogue.game(merchant, derby)).toBeNull();
    expect((await catalogue.hot(merchant)).map((one) => one.name)).not.toContain(NAMES[8]);
    const types = async (one: Merchant) =>
      (await catalogue.vendors(one)).map((vendor) => vendor.game_type);
    expect(await types(merchant)).not.toContain("COCKFIGHT");
    expect(await catalogue.byGameCode(merchant, "SV3", "G8")).toBeNull();
    const deals = { id: "pearl", name: "Pearl", nodeId: derby, active: true, streaming: false };
    const dealing = { active: true, streaming: false };
    for (const one of [merchant, withCockfight]) await insertLiveModels(db.pool, one.id, [deals]);
    expect(await catalogue.liveModels(merchant, dealing)).toEqual([]);
    expect(await catalogue.liveModels(withCockfight, dealing)).toHaveLength(1);

    expect(await found("derby", withCockfight)).toEqual([NAMES[8]]);
    expect(await catalogue.game(withCockfight, derby)).toMatchObject({ name: NAMES[8] });
    expect((await catalogue.hot(withCockfight)).map((one) => one.name)).toContain(NAMES[8]);
    expect(await types(withCockfight)).toContain("COCKFIGHT");
  });
});

describe("the offer of a vendor", () => {
  it("[G7-03] is counted by type and classification, and a change shows within seconds", async () => {
    const had = async () =>
      (await catalogue.vendorClasses(merchant, "BGS")).map((row) => [
        ...[row.game_type, row.classify, row.games, row.new_games, row.hot_games],
      ]);
    const before = await had();
    const own = NAMES.slice(0, 8).filter((_, i) => i % 2 === 0);
    expect(before.reduce((sum, [, , games]) => sum + Number(games), 0)).toBe(own.length);
    expect(before.map(([type]) => type)).toEqual(before.map(() => "RNG"));
    await insertGames(db.pool, merchant.id, [
      { ...game("New Arrival", 20), classify: "MEGA", isNew: true, hotSort: null },
    ]);
    expect(await had()).toEqual(before);
    clock.advance(10 * SECOND_MS);
    expect(await had()).toEqual([...before, ["RNG", "MEGA", 1, 1, 0]].sort());
    await db.pool.query("DELETE FROM games WHERE merchant_id = $1 AND name = 'New Arrival'", [
      merchant.id,
    ]);
    catalogue.forget();
    expect(await had()).toEqual(before);
  });

  it("of a vendor without games is its types, and nothing of one that the brand does not have", async () => {
    await insertVendors(db.pool, merchant.id, [
      { code: "EMPTY", gameType: "FISH", displayName: "Empty", status: "up" },
    ]);
    expect(await catalogue.vendorClasses(merchant, "EMPTY")).toEqual([
      { game_type: "FISH", classify: "", games: 0, new_games: 0, hot_games: 0 },
    ]);
    expect(await catalogue.vendorClasses(merchant, "NOBODY")).toEqual([]);
    // A vendor of cockfights only does not exist if they are off.
    expect(await catalogue.vendorClasses(merchant, "SV3")).toEqual([]);
    expect(await catalogue.vendorClasses(withCockfight, "SV3")).toHaveLength(1);
    await db.pool.query("DELETE FROM vendors WHERE merchant_id = $1 AND code = 'EMPTY'", [
      merchant.id,
    ]);
  });
});

it("one list that many ask for at once is read once", async () => {
  catalogue.forget();
  const read = vi.spyOn(db.pool, "query");
  await Promise.all(Array.from({ length: 50 }, () => catalogue.page(merchant, all(), 1_000, 60)));
  expect(read).toHaveBeenCalledTimes(1);
  read.mockRestore();
});

describe("a game that is played", () => {
  it("is read once however many bets come at once, and anew after ten seconds, or at once after `forget` or if the clock is set back", async () => {
    const read = vi.spyOn(db.pool, "query");
    const state = async () =>
      (await catalogue.playRefusal(merchant, 0, { vendor: "BGS", gameId: "game-0" }))?.code ??
      "open";
    const setVendor = (status: string) =>
      db.pool.query("UPDATE vendors SET status = $2 WHERE merchant_id = $1 AND code = 'BGS'", [
        merchant.id,
        status,
      ]);
    try {
      catalogue.forget();
      read.mockClear();
      await Promise.all(Array.from({ length: 50 }, state));
      expect(read).toHaveBeenCalledTimes(1);
      await setVendor("maintenance");
      clock.advance(10 * SECOND_MS - 1);
      expect(await state()).toBe("open");
      clock.advance(1);
      expect(await state()).toBe("maintenance");
      await setVendor("up");
      clock.set(clock.now() - HOUR_MS);
      expect(await state()).toBe("open");
      catalogue.forget();
      read.mockImplementationOnce(async () => Promise.reject(new Error("the database is away")));
      await expect(state()).rejects.toThrow("away");
      expect(await state()).toBe("open");
    } finally {
      await setVendor("up");
      read.mockRestore();
    }
  });
});

async function found(name: string, brand = merchant): Promise<string[]> {
  const { games } = await catalogue.page(brand, { ...all(), name }, 1, 60);
  return games.map((one) => one.name);
}

function all() {
  return { name: "", gameType: null, vendor: "", classify: "", isNew: null, maxMinBetMinor: null };
}

function game(name: string, i: number): NewGame {
  const house = i === 0 ? "parol-fortune" : i === 2 ? "color-game" : null;
  const cockfight = i === 8;
  return {
    nodeId: 1_000 + i,
    gameId: `game-${i}`,
    name,
    gameType: cockfight ? "COCKFIGHT" : "RNG",
    vendor: cockfight ? "SV3" : i % 2 === 1 ? "PGE" : "BGS",
    vendorName: "a vendor",
    classify: "",
    gameCode: `G${i}`,
    minBetMinor: 100 * (i + 1),
    isNew: i % 3 === 0 && i < 9,
    supportPlay: i === 0,
    freeplay: i === 0,
    isGameH5: null,
    lottoMode: null,
    rtp: null,
    houseGame: house,
    sort: i,
    hotSort: i,
  };
}
