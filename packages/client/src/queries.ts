import type { Api } from "./api.ts";
import { announcementQueries } from "./queries/announcements.ts";
import { brandQueries } from "./queries/brand.ts";
import { catalogueQueries } from "./queries/catalogue.ts";
import { lotteryMenuQueries } from "./queries/lottery-menus.ts";
import { memberQueries } from "./queries/member.ts";
import { playerGameQueries } from "./queries/player-games.ts";

/**
 * Options for the queries of home and of any screen; the others are in `screen-queries.ts`, so that
 * no first visit waits for them. `merchantCode` returns the brand's code, once it is known.
 */
export function createQueries(api: Api, merchantCode: () => string | undefined) {
  return {
    ...announcementQueries(api, merchantCode),
    ...brandQueries(api),
    ...catalogueQueries(api, merchantCode),
    ...lotteryMenuQueries(api),
    ...memberQueries(api),
    ...playerGameQueries(api),
  };
}
