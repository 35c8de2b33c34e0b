import type { Game, GameType } from "./catalogue.ts";

/**
 * The terms of a launch, computed by the same code in the browser that sends it and in the server
 * that checks it (games §2.6, §4). This file has no schema, so that the browser loads none.
 */

/** The vendor of the games that our own server deals. */
export const HOUSE_VENDOR = "BGS";

/** Their games start through the lottery launcher; all others through the generic one. */
export const LOTTERY_VENDORS = ["TCG_LOTTO_VN", "TCG_SEA", "LOTT", "ELOTT"] as const;
export type LotteryVendor = (typeof LOTTERY_VENDORS)[number];

/** The pages of these vendors are lobbies of our own, one per sport. */
export const SPORTS_LOBBIES = { LRO: "football", IA: "esports" } as const;
export type SportsVendor = keyof typeof SPORTS_LOBBIES;

/** The prize modes that the specification names; nothing uses ZY yet. */
export const PRIZE_MODES = { Lott: "LOTT", ZY: "ZY", Elott: "ELOTT" } as const;
/** Only for launches of TCG_SEA. */
export const SEA = "SEA";
export type PrizeMode = (typeof PRIZE_MODES)[keyof typeof PRIZE_MODES] | typeof SEA;

export const PLAY_TYPES = { Tradition: "trad", Entertainment: "ent" } as const;
export type PlayType = (typeof PLAY_TYPES)[keyof typeof PLAY_TYPES];

export const LOBBY = "lobby";

/** `isGameH5` of a game that opens its vendor's page. */
export const VENDOR_PAGE = "VASSALAGE";

export interface MappedVendor {
  readonly vassalage: string;
  readonly gameType: GameType;
}

export function isLotteryVendor(vendor: string): vendor is LotteryVendor {
  return LOTTERY_VENDORS.some((one) => one === vendor);
}

export function isSportsVendor(vendor: string): vendor is SportsVendor {
  return Object.hasOwn(SPORTS_LOBBIES, vendor);
}

/** ELOTT where the mapping has an ELOTT entry for TCG_LOTTO_VN or LOTT; SEA for TCG_SEA. */
export function prizeModeOf(vendor: LotteryVendor, mapping: readonly MappedVendor[]): PrizeMode {
  if (vendor === "TCG_SEA") return SEA;
  const electronic = mapping.some(
    ({ vassalage, gameType }) =>
      gameType === "ELOTT" && (vassalage === "TCG_LOTTO_VN" || vassalage === "LOTT"),
  );
  return electronic ? PRIZE_MODES.Elott : PRIZE_MODES.Lott;
}

/** The play type that the game names, else that of its game type. */
export function playTypeOf(game: Pick<Game, "gameType" | "lottoMode">): PlayType {
  if (game.lottoMode === "Tradition" || game.lottoMode === "Entertainment") {
    return PLAY_TYPES[game.lottoMode];
  }
  return game.gameType === "ELOTT" ? PLAY_TYPES.Entertainment : PLAY_TYPES.Tradition;
}

/** Whether a trial account may launch it: its `supportPlay` or `freeplay` is set. */
export function isFreeToTry(game: Pick<Game, "supportPlay" | "freeplay">): boolean {
  return game.supportPlay || game.freeplay;
}
