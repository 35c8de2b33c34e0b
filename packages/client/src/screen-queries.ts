import type { Api } from "./api.ts";
import { accountQueries } from "./screen-queries/account.ts";
import { cashierQueries } from "./screen-queries/cashier.ts";
import { cockfightQueries } from "./screen-queries/cockfight.ts";
import { contractQueries } from "./screen-queries/contracts.ts";
import { gameQueries } from "./screen-queries/games.ts";
import { lotteryQueries } from "./screen-queries/lottery.ts";
import { noticeQueries } from "./screen-queries/notices.ts";
import { promotionQueries } from "./screen-queries/promotions.ts";
import { recordQueries } from "./screen-queries/records.ts";
import { serviceQueries } from "./screen-queries/service.ts";
import { sportsQueries } from "./screen-queries/sports.ts";

/** Options for the queries of single screens, as `createQueries` has those of all. */
export function createScreenQueries(api: Api, merchantCode: () => string | undefined) {
  return {
    ...accountQueries(api),
    ...cashierQueries(api),
    ...cockfightQueries(api),
    ...contractQueries(api),
    ...gameQueries(api, merchantCode),
    ...lotteryQueries(api),
    ...noticeQueries(api, merchantCode),
    ...promotionQueries(api),
    ...recordQueries(api),
    ...serviceQueries(api),
    ...sportsQueries(api),
  };
}
