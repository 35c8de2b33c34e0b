import { isDeepStrictEqual } from "node:util";
import {
  type FieldFault,
  type FieldFaultCode,
  fieldRefusal,
  type Refusal,
  refusal,
} from "@perya/contract/refusal";
import { drawStream, seedHash } from "@perya/games/fairness";
import { type SoloGameId, soloGames } from "@perya/games/solo-games";
import type { FieldError } from "@perya/games/stake";
import { assert, present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { type Clock, type Entropy, SECOND_MS } from "@perya/kernel/instant";
import { isCurrency, money, times } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Merchant, Session } from "../identity/identity.ts";
import { type Account, accountOf, laneOf } from "../ledger/ledger.ts";
import { HOUSE_VENDOR, type VendorWallet } from "../vendors/vendors.ts";
import {
  findLastRound,
  findOpenRounds,
  findRound,
  findSeed,
  type HouseRound,
  insertHouseRound,
  insertSeed,
  revealSeed,
  type SeedRow,
  settleHouseRound,
} from "./rounds.store.ts";

export { KITE_LEASE_MS, KiteKeeper } from "./kite-keeper.ts";
export { KiteView } from "./kite-view.ts";
export { roundRoutes } from "./rounds.routes.ts";
export type { HouseRound, SeedRow } from "./rounds.store.ts";
export { Saranggola } from "./saranggola.ts";

export interface PlayRequest {
  readonly roundId: string;
  readonly gameId: SoloGameId;
  readonly choices: unknown;
}

export interface PlayedRound {
  readonly round: HouseRound;
  readonly available: bigint;
  readonly version: bigint;
}

/** A win of real money that the board of winners shows. */
export interface BigWin {
  readonly merchant: Merchant;
  readonly session: Session;
  readonly gameId: SoloGameId;
  readonly payoutMinor: bigint;
  readonly at: number;
}

/** Wins from this many stakes up are told. */
const BIG_WIN_STAKES = 5n;
/** A round whose win is this old and unsent belongs to a process that died. */
const ABANDONED_MS = 5 * SECOND_MS;
const RECOVERED_AT_ONCE = 200;
const MEMBERS_REMEMBERED = 20_000;
const NONCE_TRIES = 4;

/**
 * The house's game server for games of one player. A round is bet and settled in one call and
 * moves money only through the vendor wallet calls. The outcome is drawn before the bet is sent
 * and stored with it, so whatever happens then, the round that comes back is the same one.
 */
export class Rounds {
  readonly #pool: pg.Pool;
  readonly #wallet: VendorWallet;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  /** Nonces handed out here and perhaps not written yet, by seed. */
  readonly #nonces = new LRUCache<string, bigint>({ max: MEMBERS_REMEMBERED });

  #tellWin: (win: BigWin) => void = () => undefined;

  constructor(pool: pg.Pool, wallet: VendorWallet, clock: Clock, entropy: Entropy) {
    this.#pool = pool;
    this.#wallet = wallet;
    this.#clock = clock;
    this.#entropy = entropy;
  }

  /**
   * Plays a round. The same id with the same game and choices answers the round as it stands
   * and moves nothing; with others it is refused with `id_reused`.
   */
  async play(
    merchant: Merchant,
    session: Session,
    request: PlayRequest,
  ): Promise<Result<PlayedRound, Refusal>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#playOnce(merchant, session, request);
      } catch (error) {
        // Another process dealt this player a round with the same nonce; nothing was written.
        if (!isNonceTaken(error) || attempt === NONCE_TRIES) throw error;
      }
    }
  }

  async #playOnce(
    merchant: Merchant,
    session: Session,
    request: PlayRequest,
  ): Promise<Result<PlayedRound, Refusal>> {
    const opened = soloGames[request.gameId].open(request.choices);
    if (!opened.ok) {
      return refuse(refusal("invalid_input", { fields: opened.error.map(faultOf) }));
    }
    const { stakeMinor, maxPayoutMinor } = opened.value;
    const { maxMinor, maxPayoutMinor: payable } = merchant.settings.stakes;
    if (stakeMinor > maxMinor || maxPayoutMinor > payable) {
      return refuse(fieldRefusal("choices", "too_big", `${maxMinor}`));
    }
    const account = accountOf(session.memberId, session.currency);
    const seed = await this.#seed(session.memberId, account);
    const nonce = this.#takeNonce(seed);
    const { server_seed: serverSeed, client_seed: clientSeed } = seed;
    const stream = drawStream({ serverSeed, clientSeed, nonce: Number(nonce) });
    const { outcome, payoutMinor } = opened.value.play(stream);
    assert(payoutMinor <= maxPayoutMinor, "a pay-out is within what the game can pay");

    const at = this.#clock.now();
    const won = payoutMinor > 0n;
    const row = {
      lane: account.lane,
      account_id: account.id,
      round_id: request.roundId,
      member_id: session.memberId,
      game_id: request.gameId,
      choices: opened.value.choices,
      outcome,
      payout_minor: payoutMinor.toString(),
      seed_id: seed.id,
      nonce: nonce.toString(),
      state: won ? "open" : "settled",
      at,
    };
    const call = { account, vendor: HOUSE_VENDOR, roundId: request.roundId };
    const bet = await this.#wallet.bet({
      ...call,
      transactionId: betId(request.roundId),
      amount: stakeMinor,
      merchantId: merchant.id,
      gameId: request.gameId,
      blocked: session.blocked,
      closesRound: !won,
      effects: [{ statement: insertHouseRound, row }],
    });
    if (!bet.ok) return this.#explain(bet.error, account, request, opened.value.choices);
    if (bet.value.repeated) return this.#standing(account, request, opened.value.choices);
    const win = won ? await this.#payWin(account, request.roundId, payoutMinor) : bet;
    if (!win.ok) throw new Error(`the win of round ${request.roundId}: ${win.error.code}`);
    const round: HouseRound = {
      lane: account.lane,
      account_id: account.id,
      round_id: request.roundId,
      member_id: session.memberId,
      game_id: request.gameId,
      choices: { ...opened.value.choices },
      outcome,
      payout_minor: payoutMinor,
      stake_minor: stakeMinor,
      state: "settled",
      nonce,
      opened_at: new Date(at),
      settled_at: new Date(at),
      seed_id: seed.id,
      seed_hash: seed.seed_hash,
      client_seed: clientSeed,
      server_seed: null,
    };
    const big = times(money(stakeMinor, session.currency), BIG_WIN_STAKES);
    if (session.currency !== "FUN" && payoutMinor >= big.minor) {
      this.#tellWin({ merchant, session, gameId: request.gameId, payoutMinor, at });
    }
    const { available, version } = win.value;
    return ok({ round, available, version });
  }

  /** Told after commit of every big win of real money. */
  onWin(listener: (win: BigWin) => void): void {
    this.#tellWin = listener;
  }

  find(session: Session, roundId: string): Promise<HouseRound | null> {
    return findRound(this.#pool, accountOf(session.memberId, session.currency), roundId);
  }

  last(session: Session, gameId: SoloGameId): Promise<HouseRound | null> {
    return findLastRound(this.#pool, accountOf(session.memberId, session.currency), gameId);
  }

  /** Finishes rounds that a dead process left between bet and win; answers how many. */
  async recover(): Promise<number> {
    const before = this.#clock.now() - ABANDONED_MS;
    const open = await findOpenRounds(this.#pool, before, RECOVERED_AT_ONCE);
    const faults: Error[] = [];
    for (const round of open) {
      const win = await this.#payWin(accountOfRound(round), round.round_id, round.payout_minor);
      // One bad row must not hold up those behind it; it is told at the end.
      if (!win.ok) faults.push(new Error(`the win of round ${round.round_id}: ${win.error.code}`));
    }
    if (faults.length > 0) throw new AggregateError(faults, "rounds could not be recovered");
    return open.length;
  }

  /** The pair in use, made on first need. */
  seed(session: Session): Promise<SeedRow> {
    return this.#seed(session.memberId, accountOf(session.memberId, session.currency));
  }

  /** Reveals the pair in use and puts a fresh one with the player's seed in its place. */
  async replaceSeed(
    session: Session,
    clientSeed: string,
  ): Promise<{ readonly revealed: SeedRow; readonly current: SeedRow }> {
    const account = accountOf(session.memberId, session.currency);
    const revealed = await this.#seed(session.memberId, account);
    const current = await withTransaction(this.#pool, async (client) => {
      await revealSeed(client, revealed.id, this.#clock.now());
      await this.#insertSeed(client, session.memberId, clientSeed);
      return present(await findSeed(client, session.memberId, account), "the new seed");
    });
    return { revealed, current };
  }

  #payWin(account: Account, roundId: string, payoutMinor: bigint) {
    const { lane, id } = account;
    return this.#wallet.win({
      account,
      vendor: HOUSE_VENDOR,
      roundId,
      transactionId: `${roundId}:win`,
      betTransactionId: betId(roundId),
      amount: payoutMinor,
      closesRound: true,
      effects: [{ statement: settleHouseRound, row: { lane, account_id: id, round_id: roundId } }],
    });
  }

  /** A key that stands with another stake is a reused id, unless no such round is known. */
  async #explain(
    refused: Refusal,
    account: Account,
    request: PlayRequest,
    choices: object,
  ): Promise<Result<PlayedRound, Refusal>> {
    if (refused.code !== "id_reused") return refuse(refused);
    return this.#standing(account, request, choices);
  }

  /** The round that this id already names, settled now where it was not. */
  async #standing(
    account: Account,
    request: PlayRequest,
    choices: object,
  ): Promise<Result<PlayedRound, Refusal>> {
    const found = await findRound(this.#pool, account, request.roundId);
    const same =
      found?.game_id === request.gameId && isDeepStrictEqual(found.choices, { ...choices });
    if (found === null || !same) return refuse(refusal("id_reused"));
    if (found.state === "open") await this.#payWin(account, found.round_id, found.payout_minor);
    const round = present(await findRound(this.#pool, account, request.roundId), "the round");
    const wallet = present(await this.#wallet.balance(account), "the wallet of a round");
    return ok({ round, ...wallet });
  }

  async #seed(memberId: string, account: Account): Promise<SeedRow> {
    const found = await findSeed(this.#pool, memberId, account);
    if (found !== null) return found;
    const clientSeed = Buffer.from(this.#entropy.bytes(9)).toString("base64url");
    await this.#insertSeed(this.#pool, memberId, clientSeed);
    return present(await findSeed(this.#pool, memberId, account), "the new seed");
  }

  async #insertSeed(
    db: pg.Pool | pg.ClientBase,
    memberId: string,
    clientSeed: string,
  ): Promise<void> {
    const now = this.#clock.now();
    const serverSeed = Buffer.from(this.#entropy.bytes(32)).toString("hex");
    const id = mintId("seed", now, this.#entropy.bytes(16));
    const seed = { id, memberId, serverSeed, seedHash: seedHash(serverSeed), clientSeed };
    await insertSeed(db, seed, now);
  }

  /** Rounds of one player that run at once here must not share a nonce. */
  #takeNonce(seed: SeedRow): bigint {
    const handedOut = this.#nonces.get(seed.id) ?? 0n;
    const nonce = seed.next_nonce > handedOut ? seed.next_nonce : handedOut;
    this.#nonces.set(seed.id, nonce + 1n);
    return nonce;
  }
}

function isNonceTaken(error: unknown): boolean {
  return error instanceof Error && "constraint" in error
    ? error.constraint === "house_rounds_nonce"
    : false;
}

function betId(roundId: string): string {
  return `${roundId}:bet`;
}

function accountOfRound(round: HouseRound): Account {
  const currency = round.account_id.slice(round.account_id.lastIndexOf(".") + 1);
  assert(isCurrency(currency), "an account's id ends with its currency");
  return { lane: laneOf(round.account_id), id: round.account_id, currency };
}

const FAULTS: Readonly<Record<FieldError["code"], FieldFaultCode>> = {
  required: "required",
  not_an_object: "wrong_type",
  unknown_field: "unknown_field",
  not_an_amount: "bad_format",
  not_a_multiplier: "bad_format",
  below_minimum: "too_small",
  above_maximum: "too_big",
  not_a_multiple: "not_multiple",
  malformed: "bad_format",
};

function faultOf({ field, code, bound }: FieldError): FieldFault {
  const name = field === "" ? "choices" : `choices.${field}`;
  const fault = { field: name, code: FAULTS[code] };
  return bound === undefined ? fault : { ...fault, limit: bound };
}
