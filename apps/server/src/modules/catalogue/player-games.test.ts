import { MINUTE_MS } from "@perya/kernel/instant";
import { describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import {
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
} from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import type { Session } from "../identity/identity.ts";
import { Catalogue, insertGames, insertVendors, type NewGame } from "./catalogue.ts";
import { PlayerGames } from "./player-games.ts";

const clock = manualClock();
const ALL = { gameType: null, vendor: "" } as const;

const db = await databaseOfFile();
const ledger = ledgerOfFile(db);
const own = new PlayerGames(db.pool, clock, new Catalogue(db.pool, clock));
const perya = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: false } } });
const other = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: true } } });
for (const brand of [perya, other]) {
  await insertVendors(db.pool, brand.id, [
    { code: "BGS", gameType: "RNG", displayName: "Originals", status: "up" },
    { code: "DIG", gameType: "LIVE", displayName: "Live", status: "up" },
    { code: "SV3", gameType: "COCKFIGHT", displayName: "Sabong", status: "up" },
  ]);
  await insertGames(db.pool, brand.id, [1, 2, 3, 4, 5, 6, 7].map(game));
}
const deps = { pool: db.pool, ledger, clock };
const maria = await makeMember(deps, perya);
const bea = await makeMember(deps, perya);

describe("favourites", () => {
  it("[G3-07 G7-05 G7-06] are stored once each, newest first, by page, type and vendor", async () => {
    for (const nodeId of [1, 2, 3, 2]) {
      clock.advance(MINUTE_MS);
      expect(taken(await own.keep(perya, maria, { nodeId, vendor: vendorOf(nodeId) }))).toEqual({
        kept: true,
      });
    }
    expect(await own.favouriteIds(maria, { no: 1, size: 100 })).toEqual([3, 2, 1]);
    expect(await idsOf(maria, "favourites", ALL, { no: 1, size: 2 })).toEqual([[3, 2], 2]);
    expect(await idsOf(maria, "favourites", ALL, { no: 2, size: 2 })).toEqual([[1], 2]);
    expect(await idsOf(maria, "favourites", { gameType: "LIVE", vendor: "" })).toEqual([[3, 1], 1]);
    expect(await idsOf(maria, "favourites", { gameType: null, vendor: "BGS" })).toEqual([[2], 1]);
  });

  it("are deleted when they are dropped, and nothing happens if there was none", async () => {
    await own.drop(maria, 2);
    await own.drop(maria, 7);
    expect(await own.favouriteIds(maria, { no: 1, size: 100 })).toEqual([3, 1]);
  });

  it("belong to nobody else, at no other brand either", async () => {
    expect(await own.favouriteIds(bea, { no: 1, size: 100 })).toEqual([]);
    const there = { merchantId: other.id, memberId: maria.memberId };
    expect(await own.favouriteIds(there, { no: 1, size: 100 })).toEqual([]);
    await own.drop(bea, 3);
    await own.drop(there, 3);
    expect(await own.favouriteIds(maria, { no: 1, size: 100 })).toEqual([3, 1]);
  });

  it("are existing games, by their own vendor", async () => {
    expect(codeOf(await own.keep(perya, maria, { nodeId: 99, vendor: "BGS" }))).toBe(
      "nodeId not_allowed",
    );
    expect(codeOf(await own.keep(perya, maria, { nodeId: 4, vendor: "DIG" }))).toBe(
      "vendor mismatch",
    );
    // A category that the brand has off has no games.
    expect(codeOf(await own.keep(perya, maria, { nodeId: 5, vendor: "SV3" }))).toBe(
      "nodeId not_allowed",
    );
    expect(await own.favouriteIds(maria, { no: 1, size: 100 })).toEqual([3, 1]);
  });
});

describe("recent games", () => {
  it("[G7-09 G7-10] are those opened last, each once, the last one first", async () => {
    for (const nodeId of [1, 2, 3, 1]) {
      clock.advance(MINUTE_MS);
      expect(taken(await own.opened(perya, bea, nodeId))).toEqual({ noted: true });
    }
    expect(await idsOf(bea, "recent", ALL)).toEqual([[1, 3, 2], 1]);
    expect(await idsOf(bea, "recent", { gameType: "RNG", vendor: "" })).toEqual([[2], 1]);
    expect(await idsOf(maria, "recent", ALL)).toEqual([[], 0]);
    expect(codeOf(await own.opened(perya, bea, 99))).toBe("nodeId not_allowed");
  });

  it("are two hundred at most", async () => {
    const many = Array.from({ length: 230 }, (_, i) => game(1_000 + i));
    const brand = await makeBrand(db.pool, clock);
    await insertVendors(db.pool, brand.id, [
      { code: "BGS", gameType: "RNG", displayName: "Originals", status: "up" },
    ]);
    await insertGames(
      db.pool,
      brand.id,
      many.map((one) => ({ ...one, vendor: "BGS", gameType: "RNG" as const })),
    );
    const player = await makeMember({ pool: db.pool, ledger, clock }, brand);
    for (const { nodeId } of many) {
      clock.advance(1);
      await own.opened(brand, player, nodeId);
    }
    const { rows } = await db.pool.query(
      "SELECT count(*)::integer AS kept, min(node_id) AS oldest FROM recent_games WHERE member_id = $1",
      [player.memberId],
    );
    expect(rows[0]).toEqual({ kept: 200, oldest: 1_030 });
  });
});

async function idsOf(
  owner: Session,
  list: "favourites" | "recent",
  filter: Parameters<PlayerGames["page"]>[3],
  page = { no: 1, size: 15 },
) {
  const { games, totalPages } = await own.page(perya, owner, list, filter, page);
  return [games.map(({ node_id }) => node_id), totalPages];
}

function vendorOf(nodeId: number): "BGS" | "DIG" | "SV3" {
  if (nodeId === 5) return "SV3";
  return nodeId % 2 === 0 ? "BGS" : "DIG";
}

function game(nodeId: number): NewGame {
  const vendor = vendorOf(nodeId);
  return {
    nodeId,
    gameId: `game-${nodeId}`,
    name: `Game ${nodeId}`,
    gameType: vendor === "BGS" ? "RNG" : vendor === "DIG" ? "LIVE" : "COCKFIGHT",
    vendor,
    vendorName: "a vendor",
    classify: "",
    gameCode: `G${nodeId}`,
    minBetMinor: 100,
    isNew: false,
    supportPlay: false,
    freeplay: false,
    isGameH5: null,
    lottoMode: null,
    rtp: null,
    houseGame: null,
    sort: nodeId,
    hotSort: null,
  };
}
