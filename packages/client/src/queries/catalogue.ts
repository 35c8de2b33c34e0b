import type { GameType } from "@perya/contract/catalogue";
import { MINUTE_MS } from "@perya/kernel/instant";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { numberedPages } from "./numbered-pages.ts";
import { readsOf } from "./reads.ts";

export const GAME_PAGE_SIZE = { centre: 35, search: 15, home: 9 } as const;
/** The fields of every list call besides its filter (games §7). */
const LIST_CALL = {
  platform: "html5",
  gameName: "",
  vassalage: "",
  gameClassify: "",
  minBet: "",
  minLine: "",
  isNew: "",
  clientType: "2",
} as const;

export interface GameFilter {
  readonly gameName?: string;
  readonly gameType?: GameType;
  readonly vassalage?: string;
  readonly gameClassify?: string;
  readonly minBet?: string;
  readonly isNew?: "" | "0" | "1";
  readonly pageSize: number;
}

/** `language` is part of the key of replies with text, so a switch loads them again. */
export function catalogueQueries(api: Api, merchantCode: () => string | undefined) {
  const { call } = api;
  const read = readsOf(api);
  return {
    vendors: (language: string) =>
      read("GET /api/v1/vendors", ["vendors", language], 10 * MINUTE_MS, { query: { language } }),
    hot: (language: string) =>
      read("GET /api/v1/games/hot", ["games", "hot", language], 5 * MINUTE_MS, {
        query: { isPlatform: "2", platform: "html5", language, merchantCode: merchantCode() },
      }),
    /** Pages from `firstPage` on: `fetchNextPage` appends, another `firstPage` replaces. */
    games: (language: string, filter: GameFilter, firstPage = 1) =>
      infiniteQueryOptions({
        queryKey: ["games", "list", language, filter, firstPage],
        queryFn: ({ pageParam, signal }) =>
          call("GET /api/v1/games", {
            query: {
              ...LIST_CALL,
              ...filter,
              merchant: merchantCode(),
              pageNo: pageParam,
              language,
            },
            signal,
          }),
        ...numberedPages(firstPage),
        placeholderData: keepPreviousData,
        staleTime: 5 * MINUTE_MS,
      }),
  };
}
