import type { playerGameCalls } from "@perya/contract/player-games";
import { ok } from "@perya/kernel/result";
import type { Routes } from "../identity/identity.ts";
import { gameReply } from "./catalogue.ts";
import type { PlayerGames } from "./player-games.ts";

export function playerGameRoutes(own: PlayerGames): Routes<typeof playerGameCalls> {
  return {
    "GET /api/v1/member/favourites": async ({ merchant, session, query }) => {
      const { vendor, pageNo, pageSize } = query;
      const filter = { gameType: query.gameType || null, vendor };
      const page = { no: pageNo, size: pageSize };
      const found = await own.page(merchant, session, "favourites", filter, page);
      return ok({
        content: found.games.map((game) => gameReply(game, merchant)),
        totalPages: found.totalPages,
        pageNum: pageNo,
        pageSize,
      });
    },

    "GET /api/v1/member/favourite-ids": async ({ session, query: { pageNo, pageSize } }) =>
      ok({ list: await own.favouriteIds(session, { no: pageNo, size: pageSize }) }),

    "POST /api/v1/member/favourites": ({ merchant, session, body }) =>
      own.keep(merchant, session, body),

    "DELETE /api/v1/member/favourites": async ({ session, body }) => {
      await own.drop(session, body.nodeId);
      return ok({ kept: false as const });
    },

    "GET /api/v1/member/recent-games": async ({ merchant, session, query }) => {
      const { vendor, page: no, pageSize: size } = query;
      const filter = { gameType: query.gameType || null, vendor };
      const found = await own.page(merchant, session, "recent", filter, { no, size });
      return ok({
        list: found.games.map((game) => gameReply(game, merchant)),
        totalPages: found.totalPages,
      });
    },

    "GET /api/v1/member/recent-games/add": ({ merchant, session, query }) =>
      own.opened(merchant, session, query.nodeId),
  };
}
