import { MINUTE_MS } from "@perya/kernel/instant";
import type { Api } from "../api.ts";
import { readsOf } from "./reads.ts";

/** Prize modes that have a menu, and the browser's storage name of each (games §7). */
const MENU_KEYS = { LOTT: "lottList", ELOTT: "elottList", SEA: "getGameLotts" } as const;

export const LOTTERY_MENUS = ["LOTT", "ELOTT", "SEA"] as const;
type LotteryMenu = (typeof LOTTERY_MENUS)[number];

export function lotteryMenuQueries(api: Api) {
  const read = readsOf(api);
  return {
    /** The lottery menus, under the specification's storage keys (games §7). */
    lotteryMenu: (prizeMode: LotteryMenu) =>
      read("GET /api/v1/lottery/menus", [MENU_KEYS[prizeMode]], 5 * MINUTE_MS, {
        query: { prizeMode },
      }),
  };
}
