import { GAME_TYPES, type Game, type GameType } from "@perya/contract/catalogue";
import {
  HOUSE_VENDOR,
  isLotteryVendor,
  isSportsVendor,
  VENDOR_PAGE,
} from "@perya/contract/launch-terms";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { type Clock, SECOND_MS } from "@perya/kernel/instant";
import { formatDecimal, money } from "@perya/kernel/money";
import type pg from "pg";
import { createSharedReads, type SharedReads } from "../../platform/shared-reads.ts";
import { isOn, type Merchant } from "../brand/brand.ts";
import { admission } from "./admission.ts";
import {
  type GameFilter,
  type GameRow,
  hasLiveModel,
  hasVendor,
  type LiveModelRow,
  listNodeIds,
  readGameByCode,
  readGameById,
  readGames,
  readHotGames,
  readLiveModels,
  readVendorClasses,
  readVendors,
  searchName,
  searchNodeIds,
  type VendorClassRow,
  type VendorRow,
} from "./catalogue.store.ts";

export {
  insertGames,
  insertLiveModels,
  insertVendors,
  type NewGame,
  type NewLiveModel,
  type NewVendor,
  searchName,
} from "./catalogue.store.ts";

/** How long a change of the catalogue may go unseen. */
const CACHE_MS = 10 * SECOND_MS;
/** Filters whose ids are cached; 100,000 games are 0.4 MB per filter. */
const FILTERS_MAX = 200;
const VENDORS_MAX = 200;
/** Games that are being played, which every bet asks for. */
const PLAYED_MAX = 5_000;
const HOT_MAX = 60;
const LIVE_MODELS_MAX = 60;
/** The category, and the permission key by which a brand switches it on. */
const COCKFIGHT = "COCKFIGHT";
const CLOSED = "maintenance";

/** What the specification files under sports (games §2.6, §2.7). */
const SPORTS_FAMILY = ["SPORTS", "ESPORTS", COCKFIGHT] as const;

/** The filters of a list; an empty text or null does not filter. */
export interface ListFilter extends Omit<GameFilter, "search" | "gameTypes"> {
  readonly gameType: GameType | null;
  readonly name: string;
}

export interface LiveModel extends Omit<LiveModelRow, "node_id"> {
  readonly game: GameRow;
}

export interface GamePage {
  readonly games: readonly GameRow[];
  readonly totalCount: number;
}

/**
 * Games and their vendors. A filter's ids are read once and cached, so any page, however deep, is a
 * slice of them and one look-up by key.
 */
export class Catalogue {
  readonly #pool: pg.Pool;
  readonly #connected: (vendor: string) => boolean;
  readonly #ids: SharedReads;
  readonly #classes: SharedReads;
  readonly #played: SharedReads;

  /** @param connected whether an outside vendor is connected to this installation */
  constructor(pool: pg.Pool, clock: Clock, connected: (vendor: string) => boolean = () => false) {
    this.#pool = pool;
    this.#connected = connected;
    this.#ids = createSharedReads(clock, CACHE_MS, FILTERS_MAX);
    this.#classes = createSharedReads(clock, CACHE_MS, VENDORS_MAX);
    this.#played = createSharedReads(clock, CACHE_MS, PLAYED_MAX);
  }

  async page(
    merchant: Merchant,
    filter: ListFilter,
    pageNo: number,
    pageSize: number,
  ): Promise<GamePage> {
    const search = searchName(filter.name);
    // A text of signs only names no game.
    if (filter.name !== "" && search === "") return { games: [], totalCount: 0 };
    const { name: _, gameType, ...narrow } = filter;
    const gameTypes = this.typesOf(merchant, gameType);
    const ids = await this.#idsOf(merchant.id, { ...narrow, gameTypes, search });
    const shown = ids.slice((pageNo - 1) * pageSize, pageNo * pageSize);
    return { games: await this.games(merchant, shown), totalCount: ids.length };
  }

  async hot(merchant: Merchant): Promise<GameRow[]> {
    return this.#shown(merchant, await readHotGames(this.#pool, merchant.id, HOT_MAX));
  }

  async game(merchant: Merchant, nodeId: number): Promise<GameRow | null> {
    const [game] = await this.games(merchant, [nodeId]);
    return game ?? null;
  }

  async games(merchant: Merchant, nodeIds: readonly number[]): Promise<GameRow[]> {
    if (nodeIds.length === 0) return [];
    return this.#shown(merchant, await readGames(this.#pool, merchant.id, nodeIds));
  }

  /** What a type lists: sports include related categories; a category that is off is nowhere. */
  typesOf(merchant: Merchant, gameType: GameType | null): GameType[] {
    const wanted =
      gameType === null ? GAME_TYPES : gameType === "SPORTS" ? SPORTS_FAMILY : [gameType];
    return wanted.filter((type) => type !== COCKFIGHT || this.hasCockfight(merchant));
  }

  hasCockfight(merchant: Merchant): boolean {
    return isOn(merchant, COCKFIGHT);
  }

  /** Read at most once in ten seconds, since every bet asks for it. */
  async byGameId(merchant: Merchant, gameId: string): Promise<GameRow | null> {
    const game = await this.#played(`${merchant.id} ${gameId}`, () =>
      readGameById(this.#pool, merchant.id, gameId),
    );
    return this.#shown(merchant, game === null ? [] : [game])[0] ?? null;
  }

  async byGameCode(merchant: Merchant, vendor: string, gameCode: string): Promise<GameRow | null> {
    const game = await readGameByCode(this.#pool, merchant.id, vendor, gameCode);
    return this.#shown(merchant, game === null ? [] : [game])[0] ?? null;
  }

  /** Why an account of a type may not bet on a vendor's game now; null if it may. */
  async playRefusal(
    merchant: Merchant,
    type: number,
    { vendor, gameId }: { readonly vendor: string; readonly gameId: string },
  ): Promise<Refusal | null> {
    const game = await this.byGameId(merchant, gameId);
    return admission(game?.vendor === vendor ? game : null, type);
  }

  /**
   * As `playRefusal`, for a bet at an outside vendor: `game_not_launched` for another game than the
   * one that was launched, unless that one opens the vendor's own page, where games are chosen.
   */
  async vendorPlayRefusal(
    merchant: Merchant,
    type: number,
    play: {
      readonly vendor: string;
      readonly gameId: string;
      readonly launchedGameId: string;
    },
  ): Promise<Refusal | null> {
    const { vendor, gameId, launchedGameId } = play;
    const closed = await this.playRefusal(merchant, type, { vendor, gameId });
    if (closed !== null || gameId === launchedGameId) return closed;
    const launched = await this.byGameId(merchant, launchedGameId);
    const chosenThere = launched?.is_game_h5 === VENDOR_PAGE && launched.vendor === vendor;
    return chosenThere ? null : refusal("game_not_launched");
  }

  async vendors(merchant: Merchant): Promise<VendorRow[]> {
    const vendors = await readVendors(this.#pool, merchant.id);
    const shown = this.hasCockfight(merchant);
    return vendors
      .filter((vendor) => shown || vendor.game_type !== COCKFIGHT)
      .map((vendor) => (this.#isServed(vendor.code) ? vendor : { ...vendor, status: CLOSED }));
  }

  hasVendor(merchant: Merchant, code: string): Promise<boolean> {
    return hasVendor(this.#pool, merchant.id, code, this.typesOf(merchant, null));
  }

  hasLiveModel(merchant: Merchant, id: string): Promise<boolean> {
    return hasLiveModel(this.#pool, merchant.id, id, this.typesOf(merchant, null));
  }

  /** What a vendor has for the brand, by type and classification; nothing for an unknown one. */
  async vendorClasses(merchant: Merchant, vendor: string): Promise<readonly VendorClassRow[]> {
    const rows = await this.#classes(`${merchant.id} ${vendor}`, () =>
      readVendorClasses(this.#pool, merchant.id, vendor),
    );
    const shown = this.hasCockfight(merchant);
    return rows.filter((row) => shown || row.game_type !== COCKFIGHT);
  }

  async liveModels(
    merchant: Merchant,
    wanted: Pick<LiveModel, "active" | "streaming">,
  ): Promise<LiveModel[]> {
    const rows = await readLiveModels(this.#pool, merchant.id, LIVE_MODELS_MAX);
    const games = await this.games(merchant, [...new Set(rows.map(({ node_id }) => node_id))]);
    return rows
      .flatMap(({ node_id, ...model }) => {
        const game = games.find((one) => one.node_id === node_id);
        if (game === undefined) return [];
        return { ...model, game, streaming: model.streaming && game.vendor_status !== CLOSED };
      })
      .filter(
        ({ active, streaming }) => active === wanted.active && streaming === wanted.streaming,
      );
  }

  /** Drops the cache; for callers that change the catalogue. */
  forget(): void {
    this.#ids.forget();
    this.#classes.forget();
    this.#played.forget();
  }

  /** Games as a brand's players see them: what it has off is nowhere. */
  #shown(merchant: Merchant, games: readonly GameRow[]): GameRow[] {
    const shown = this.hasCockfight(merchant);
    return games
      .filter((game) => shown || game.game_type !== COCKFIGHT)
      .map((game) => this.#asConnected(game));
  }

  /** A game that nobody serves is in maintenance, whatever its vendor's row says. */
  #asConnected(game: GameRow): GameRow {
    const served =
      game.vendor === HOUSE_VENDOR ? game.house_game !== null : this.#isServed(game.vendor);
    return served ? game : { ...game, vendor_status: CLOSED };
  }

  #isServed(vendor: string): boolean {
    const own = vendor === HOUSE_VENDOR || isLotteryVendor(vendor) || isSportsVendor(vendor);
    return own || this.#connected(vendor);
  }

  async #idsOf(merchantId: string, filter: GameFilter): Promise<readonly number[]> {
    const name = JSON.stringify([merchantId, filter], (_key, value: unknown) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    const read = filter.search === "" ? listNodeIds : searchNodeIds;
    return this.#ids(name, () => read(this.#pool, merchantId, filter));
  }
}

export function gameReply(game: GameRow, merchant: Merchant): Game {
  return {
    gameId: game.game_id,
    nodeId: game.node_id,
    nodeName: game.name,
    gameName: game.name,
    displayName: game.name,
    gameType: game.game_type,
    vassalage: game.vendor,
    vendorName: game.vendor_name,
    gameClassify: game.classify,
    gameClassifyNew: game.classify,
    gameCode: game.game_code,
    minBet: formatDecimal(money(game.min_bet_minor, merchant.currency)).replaceAll(",", ""),
    isNew: game.is_new,
    showIcon: true,
    iconUrl: `/art/tile/${game.node_id}.svg`,
    roomId: null,
    supportPlay: game.support_play,
    freeplay: game.freeplay,
    isGameH5: game.is_game_h5,
    lottoMode: game.lotto_mode,
    rtp: game.rtp,
    // The column is written only from the list of house games.
    houseGame: game.house_game as Game["houseGame"],
    status: game.vendor_status,
  };
}

/**
 * Categories in the order in which the brand's vendors first name them, and the vendors of each
 * (games §3).
 */
export function vendorsReply(vendors: readonly VendorRow[]) {
  const ofType = (type: GameType) => vendors.filter((vendor) => vendor.game_type === type);
  const types = [...new Set(vendors.map((vendor) => vendor.game_type))];
  const codes = [...new Set(vendors.map((vendor) => vendor.code))];
  return {
    content: types.map((gameCategory) => ({
      gameCategory,
      vendorNames: ofType(gameCategory).map((vendor) => ({
        vassalage: vendor.code,
        displayName: vendor.display_name,
        accountTypeName: vendor.display_name,
        gameType: vendor.game_type,
        mobileLargeIcon: `/art/vendor/${vendor.code}.svg`,
        gameClassify: vendor.classes.map((key) => ({
          key,
          vendors: ofType(gameCategory)
            .filter(({ classes }) => classes.includes(key))
            .map(({ code }) => code),
        })),
        gameCount: vendor.games,
        status: vendor.status,
      })),
    })),
    byGameType: Object.fromEntries(
      types.map((type) => [type, ofType(type).map((one) => one.code)]),
    ),
    byVendor: Object.fromEntries(
      codes.map((code) => [
        code,
        vendors.filter((one) => one.code === code).map((one) => one.game_type),
      ]),
    ),
  };
}
