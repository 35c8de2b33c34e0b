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

/** The parts of the current address that decide where a game leads. */
export interface Here {
  readonly pathname: string;
  readonly vassalage: string | undefined;
}

/**
 * Where a game is played (games §4): our own on their own screens, those that open their vendor on
 * the page of their type, all others at their launch. The vendor's own page launches the game.
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

/** The body of the launch call: exactly what the game's launcher requires. */
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

/** The body of the launch call for the lobby of a lottery's vendor. */
export function lobbyBody(
  vendor: LotteryVendor,
  gameType: GameType,
  mapping: readonly MappedVendor[],
): LaunchBody {
  const playType = playTypeOf({ gameType, lottoMode: null });
  return { vendor, gameCode: LOBBY, prizeMode: prizeModeOf(vendor, mapping), playType };
}

/** The game that opens its vendor: the one that leads to the vendor's page, else the first. */
export function openingGame(games: readonly Game[]): Game | undefined {
  return games.find(({ isGameH5 }) => isGameH5 === VENDOR_PAGE) ?? games[0];
}
