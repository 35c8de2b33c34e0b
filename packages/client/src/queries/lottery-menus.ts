import { MINUTE_MS } from "@perya/kernel/instant";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";

/** Prize modes that have a menu, and the names that the browser keeps each under (games §7). */
const MENU_KEYS = { LOTT: "lottList", ELOTT: "elottList", SEA: "getGameLotts" } as const;

export const LOTTERY_MENUS = ["LOTT", "ELOTT", "SEA"] as const;
type LotteryMenu = (typeof LOTTERY_MENUS)[number];

export function lotteryMenuQueries({ call }: Api) {
  return {
    /** The menus of lotteries stand under the keys that the specification keeps them by (games §7). */
    lotteryMenu: (prizeMode: LotteryMenu) =>
      queryOptions({
        queryKey: [MENU_KEYS[prizeMode]],
        queryFn: ({ signal }) =>
          call("GET /api/v1/lottery/menus", { query: { prizeMode }, signal }),
        staleTime: 5 * MINUTE_MS,
      }),
  };
}
