import { MINUTE_MS } from "@perya/kernel/instant";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { readsOf } from "../queries/reads.ts";
import { pagesOf } from "./keyset-pages.ts";

export function lotteryQueries(api: Api) {
  const read = readsOf(api);
  const pages = pagesOf(api);
  return {
    lotteryList: () => read("GET /api/v1/lottery/list", ["lottery", "list"], 0),
    lotteryVietnam: () =>
      read("GET /api/v1/lottery/vietnam", ["lottery", "vietnam"], 5 * MINUTE_MS),
    lotteryPopularGames: () =>
      read("GET /api/v1/lottery/popular-games", ["lottery", "popular-games"], 5 * MINUTE_MS),
    lotteryPopular: (gameCode: string) =>
      read("GET /api/v1/lottery/popular-numbers", ["lottery", "popular", gameCode], MINUTE_MS, {
        query: { gameCode },
      }),
    lotteryNumero: (gameCode: string) =>
      read("GET /api/v1/lottery/numero", ["lottery", "numero", gameCode], undefined, {
        query: { gameCode },
      }),
    lotteryDraws: (gameCode: string) =>
      pages("GET /api/v1/lottery/draws", ["lottery", "draws", gameCode], { gameCode }),
    lotteryWinners: () => read("GET /api/v1/lottery/winners", ["lottery", "winners"], MINUTE_MS),
    lotteryTickets: () => pages("GET /api/v1/lottery/tickets", [OWN_KEY, "lottery", "tickets"], {}),
  };
}
