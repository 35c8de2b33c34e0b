import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import {
  type FieldFault,
  fieldRefusal,
  limitRefusal,
  type Refusal,
  refusal,
} from "@perya/contract/refusal";
import { drawStream } from "@perya/games/fairness";
import type { HouseGameId } from "@perya/games/house-games";
import { type SoloGameId, soloGames } from "@perya/games/solo-games";
import { type FieldError, type StakeRule, wholeSteps } from "@perya/games/stake";
import { assert, present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { type Clock, type Entropy, SECOND_MS } from "@perya/kernel/instant";
import { type Currency, money, scaleMinor, times } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import DataLoader from "dataloader";
import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { together } from "../../platform/postgres/together.ts";
import { constraintOf } from "../../platform/postgres/violations.ts";
import { Gathered } from "../../platform/sockets/gathered.ts";
import { Turns } from "../../platform/turns.ts";
import { Unavailable } from "../../platform/unavailable.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { type Account, accountOf, EffectMissed, lockWallet } from "../ledger/ledger.ts";
import type { VendorWallet } from "../vendors/vendors.ts";
import { newSeed } from "./planned-events.ts";
import {
  deleteUnusedSeeds,
  findLastRound,
  findNextSeed,
  findRound,
  findSeeds,
  type HouseRound,
  holdNextSeed,
  insertHouseRound,
  insertNextSeed,
  insertSeed,
  type NextSeed,
  type RevealedSeed,
  replaceNextSeed,
  revealSeed,
  type SeedOwner,
  type SeedRow,
} from "./rounds.store.ts";

export { endsBySeed, LATEST_MS, newSeed, PlannedEvents } from "./planned-events.ts";
export type { HouseRound } from "./rounds.store.ts";
export { retireSeeds, soloBook } from "./rounds.store.ts";
export { SharedView, type ShownGame } from "./shared-view.ts";
export type { EventTable, FreeBets } from "./wagers.store.ts";
export {
  accountOfWager,
  hasStake,
  stakeFault,
  type WagerEnd,
  type WagerGame,
  type WagerRow,
  Wagers,
} from "./wagers.ts";

export interface PlayRequest {
  readonly roundId: string;
  readonly gameId: SoloGameId;
  readonly choices: unknown;
}

export interface SeedInUse {
  readonly current: SeedRow;
  readonly next: NextSeed;
}

/** A round of any game whose choices were accepted. */
type OpenedRound = Extract<ReturnType<SoloGame["open"]>, { ok: true }>["value"];
type SoloGame = (typeof soloGames)[SoloGameId];

export interface PlayedRound {
  readonly round: HouseRound;
  readonly available: bigint;
  readonly version: bigint;
}

/**
 * Why a player may not bet on a game now, null if they may. Called with every bet, so it answers
 * from memory.
 */
export type PlayRefusal = (
  merchant: Merchant,
  session: Session,
  gameId: HouseGameId,
) => Promise<Refusal | null>;

export interface RoundsOptions {
  readonly pool: pg.Pool;
  readonly wallet: VendorWallet;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly playRefusal: PlayRefusal;
  /** Resolves once no seed in use was seen in a history that the database has left. */
  readonly sure: () => Promise<void>;
  /** Whether a round's id is an event's of another game under the same vendor code. */
  readonly isTaken: (roundId: string) => Promise<boolean>;
}

/** A win of real money that the board of winners shows. */
export interface BigWin {
  readonly merchant: Merchant;
  readonly session: Session;
  readonly gameId: SoloGameId;
  readonly payoutMinor: bigint;
  readonly at: number;
}

/** Wins from this many stakes up are announced. */
const BIG_WIN_STAKES = 5n;
/** One player's rounds that wait here for earlier ones. */
const WAITING_ROUNDS = 200;
/** More than a second, in which another process deals what waits there for the same player. */
const NONCE_TRIES = 24;
const NONCE_PAUSE_MAX_MS = 100;
/** A renewal of chance may reveal a new pair before it is read; the one after stays. */
const NEW_PAIRS = 2;

/**
 * The house's game server for games of one player. A round moves money only through the vendor
 * wallet calls. Its outcome is drawn before the bet is sent and stored with bet and win, all in one
 * step, so a round that comes back after any crash is the same one or was never dealt.
 */
export class Rounds {
  readonly #options: RoundsOptions;
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #turns = new Turns();
  /** Players who play at the same time share a statement. */
  readonly #seeds: DataLoader<SeedOwner, SeedRow | null>;

  #tellWin: (win: BigWin) => void = () => undefined;
  readonly #wins = new Gathered(SECOND_MS);

  constructor(options: RoundsOptions) {
    const { pool, clock } = options;
    this.#options = options;
    this.#pool = pool;
    this.#clock = clock;
    this.#seeds = new DataLoader((owners) => findSeeds(pool, owners), together);
  }

  /**
   * Plays a round. The same id with the same game and choices answers the stored round and moves
   * nothing; with others it is refused with `id_reused`.
   */
  async play(
    merchant: Merchant,
    session: Session,
    request: PlayRequest,
  ): Promise<Result<PlayedRound, Refusal>> {
    const game = soloGames[request.gameId];
    const opened = game.open(request.choices);
    if (!opened.ok) {
      const faults = opened.error.map((error) => faultOf(error, session.currency));
      return refuse(refusal("invalid_input", { fields: faults }));
    }
    const account = accountOf(session.memberId, session.currency);
    const refused =
      limitFault(merchant, game.stake, opened.value, session.currency) ??
      (await this.#options.playRefusal(merchant, session, request.gameId));
    if (refused !== null) {
      // A round that was dealt before is answered all the same: its answer may have been lost.
      const dealt = await findRound(this.#pool, account, request.roundId);
      return dealt === null
        ? refuse(refused)
        : this.#existing(account, request, opened.value.choices);
    }
    // One after the other, so that a nonce is read when the round before it is written: a round
    // that is refused or exists already uses none up.
    const line = { max: 1, waitingMax: WAITING_ROUNDS };
    return this.#turns.run(`${account.lane} ${account.id}`, line, () =>
      this.#deal(merchant, session, request, opened.value),
    );
  }

  async #deal(
    merchant: Merchant,
    session: Session,
    request: PlayRequest,
    opened: OpenedRound,
  ): Promise<Result<PlayedRound, Refusal>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#dealOnce(merchant, session, request, opened);
      } catch (error) {
        // Another process dealt this player a round with the same nonce, or revealed the pair;
        // nothing was written.
        if (!isDealtElsewhere(error)) throw error;
        if (await this.#options.isTaken(request.roundId)) return refuse(refusal("id_reused"));
        if (attempt === NONCE_TRIES) {
          throw new Unavailable("others deal to this player", { cause: error });
        }
        await sleep(this.#pauseMs(attempt));
      }
    }
  }

  /** Longer each time and random, or two processes would collide again and again. */
  #pauseMs(attempt: number): number {
    const longest = Math.min(4 * 2 ** attempt, NONCE_PAUSE_MAX_MS);
    return (longest * (128 + (this.#options.entropy.bytes(1)[0] ?? 0))) / 384;
  }

  async #dealOnce(
    merchant: Merchant,
    session: Session,
    request: PlayRequest,
    opened: OpenedRound,
  ): Promise<Result<PlayedRound, Refusal>> {
    const { stakeMinor, maxPayoutMinor, choices } = opened;
    const account = accountOf(session.memberId, session.currency);
    const seed = await this.#seed({ memberId: session.memberId, account });
    // After the pair was read: one that is taken out of use meanwhile deals nothing.
    await this.#options.sure();
    const nonce = seed.next_nonce;
    const { server_seed: serverSeed, client_seed: clientSeed } = seed;
    const stream = drawStream({ serverSeed, clientSeed, nonce: Number(nonce) });
    const { outcome, payoutMinor } = opened.play(stream);
    assert(payoutMinor <= maxPayoutMinor, "a pay-out is within what the game can pay");

    const at = this.#clock.now();
    const row = {
      lane: account.lane,
      account_id: account.id,
      round_id: request.roundId,
      member_id: session.memberId,
      game_id: request.gameId,
      choices,
      outcome,
      payout_minor: payoutMinor.toString(),
      seed_id: seed.id,
      nonce: nonce.toString(),
      at,
    };
    const bet = {
      account,
      vendor: HOUSE_VENDOR,
      roundId: request.roundId,
      transactionId: `${request.roundId}:bet`,
      amount: stakeMinor,
      merchantId: merchant.id,
      gameId: request.gameId,
      blocked: session.blocked,
      closesRound: true,
      effects: [{ statement: insertHouseRound, row }],
    };
    const win = { transactionId: `${request.roundId}:win`, amount: payoutMinor };
    const moved = await (payoutMinor > 0n
      ? this.#options.wallet.betAndWin(bet, win)
      : this.#options.wallet.bet(bet));
    // A known id may belong to a round that this draw did not give: the stored round decides.
    const isRepeat = moved.ok ? moved.value.repeated : moved.error.code === "id_reused";
    if (isRepeat) return this.#existing(account, request, choices);
    if (!moved.ok) return moved;
    const round: HouseRound = {
      lane: account.lane,
      account_id: account.id,
      round_id: request.roundId,
      member_id: session.memberId,
      game_id: request.gameId,
      choices: { ...choices },
      outcome,
      payout_minor: payoutMinor,
      stake_minor: stakeMinor,
      nonce,
      opened_at: new Date(at),
      // As in the record: the first answer and every later one are the same.
      settled_at: new Date(moved.value.at),
      seed_id: seed.id,
      seed_hash: seed.seed_hash,
      client_seed: clientSeed,
      server_seed: null,
    };
    const big = times(money(stakeMinor, session.currency), BIG_WIN_STAKES);
    if (session.currency !== "FUN" && payoutMinor >= big.minor) {
      const win = { merchant, session, gameId: request.gameId, payoutMinor, at };
      this.#wins.note(merchant.id, () => this.#tellWin(win));
    }
    const { available, version } = moved.value;
    return ok({ round, available, version });
  }

  /**
   * Called after commit of a big win of real money, once per brand and second for the latest: home
   * shows the last six to everybody.
   */
  onWin(listener: (win: BigWin) => void): void {
    this.#tellWin = listener;
  }

  find(session: Session, roundId: string): Promise<HouseRound | null> {
    return findRound(this.#pool, accountOf(session.memberId, session.currency), roundId);
  }

  last(session: Session, gameId: SoloGameId): Promise<HouseRound | null> {
    return findLastRound(this.#pool, accountOf(session.memberId, session.currency), gameId);
  }

  /** The pair in use and the next seed, each made when first needed. */
  async seed(session: Session): Promise<SeedInUse> {
    const account = accountOf(session.memberId, session.currency);
    const current = await this.#seed({ memberId: session.memberId, account });
    return { current, next: await this.#nextSeed(session.memberId) };
  }

  /**
   * Reveals the pair `replaces` and replaces it by the player's seed with the one whose hash was
   * shown as the next. Refuses with `wrong_state` if that pair is not in use, perhaps because this
   * came twice, and if `next` is not the next seed: it would have been chosen with the player's
   * seed known. The same holds for the client seed in use, which is refused as `taken`.
   * @param given.next null from a page of an earlier version, which shows no next seed: it gets the
   *   seed whose hash newer pages show
   */
  async replaceSeed(
    session: Session,
    given: {
      readonly clientSeed: string;
      readonly replaces: string;
      readonly next: string | null;
    },
  ): Promise<Result<SeedInUse & { readonly revealed: RevealedSeed }, Refusal>> {
    const { memberId, currency } = session;
    const owner = { memberId, account: accountOf(memberId, currency) };
    const next = await this.#nextSeed(memberId);
    if (given.next !== null && given.next !== next.id) return refuse(refusal("wrong_state"));
    // After it was read: one that is deleted meanwhile is put into no pair.
    await this.#options.sure();
    return withTransaction(this.#pool, async (client) => {
      await lockWallet(client, owner.account);
      const isHeld = await holdNextSeed(client, memberId, next.id);
      const [before] = await findSeeds(client, [owner]);
      if (!isHeld || before?.id !== given.replaces) return refuse(refusal("wrong_state"));
      if (before.client_seed === given.clientSeed) {
        return refuse(fieldRefusal("clientSeed", "taken"));
      }
      const now = this.#clock.now();
      const revealed = await revealSeed(client, owner, given.replaces, now);
      if (revealed === null) return refuse(refusal("wrong_state"));
      const pair = { ...next, memberId, clientSeed: given.clientSeed, chosenBy: "player" as const };
      if (!(await insertSeed(client, pair, now))) {
        throw new Unavailable("another pair came into use");
      }
      const fresh = this.#freshSeed();
      await replaceNextSeed(client, memberId, fresh, now);
      const [current] = await findSeeds(client, [owner]);
      return ok({ revealed, current: inUse(current ?? null), next: fresh });
    });
  }

  /**
   * Drops the pairs of a member who is to be deleted, if they dealt no round and so no book depends
   * on them. All pairs of a member who has played stay. It may be repeated.
   */
  async dropUnusedPairs(memberId: string, currency: Currency): Promise<void> {
    const owner = { memberId, account: accountOf(memberId, currency) };
    await withTransaction(this.#pool, async (client) => {
      await lockWallet(client, owner.account);
      await deleteUnusedSeeds(client, owner);
    });
  }

  /** The round that this id already names. */
  async #existing(
    account: Account,
    request: PlayRequest,
    choices: object,
  ): Promise<Result<PlayedRound, Refusal>> {
    const round = await findRound(this.#pool, account, request.roundId);
    const same =
      round?.game_id === request.gameId && isDeepStrictEqual(round.choices, { ...choices });
    if (round === null || !same) return refuse(refusal("id_reused"));
    const wallet = present(await this.#options.wallet.balance(account), "the wallet of a round");
    return ok({ round, ...wallet });
  }

  async #seed(owner: SeedOwner): Promise<SeedRow> {
    for (let tries = 0; tries < NEW_PAIRS; tries++) {
      const found = await this.#seeds.load(owner);
      if (found !== null) return found;
      const clientSeed = Buffer.from(this.#options.entropy.bytes(9)).toString("base64url");
      const { memberId } = owner;
      const pair = { ...this.#freshSeed(), memberId, clientSeed, chosenBy: "house" as const };
      await insertSeed(this.#pool, pair, this.#clock.now());
    }
    return inUse(await this.#seeds.load(owner));
  }

  async #nextSeed(memberId: string): Promise<NextSeed> {
    for (let tries = 0; tries < NEW_PAIRS; tries++) {
      const found = await findNextSeed(this.#pool, memberId);
      if (found !== null) return found;
      await insertNextSeed(this.#pool, memberId, this.#freshSeed(), this.#clock.now());
    }
    const found = await findNextSeed(this.#pool, memberId);
    if (found === null) throw new Unavailable("a next seed is taken away as soon as it is made");
    return found;
  }

  #freshSeed(): NextSeed {
    const seed = newSeed(this.#options.entropy);
    return { id: mintId("seed", this.#clock.now(), this.#options.entropy.bytes(16)), ...seed };
  }
}

/** Names the largest stake, in the same proportions, that the brand takes and can pay. */
function limitFault(
  { settings }: Merchant,
  rule: StakeRule,
  { stakeMinor, maxPayoutMinor: mostMinor }: OpenedRound,
  currency: Currency,
): Refusal | null {
  const { maxMinor, maxPayoutMinor } = settings.stakes;
  const payable = scaleMinor(stakeMinor, maxPayoutMinor, mostMinor, "down");
  const most = wholeSteps(payable < maxMinor ? payable : maxMinor, rule);
  return stakeMinor <= most ? null : limitRefusal("choices", "too_big", `${most}`, currency);
}

function inUse(seed: SeedRow | null): SeedRow {
  if (seed === null) throw new Unavailable("a pair is revealed as soon as it is made");
  return seed;
}

function isDealtElsewhere(error: unknown): boolean {
  if (error instanceof EffectMissed) return error.statement === insertHouseRound.name;
  return constraintOf(error) === "house_rounds_nonce";
}

/** Every bounded number in a solo game's choices is a stake. */
function faultOf(error: FieldError, currency: Currency): FieldFault {
  const field = error.field === "" ? "choices" : `choices.${error.field}`;
  return error.limit === undefined ? { ...error, field } : { ...error, field, unit: currency };
}
