import { GAME_TYPES, type GameType } from "@perya/contract/catalogue";
import { type Refusal, refusal } from "@perya/contract/refusal";
import type { Clock } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { Merchant } from "../brand/brand.ts";
import type { MemberKey } from "../identity/identity.ts";
import type { GameRow } from "./catalogue.store.ts";
import type { Catalogue } from "./catalogue.ts";
import {
  deleteFavourite,
  insertFavourite,
  noteRecent,
  type OwnList,
  readOwnIds,
} from "./player-games.store.ts";

const RECENT_MAX = 200;

export interface OwnPage {
  readonly games: GameRow[];
  readonly totalPages: number;
}

export class PlayerGames {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #catalogue: Catalogue;

  constructor(pool: pg.Pool, clock: Clock, catalogue: Catalogue) {
    this.#pool = pool;
    this.#clock = clock;
    this.#catalogue = catalogue;
  }

  async page(
    merchant: Merchant,
    owner: MemberKey,
    list: OwnList,
    filter: { readonly gameType: GameType | null; readonly vendor: string },
    page: { readonly no: number; readonly size: number },
  ): Promise<OwnPage> {
    const { vendor } = filter;
    const gameTypes = this.#catalogue.typesOf(merchant, filter.gameType);
    const narrowed = { gameTypes, vendor };
    const { ids, total } = await readOwnIds(this.#pool, list, owner, narrowed, page);
    const games = await this.#catalogue.games(merchant, ids);
    return { games, totalPages: Math.ceil(total / page.size) };
  }

  /** Also those of categories that the brand has off: they keep their star. */
  async favouriteIds(
    owner: MemberKey,
    page: { readonly no: number; readonly size: number },
  ): Promise<number[]> {
    const all = { gameTypes: GAME_TYPES, vendor: "" };
    return (await readOwnIds(this.#pool, "favourites", owner, all, page)).ids;
  }

  /** Refuses with `not_found`, or names `vendor` if the game is another's. */
  async keep(
    merchant: Merchant,
    owner: MemberKey,
    wanted: { readonly nodeId: number; readonly vendor: string },
  ): Promise<Result<{ readonly kept: true }, Refusal>> {
    const game = await this.#catalogue.game(merchant, wanted.nodeId);
    if (game === null) return refuse(NO_GAME);
    if (game.vendor !== wanted.vendor) {
      const fields = [{ field: "vendor", code: "mismatch" }] as const;
      return refuse(refusal("invalid_input", { fields: [...fields] }));
    }
    await insertFavourite(this.#pool, owner, wanted.nodeId, this.#clock.now());
    return ok({ kept: true });
  }

  async drop(owner: MemberKey, nodeId: number): Promise<void> {
    await deleteFavourite(this.#pool, owner, nodeId);
  }

  async opened(
    merchant: Merchant,
    owner: MemberKey,
    nodeId: number,
  ): Promise<Result<{ readonly noted: true }, Refusal>> {
    if ((await this.#catalogue.game(merchant, nodeId)) === null) return refuse(NO_GAME);
    await noteRecent(this.#pool, owner, nodeId, RECENT_MAX, this.#clock.now());
    return ok({ noted: true });
  }
}

const NO_GAME = refusal("not_found", { fields: [{ field: "nodeId", code: "not_allowed" }] });
