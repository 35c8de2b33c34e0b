import { REAL_TYPES } from "@perya/contract/call";
import type { GameType } from "@perya/contract/catalogue";
import type { LaunchBody } from "@perya/contract/launch";
import {
  isLotteryVendor,
  isSportsVendor,
  LOBBY,
  type LotteryVendor,
  PLAY_TYPES,
  playTypeOf,
  prizeModeOf,
  SPORTS_LOBBIES,
} from "@perya/contract/launch-terms";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { admission, isFree } from "./admission.ts";
import type { GameRow } from "./catalogue.store.ts";
import type { Catalogue } from "./catalogue.ts";

export type Launched =
  | { readonly opens: "page"; readonly path: string }
  | { readonly opens: "vendor"; readonly url: string };

export type OpenAtVendor = (
  player: { readonly merchant: Merchant; readonly session: Session; readonly language: string },
  game: GameRow,
) => Promise<string | null>;

/** The fields that each launcher needs; a field of the other launcher is refused. */
const GENERIC = ["gameCategory", "gameId", "nodeId", "supportFreePlay"] as const;
const LOTTERY = ["gameCode", "prizeMode", "playType"] as const;

/**
 * Starts games (games §4): ours on their own screens, lotteries in the lottery client, our sports
 * in their lobby, all others at their vendor. The caller's fields are checked against the game, one
 * by one.
 */
export class Launcher {
  readonly #catalogue: Catalogue;
  readonly #openAtVendor: OpenAtVendor;

  constructor(catalogue: Catalogue, openAtVendor: OpenAtVendor) {
    this.#catalogue = catalogue;
    this.#openAtVendor = openAtVendor;
  }

  /** @param language of the caller, in which the vendor's page opens */
  async launch(
    merchant: Merchant,
    session: Session,
    body: LaunchBody,
    language: string,
  ): Promise<Result<Launched, Refusal>> {
    if (isLotteryVendor(body.vendor)) {
      const given = wanted(body, LOTTERY, GENERIC);
      return given.ok
        ? this.#lottery(merchant, session, { ...given.value, vendor: body.vendor })
        : given;
    }
    const given = wanted(body, GENERIC, LOTTERY);
    if (!given.ok) return given;
    const { nodeId, supportFreePlay } = given.value;
    const game = await this.#catalogue.game(merchant, nodeId);
    if (game === null) return refuse(refusal("not_found"));
    const { vendor, gameCategory, gameId } = given.value;
    const wrong = firstWrong([
      ["vendor", vendor === game.vendor],
      ["gameCategory", gameCategory === game.game_type],
      ["gameId", gameId === game.game_id],
      ["supportFreePlay", supportFreePlay === isFree(game)],
    ]);
    const refused = wrong ?? admission(game, session.type);
    if (refused !== null) return refuse(refused);
    if (game.house_game !== null) return ok({ opens: "page", path: `/m/play/${game.house_game}` });
    if (isSportsVendor(game.vendor)) {
      return ok({ opens: "page", path: `/m/sportsLobby?sport=${SPORTS_LOBBIES[game.vendor]}` });
    }
    // The vendor's page would open and refuse every bet.
    if (session.blocked) return refuse(refusal("member_blocked"));
    const url = await this.#openAtVendor({ merchant, session, language }, game);
    // Its connection went meanwhile.
    if (url === null) return refuse(refusal("maintenance"));
    return ok({ opens: "vendor", url });
  }

  async #lottery(
    merchant: Merchant,
    session: Session,
    given: Wanted<(typeof LOTTERY)[number]> & { readonly vendor: LotteryVendor },
  ): Promise<Result<Launched, Refusal>> {
    const { vendor, gameCode, prizeMode, playType } = given;
    const vendors = await this.#catalogue.vendors(merchant);
    const mapping = vendors.map(({ code, game_type }) => ({
      vassalage: code,
      gameType: game_type,
    }));
    const lobby = vendors.filter(({ code }) => code === vendor);
    const game =
      gameCode === LOBBY ? null : await this.#catalogue.byGameCode(merchant, vendor, gameCode);
    if (gameCode === LOBBY ? lobby.length === 0 : game === null) {
      return refuse(refusal("not_found"));
    }
    const types =
      game === null
        ? lobby.map(({ game_type }) => playTypeOf({ gameType: game_type, lottoMode: null }))
        : [playTypeOf({ gameType: game.game_type, lottoMode: game.lotto_mode })];
    const wrong = firstWrong([
      ["prizeMode", prizeMode === prizeModeOf(vendor, mapping)],
      ["playType", types.includes(playType)],
    ]);
    const refused = wrong ?? (game === null ? lobbyRefusal() : admission(game, session.type));
    if (refused !== null) return refuse(refused);
    const search = new URLSearchParams({ vendor, gameCode, prizeMode, playType });
    return ok({ opens: "page", path: `/m/lottery?${search}` });

    /** No game says that it is free, so a lobby is for real money. */
    function lobbyRefusal(): Refusal | null {
      const type: GameType = playType === PLAY_TYPES.Entertainment ? "ELOTT" : "LOTT";
      const entered = lobby.find(({ game_type }) => game_type === type);
      if (entered?.status !== "up") return refusal("maintenance");
      return REAL_TYPES.includes(session.type) ? null : refusal("real_account_needed");
    }
  }
}

type Wanted<K extends keyof LaunchBody> = {
  readonly [F in K | "vendor"]-?: Defined<LaunchBody[F]>;
};
type Defined<T> = Exclude<T, undefined>;

/** The fields of one launcher, all present; those of the other must be absent. */
function wanted<K extends keyof LaunchBody>(
  body: LaunchBody,
  fields: readonly K[],
  others: readonly (keyof LaunchBody)[],
): Result<Wanted<K>, Refusal> {
  const foreign = others.find((field) => body[field] !== undefined);
  if (foreign !== undefined) return refuse(fieldRefusal(foreign, "not_allowed"));
  const missing = fields.find((field) => body[field] === undefined);
  if (missing !== undefined) return refuse(fieldRefusal(missing, "required"));
  return ok(body as Wanted<K>); // every field of it is defined
}

function firstWrong(checks: readonly (readonly [field: string, right: boolean])[]): Refusal | null {
  const wrong = checks.find(([, right]) => !right);
  return wrong === undefined ? null : fieldRefusal(wrong[0], "mismatch");
}
