import type { GameType } from "@perya/contract/catalogue";
import { MINUTE_MS } from "@perya/kernel/instant";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { numberedPages } from "./numbered-pages.ts";

export const FAVOURITE_IDS_KEY = [OWN_KEY, "favourite-ids"] as const;
export const FAVOURITES_KEY = [OWN_KEY, "favourites"] as const;
export const RECENT_GAMES_KEY = [OWN_KEY, "recent-games"] as const;
const FAVOURITE_IDS_SIZE = 100;
const OWN_CALL = { gameType: "", vendor: "" } as const;

export interface PlayerGameFilter {
  readonly gameType?: GameType;
  readonly vendor?: string;
  readonly pageSize: number;
}

export function playerGameQueries({ call }: Api) {
  return {
    /** Node ids of all favourites, a hundred per request (games §7). */
    favouriteIds: () =>
      queryOptions({
        queryKey: FAVOURITE_IDS_KEY,
        queryFn: async ({ signal }) => {
          const ids: number[] = [];
          for (let pageNo = 1; ids.length === (pageNo - 1) * FAVOURITE_IDS_SIZE; pageNo++) {
            const query = { pageNo, pageSize: FAVOURITE_IDS_SIZE };
            const { list } = await call("GET /api/v1/member/favourite-ids", { query, signal });
            ids.push(...list);
          }
          return ids;
        },
        staleTime: 5 * MINUTE_MS,
      }),
    /** Pages as those of `games`. */
    favourites: (language: string, filter: PlayerGameFilter, firstPage = 1) =>
      infiniteQueryOptions({
        queryKey: [...FAVOURITES_KEY, language, filter, firstPage],
        queryFn: async ({ pageParam, signal }) => {
          const query = { ...OWN_CALL, ...filter, pageNo: pageParam, language };
          const page = await call("GET /api/v1/member/favourites", { query, signal });
          return { games: page.content, pageNum: pageParam, totalPages: page.totalPages };
        },
        ...numberedPages(firstPage),
        staleTime: MINUTE_MS,
      }),
    /** Pages as those of `games`. */
    recentGames: (language: string, filter: PlayerGameFilter, firstPage = 1) =>
      infiniteQueryOptions({
        queryKey: [...RECENT_GAMES_KEY, language, filter, firstPage],
        queryFn: async ({ pageParam, signal }) => {
          const query = {
            ...OWN_CALL,
            ...filter,
            clientType: "2",
            page: pageParam,
            language,
          } as const;
          const page = await call("GET /api/v1/member/recent-games", { query, signal });
          return { games: page.list, pageNum: pageParam, totalPages: page.totalPages };
        },
        ...numberedPages(firstPage),
        // Another game may have been opened since.
        staleTime: 0,
      }),
  };
}
