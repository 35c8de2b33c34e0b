import type { Game } from "@perya/contract/catalogue";
import { pageOfType } from "@perya/contract/game-lists";
import type { LaunchBody } from "@perya/contract/launch";
import {
  isFreeToTry,
  isLotteryVendor,
  LOBBY,
  type LotteryVendor,
  type MappedVendor,
  playTypeOf,
  prizeModeOf,
  VENDOR_PAGE,
} from "@perya/contract/launch-terms";
import type { GameType } from "./game-types.ts";

/** The address that a player is at, as far as it matters to where a game leads. */
export interface Here {
  readonly pathname: string;
  readonly vassalage: string | undefined;
}

/**
 * Where a game is played (games §4): ours on their own screens, those that open their vendor on
 * the page of their type, all others at their launch. On the vendor's own page a game is launched.
 */
export function wayTo(game: Game, here: Here): string {
  if (game.houseGame !== null) return `/m/play/${game.houseGame}`;
  if (leadsToVendor(game, here)) {
    return `${pageOfType(game.gameType)}?${new URLSearchParams({ vassalage: game.vassalage })}`;
  }
  return `/m/launch/${game.nodeId}`;
}

/** Whether a game opens its vendor's page rather than itself. */
export function leadsToVendor(game: Game, { pathname, vassalage }: Here): boolean {
  if (isLotteryVendor(game.vassalage) || game.isGameH5 !== VENDOR_PAGE) return false;
  return pathname !== pageOfType(game.gameType) || vassalage !== game.vassalage;
}

/** What the launch call sends: what the game's launcher wants, and no more. */
export function launchBody(game: Game, mapping: readonly MappedVendor[]): LaunchBody {
  const { vassalage: vendor, gameType: gameCategory, gameId, nodeId } = game;
  if (isLotteryVendor(vendor)) {
    return {
      vendor,
      gameCode: game.gameCode === "" ? LOBBY : game.gameCode,
      prizeMode: prizeModeOf(vendor, mapping),
      playType: playTypeOf(game),
    };
  }
  return { gameCategory, vendor, gameId, nodeId, supportFreePlay: isFreeToTry(game) };
}

/** What the launch call sends for the lobby of a lottery's vendor. */
export function lobbyBody(
  vendor: LotteryVendor,
  gameType: GameType,
  mapping: readonly MappedVendor[],
): LaunchBody {
  const playType = playTypeOf({ gameType, lottoMode: null });
  return { vendor, gameCode: LOBBY, prizeMode: prizeModeOf(vendor, mapping), playType };
}

/** Of a vendor's games the one that it is opened by: what leads to its page, else its first. */
export function openingGame(games: readonly Game[]): Game | undefined {
  return games.find(({ isGameH5 }) => isGameH5 === VENDOR_PAGE) ?? games[0];
}
