import type { catalogueCalls } from "@perya/contract/catalogue";
import { fieldRefusal, refusal } from "@perya/contract/refusal";
import { type Clock, SECOND_MS } from "@perya/kernel/instant";
import { parseDecimal } from "@perya/kernel/money";
import { ok, refuse } from "@perya/kernel/result";
import { PreparedReply } from "../../platform/http/handlers.ts";
import { createSharedReads } from "../../platform/shared-reads.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Routes } from "../identity/identity.ts";
import type { VendorClassRow } from "./catalogue.store.ts";
import { type Catalogue, gameReply, vendorsReply } from "./catalogue.ts";

/** Replies that are the same for every caller are made once in this time. */
const REPLY_CACHE_MS = 5 * SECOND_MS;
const REPLIES_MAX = 500;

export function catalogueRoutes(catalogue: Catalogue, clock: Clock): Routes<typeof catalogueCalls> {
  const replies = createSharedReads(clock, REPLY_CACHE_MS, REPLIES_MAX);

  function prepared(
    merchant: Merchant,
    name: string,
    make: () => Promise<unknown>,
  ): Promise<PreparedReply> {
    return replies(`${merchant.id} ${name}`, async () => new PreparedReply(await make()));
  }

  return {
    "GET /api/v1/games": async ({ merchant, query }) => {
      const { gameName, gameType, pageNo, pageSize, vassalage, gameClassify } = query;
      const minBet = query.minBet === "" ? null : parseDecimal(query.minBet, merchant.currency);
      const filter = {
        name: gameName,
        gameType: gameType ?? null,
        vendor: vassalage,
        // The classifications without a column of their own (games §5).
        classify: ["NEW", "HOT", "FAV", "RECENT", "ALL"].includes(gameClassify) ? "" : gameClassify,
        isNew: query.isNew === "1" || gameClassify === "NEW" ? true : null,
        maxMinBetMinor: minBet?.minor ?? null,
      };
      const make = async () => {
        const { games, totalCount } = await catalogue.page(merchant, filter, pageNo, pageSize);
        return {
          games: games.map((game) => gameReply(game, merchant)),
          pageNum: pageNo,
          totalPages: Math.ceil(totalCount / pageSize),
          totalCount,
        };
      };
      const name = JSON.stringify([
        { ...filter, maxMinBetMinor: `${filter.maxMinBetMinor}` },
        pageNo,
        pageSize,
      ]);
      return ok(await prepared(merchant, name, make));
    },

    "GET /api/v1/games/hot": async ({ merchant }) =>
      ok(
        await prepared(merchant, "hot", async () => ({
          list: (await catalogue.hot(merchant)).map((game) => gameReply(game, merchant)),
        })),
      ),

    "GET /api/v1/games/types": async ({ merchant, query }) => {
      if (query.merchant_code !== merchant.code) {
        return refuse(fieldRefusal("merchant_code", "not_allowed"));
      }
      const rows = await catalogue.vendorClasses(merchant, query.typeId);
      if (rows.length === 0) return refuse(fieldRefusal("typeId", "not_allowed"));
      return ok({ gameTypes: gameTypesReply(rows) });
    },

    "GET /api/v1/games/{nodeId}": async ({ merchant, params }) => {
      const game = await catalogue.game(merchant, params.nodeId);
      return game === null ? refuse(refusal("not_found")) : ok(gameReply(game, merchant));
    },

    "GET /api/v1/live-models": async ({ merchant, query }) => {
      const wanted = { active: query.active === "true", streaming: query.streaming === "true" };
      const make = async () =>
        (await catalogue.liveModels(merchant, wanted)).map(({ id, name, game, ...state }) => ({
          id,
          name,
          nodeId: game.node_id,
          gameName: game.name,
          vendorName: game.vendor_name,
          portraitUrl: `/art/portrait/${id}.svg`,
          ...state,
        }));
      return ok(await prepared(merchant, `live ${JSON.stringify(wanted)}`, make));
    },

    "GET /api/v1/vendors": async ({ merchant }) =>
      ok(
        await prepared(merchant, "vendors", async () =>
          vendorsReply(await catalogue.vendors(merchant)),
        ),
      ),
  };
}

function gameTypesReply(rows: readonly VendorClassRow[]) {
  const types = [...new Set(rows.map((row) => row.game_type))];
  return types.map((gameType) => {
    const own = rows.filter((row) => row.game_type === gameType);
    return {
      gameType,
      gameCount: own.reduce((sum, { games }) => sum + games, 0),
      newCount: own.reduce((sum, { new_games }) => sum + new_games, 0),
      hotCount: own.reduce((sum, { hot_games }) => sum + hot_games, 0),
      gameClassify: own
        .filter(({ classify }) => classify !== "")
        .map(({ classify, games }) => ({ key: classify, gameCount: games })),
    };
  });
}
