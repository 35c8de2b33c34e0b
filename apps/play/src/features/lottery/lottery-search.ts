import {
  LOTTERY_VENDORS,
  type LotteryVendor,
  PLAY_TYPES,
  type PlayType,
} from "@perya/contract/launch-terms";
import { type Given, matching, oneOf, present } from "../../shell/search-fields.ts";

const LOTTERY_VIEWS = ["games", "tickets", "results", "numero"] as const;
export type LotteryView = (typeof LOTTERY_VIEWS)[number];

/** The launcher's parameters (specification, games §4), and the open part. */
export interface LotterySearch {
  vendor?: LotteryVendor;
  /** Absent for the lobby. */
  gameCode?: string;
  prizeMode?: string;
  playType?: PlayType;
  view?: LotteryView;
}

export function readLotterySearch(given: Given): LotterySearch {
  return present({
    vendor: oneOf(LOTTERY_VENDORS, given.vendor),
    gameCode: matching(/^[A-Z0-9_]{1,40}$/, given.gameCode),
    prizeMode: matching(/^[A-Z]{1,10}$/, given.prizeMode),
    playType: oneOf(Object.values(PLAY_TYPES), given.playType),
    view: oneOf(LOTTERY_VIEWS, given.view),
  });
}
