import { MINUTE_MS } from "@perya/kernel/instant";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";

/** Prize modes that have a menu, and the browser's storage name of each (games §7). */
const MENU_KEYS = { LOTT: "lottList", ELOTT: "elottList", SEA: "getGameLotts" } as const;

export const LOTTERY_MENUS = ["LOTT", "ELOTT", "SEA"] as const;
type LotteryMenu = (typeof LOTTERY_MENUS)[number];

export function lotteryMenuQueries({ call }: Api) {
  return {
    /** The lottery menus, under the specification's storage keys (games §7). */
    lotteryMenu: (prizeMode: LotteryMenu) =>
      queryOptions({
        queryKey: [MENU_KEYS[prizeMode]],
        queryFn: ({ signal }) =>
          call("GET /api/v1/lottery/menus", { query: { prizeMode }, signal }),
        staleTime: 5 * MINUTE_MS,
      }),
  };
}
