import { describe, expect, it } from "vitest";
import {
  readActivityDetailSearch,
  readActivitySearch,
} from "../features/activity/activity-search.ts";
import { readDepositSearch } from "../features/cashier/deposit-search.ts";
import { readFairnessSearch } from "../features/fairness/fairness-search.ts";
import { isOwnList, readListSearch, readNameSearch } from "../features/games/list-search.ts";
import { readHelpSearch } from "../features/help/help-search.ts";
import { readHomeSearch } from "../features/home/home-search.ts";
import { readVendorSearch } from "../features/launch/vendor-search.ts";
import { readLotterySearch } from "../features/lottery/lottery-search.ts";
import { readNoticeSearch } from "../features/notice/notice-search.ts";
import { readRecordSearch } from "../features/records/record-search.ts";
import { readSecuritySearch } from "../features/security/security-search.ts";
import { readSportsSearch } from "../features/sports/sports-search.ts";
import { searchOf } from "../shell/search-fields.ts";

type Given = Readonly<Record<string, unknown>>;
const LONG = "x".repeat(61);
const CUT = "x".repeat(60);

/** Each screen's accepted query, and its parsed form. */
const UNDERSTOOD: readonly [string, (given: Given) => object, Given, object?][] = [
  ["home", readHomeSearch, { cat: "FISH" }],
  ["a list", readListSearch, { gameType: "LIVE", type: "BAC", vassalage: "EVO", tab: "filter" }],
  [
    "a list",
    readListSearch,
    { type: "bac", vassalage: "pg_1" },
    { type: "BAC", vassalage: "PG_1" },
  ],
  ["a list", readListSearch, { type: "A".repeat(30), vassalage: "B".repeat(30) }],
  ["a list", readListSearch, { name: LONG }, { name: CUT }],
  ["a list", readListSearch, { name: 7 }, { name: "7" }],
  ["a list", readListSearch, { minBet: "123456789.05" }],
  ["a list", readListSearch, { minBet: 5 }, { minBet: "5" }],
  ["a list", readListSearch, { minBet: "0.5" }],
  ["a list", readListSearch, { page: 2 }],
  ["a list", readListSearch, { page: "10000" }, { page: 10_000 }],
  ["a list", readListSearch, { tab: "hot" }],
  ["the search", readNameSearch, { q: "ace", tab: "fav", page: 10_000 }],
  ["the search", readNameSearch, { q: 777 }, { q: "777" }],
  ["the search", readNameSearch, { q: LONG }, { q: CUT }],
  ["a vendor", readVendorSearch, { vassalage: "EVO", gameType: "LIVE" }],
  [
    ...(["lotteries", readLotterySearch] as const),
    { vendor: "VNC", gameCode: "LOTTO_649", prizeMode: "LOTT", view: "tickets" },
    { gameCode: "LOTTO_649", prizeMode: "LOTT", view: "tickets" },
  ],
  ["lotteries", readLotterySearch, { gameCode: "A".repeat(40), prizeMode: "B".repeat(10) }],
  ["sports", readSportsSearch, { sport: "football", part: "results" }],
  ["fairness", readFairnessSearch, { round: LONG }, { round: CUT }],
  ["deposits", readDepositSearch, { deposit: LONG }, { deposit: CUT }],
  ["records", readRecordSearch, { tab: "bonus", types: "A" }],
  ["the security centre", readSecuritySearch, { tab: "logins" }],
  ["notices", readNoticeSearch, { index: 0 }],
  ["notices", readNoticeSearch, { index: "999" }, { index: 999 }],
  ["activities", readActivitySearch, { id: LONG }, { id: CUT }],
  ["activities", readActivitySearch, { id: "" }],
  ["an activity", readActivityDetailSearch, { id: LONG }, { id: CUT }],
  ["help", readHelpSearch, { tag: "a-9" }],
  ["help", readHelpSearch, { tag: "a".repeat(40) }],
];

const MISTAKEN: readonly [string, (given: Given) => object, Given][] = [
  ["home", readHomeSearch, { cat: "CHESS" }],
  ["a list", readListSearch, { gameType: "CHESS", type: "B C", vassalage: "", tab: "none" }],
  ["a list", readListSearch, { type: "A".repeat(31), vassalage: `${"B".repeat(30)}!`, name: "" }],
  ["a list", readListSearch, { type: "!B", vassalage: 5, name: true }],
  ["a list", readListSearch, { minBet: "1234567890", page: 1 }],
  ["a list", readListSearch, { minBet: "5.", page: 10_001 }],
  ["a list", readListSearch, { minBet: "5.123", page: 2.5 }],
  ["a list", readListSearch, { minBet: "-5", page: "abc" }],
  ["a list", readListSearch, { minBet: "5a", page: -2 }],
  ["a list", readListSearch, { minBet: ".5" }],
  ["the search", readNameSearch, { q: "", tab: "cold", page: 1 }],
  ["the search", readNameSearch, { q: true, page: 10_001 }],
  ["a vendor", readVendorSearch, { name: "ace", page: 3 }],
  ["lotteries", readLotterySearch, { vendor: "?", playType: "?", view: "none" }],
  ["lotteries", readLotterySearch, { gameCode: "A".repeat(41), prizeMode: "B".repeat(11) }],
  ["lotteries", readLotterySearch, { gameCode: "a", prizeMode: "L1" }],
  ["lotteries", readLotterySearch, { gameCode: "A!", prizeMode: "1L" }],
  ["lotteries", readLotterySearch, { gameCode: "!A", prizeMode: 1 }],
  ["lotteries", readLotterySearch, { gameCode: 649 }],
  ["sports", readSportsSearch, { sport: "chess", part: "all" }],
  ["fairness", readFairnessSearch, { round: 7 }],
  ["deposits", readDepositSearch, { deposit: 7 }],
  ["records", readRecordSearch, { tab: "none", types: "B" }],
  ["the security centre", readSecuritySearch, { tab: "none" }],
  ["notices", readNoticeSearch, { index: -1 }],
  ["notices", readNoticeSearch, { index: 1_000 }],
  ["notices", readNoticeSearch, { index: 1.5 }],
  ["notices", readNoticeSearch, { index: "" }],
  ["notices", readNoticeSearch, {}],
  ["activities", readActivitySearch, { id: 7, cat: "none" }],
  ["an activity", readActivityDetailSearch, { id: "" }],
  ["an activity", readActivityDetailSearch, { id: 7 }],
  ["help", readHelpSearch, { tag: "a b" }],
  ["help", readHelpSearch, { tag: "" }],
  ["help", readHelpSearch, { tag: "a".repeat(41) }],
  ["help", readHelpSearch, { tag: "!a" }],
  ["help", readHelpSearch, { tag: 9 }],
];

describe("the query of a screen's address", () => {
  it.each(UNDERSTOOD)("of %s is parsed (%#)", (_, read, given, meant = given) => {
    expect(read(given)).toStrictEqual(meant);
  });

  it.each(MISTAKEN)("of %s is empty where it is invalid (%#)", (_, read, given) => {
    expect(read(given)).toStrictEqual({});
  });

  it("accepts e-sports in both spellings, in any case", () => {
    for (const gameType of ["ESPORT", "ESPORTS", "esport"]) {
      expect(readListSearch({ gameType })).toEqual({ gameType: "ESPORTS" });
    }
  });

  it("shows a screen nothing as it was typed, and drops invalid values", () => {
    const read = searchOf(readHomeSearch)({ cat: "FISH", pop: "menu", evil: "1" });
    expect(read).toStrictEqual({ cat: "FISH", pop: "menu", evil: undefined });
  });

  it("[G2.7-16] has one of five tabs in the list centre, and no other", () => {
    const tabs = ["all", "hot", "recent", "fav", "filter", "new", "search", "HOT", ""];
    // Without a name the tab is All.
    const taken = tabs.filter((tab) => (readListSearch({ tab }).tab ?? "all") === tab);
    expect(taken).toEqual(["all", "hot", "recent", "fav", "filter"]);
  });

  it("leads to a list of the player's own by its tab, or else by its selection", () => {
    for (const search of [{ tab: "fav" }, { tab: "recent" }, { type: "FAV" }, { type: "RECENT" }]) {
      expect(isOwnList(search as Parameters<typeof isOwnList>[0])).toBe(true);
    }
    expect(isOwnList({ tab: "hot", type: "FAV" })).toBe(false);
    expect(isOwnList({ type: "HOT" })).toBe(false);
    expect(isOwnList({})).toBe(false);
  });
});
