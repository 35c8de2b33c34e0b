import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { readsOf } from "../queries/reads.ts";
import { pagesOf } from "./keyset-pages.ts";

export const SPORTS_BOARD_KEY = ["sports", "board"] as const;
export const SPORTS_BETS_KEY = [OWN_KEY, "sports", "bets"] as const;

export function sportsQueries(api: Api) {
  const read = readsOf(api);
  const pages = pagesOf(api);
  return {
    /** The board when it was asked for; the channel of sports keeps it up to date. */
    sportsBoard: () => read("GET /api/v1/sports/board", SPORTS_BOARD_KEY, 0),
    sportsResults: (sport: "football" | "esports") =>
      pages("GET /api/v1/sports/results", ["sports", "results", sport], { sport }),
    sportsBets: () => pages("GET /api/v1/sports/bets", SPORTS_BETS_KEY, {}),
  };
}
