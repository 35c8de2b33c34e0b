/** What the query of each screen's address means: what is not understood is absent. */
import {
  LOTTERY_VENDORS,
  type LotteryVendor,
  PLAY_TYPES,
  type PlayType,
  SPORTS_LOBBIES,
} from "@perya/contract/launch-terms";
import { PROMO_CATEGORIES, type PromoCategory } from "@perya/contract/promotion-rules";
import { GAME_TYPES, type GameType } from "./parts/game-types.ts";
import { readShellSearch } from "./shell/popups.ts";

type Given = Readonly<Record<string, unknown>>;

const LIST_TABS = ["hot", "recent", "fav", "filter"] as const;

export interface ListSearch {
  gameType?: GameType;
  type?: string;
  vassalage?: string;
  name?: string;
  minBet?: string;
  tab?: (typeof LIST_TABS)[number];
  page?: number;
}

const LOTTERY_VIEWS = ["games", "tickets", "results", "numero"] as const;
export type LotteryView = (typeof LOTTERY_VIEWS)[number];

/** What the launcher names (specification, games §4), and the part that is open. */
export interface LotterySearch {
  vendor?: LotteryVendor;
  /** Absent for the lobby. */
  gameCode?: string;
  prizeMode?: string;
  playType?: PlayType;
  view?: LotteryView;
}

/** The sports of our own lobbies. */
export type Sport = (typeof SPORTS_LOBBIES)[keyof typeof SPORTS_LOBBIES];
const SPORTS_PARTS = ["matches", "bets", "results"] as const;
export type SportsPart = (typeof SPORTS_PARTS)[number];

const RECORD_TABS = ["all", "bet", "win", "refund", "deposit", "withdrawal", "bonus"] as const;
type RecordTab = (typeof RECORD_TABS)[number];
const SEARCH_TABS = ["all", "hot", "recent", "fav"] as const;
const SECURITY_TABS = ["devices", "logins"] as const;

const NAME_MAX = 60;
const ID_MAX = 60;
const PAGE_MAX = 10_000;
const NOTICES_MAX = 1_000;

/**
 * The router lays what a validator answers over the search as it was typed, so a screen would be
 * shown whatever is left out of the answer: that is named as absent.
 */
export function searchOf<S extends object>(read: (given: Given) => S): (given: Given) => S {
  return (given) => ({
    ...Object.fromEntries(Object.keys(given).map((key) => [key, undefined])),
    ...readShellSearch(given),
    ...read(given),
  });
}

export function readHomeSearch({ cat }: Given): { cat?: GameType } {
  return present({ cat: oneOf(GAME_TYPES, cat) });
}

export function readListSearch(given: Given): ListSearch {
  const wanted = String(given.gameType).toUpperCase();
  return present({
    // The specification writes e-sports both ways (games §3).
    gameType: GAME_TYPES.find((type) => type === wanted || type === `${wanted}S`),
    type: code(given.type),
    vassalage: code(given.vassalage),
    name: nameOf(given.name),
    minBet: matching(/^\d{1,9}(\.\d{1,2})?$/, String(given.minBet)),
    tab: oneOf(LIST_TABS, given.tab),
    page: laterPage(given.page),
  });
}

/** Whether what a list shows is the player's own, which needs a log-in (games §2.7, reading 4). */
export function isOwnList({ tab, type }: Pick<ListSearch, "tab" | "type">): boolean {
  return ["recent", "fav"].includes(tab ?? type?.toLowerCase() ?? "");
}

/** Of the search by name. */
export function readNameSearch(given: Given) {
  return present<{ q?: string; tab?: (typeof SEARCH_TABS)[number]; page?: number }>({
    q: nameOf(given.q),
    tab: oneOf(SEARCH_TABS, given.tab),
    page: laterPage(given.page),
  });
}

export type VendorSearch = Pick<ListSearch, "vassalage" | "gameType">;

/** A vendor rather than one of its games (games §2.2). */
export function readVendorSearch(given: Given): VendorSearch {
  const { vassalage, gameType } = readListSearch(given);
  return present({ vassalage, gameType });
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

export function readSportsSearch(given: Given): { sport?: Sport; part?: SportsPart } {
  return present({
    sport: oneOf(Object.values(SPORTS_LOBBIES), given.sport),
    part: oneOf(SPORTS_PARTS, given.part),
  });
}

export function readFairnessSearch({ round }: Given): { round?: string } {
  return typeof round === "string" ? { round: round.slice(0, ID_MAX) } : {};
}

export function readDepositSearch({ deposit }: Given): { deposit?: string } {
  return typeof deposit === "string" ? { deposit: deposit.slice(0, ID_MAX) } : {};
}

export function readRecordSearch(given: Given): { tab?: RecordTab; types?: "A" } {
  return present({ tab: oneOf(RECORD_TABS, given.tab), types: oneOf(["A"] as const, given.types) });
}

export function readSecuritySearch({ tab }: Given): { tab?: (typeof SECURITY_TABS)[number] } {
  return present({ tab: oneOf(SECURITY_TABS, tab) });
}

/** Counts from zero in the order of the list (specification, reading 31). */
export function readNoticeSearch(given: Given): { index?: number } {
  const index = Number(given.index);
  const counts = given.index !== "" && Number.isInteger(index) && index >= 0 && index < NOTICES_MAX;
  return counts ? { index } : {};
}

export function readActivitySearch({ id, cat }: Given): { id?: string; cat?: PromoCategory } {
  return present({
    id: typeof id === "string" ? id.slice(0, ID_MAX) : undefined,
    cat: oneOf(PROMO_CATEGORIES, cat),
  });
}

export function readActivityDetailSearch({ id }: Given): { id?: string } {
  return present({ id: textOf(id, ID_MAX) });
}

export function readHelpSearch({ tag }: Given): { tag?: string } {
  return present({ tag: matching(/^[a-z0-9-]{1,40}$/, tag) });
}

function oneOf<const T>(known: readonly T[], given: unknown): T | undefined {
  return known.find((one) => one === given);
}

function matching(pattern: RegExp, given: unknown): string | undefined {
  return typeof given === "string" && pattern.test(given) ? given : undefined;
}

function code(given: unknown): string | undefined {
  return matching(/^[A-Za-z0-9_]{1,30}$/, given)?.toUpperCase();
}

/** The name of a game that is searched for, as the box has it; a number is one too. */
function nameOf(given: unknown): string | undefined {
  const name = typeof given === "number" ? String(given) : given;
  return typeof name === "string" ? textOf(name.trim(), NAME_MAX) : undefined;
}

/** At most so much of a text; absent where there is none. */
function textOf(given: unknown, longest: number): string | undefined {
  return typeof given === "string" && given !== "" ? given.slice(0, longest) : undefined;
}

/** The first page needs no name. */
function laterPage(given: unknown): number | undefined {
  const page = Number(given);
  return Number.isInteger(page) && page > 1 && page <= PAGE_MAX ? page : undefined;
}

/** What has a value; the router would show a key without one. */
function present<S extends object>(search: { [K in keyof S]: S[K] | undefined }): S {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined);
  // Only what was undefined is gone.
  return Object.fromEntries(entries) as S;
}
