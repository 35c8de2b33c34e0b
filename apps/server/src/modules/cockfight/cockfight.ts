import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import {
  COCKFIGHT_STAKE,
  type CockfightPool,
  type CockfightSide,
  cockfightPayoutMinor,
  DRAW_FACTOR,
  fightOf,
  isContest,
} from "@perya/games/cockfight";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { currencyOf, divideRounded, type Money, money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { Kept } from "../../platform/keeper.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import { isOn, type Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { type Account, accountOf } from "../ledger/ledger.ts";
import {
  endsBySeed,
  hasStake,
  newSeed,
  stakeFault,
  type WagerEnd,
  type WagerGame,
  Wagers,
} from "../rounds/rounds.ts";
import type { VendorWallet } from "../vendors/vendors.ts";
import {
  BET_TABLE,
  type BetRow,
  countBets,
  currentMatch,
  findMatch,
  insertBet,
  insertMatch,
  latestMatch,
  latestResults,
  type MatchRow,
  markSettled,
  OVER_MATCHES,
  type PoolRow,
  poolsOf,
  type StoredPhase,
  setPhase,
} from "./cockfight.store.ts";
import {
  type BrandPools,
  type CockfightView,
  type SharedMatch,
  type ShownMatch,
  type WirePools,
  withStake,
} from "./cockfight-view.ts";

export { cancelOpenMatch, cockfightBook } from "./cockfight.store.ts";

export const COCKFIGHT = "COCKFIGHT";
export const COCKFIGHT_GAME = "cockfight";

export const BETTING_MS = 25 * SECOND_MS;
/** Between the last bet and the fight the pools are final, and everybody sees what a peso pays. */
const CLOSED_MS = 3 * SECOND_MS;
const FIGHT_MS = 12 * SECOND_MS;
/** How long a result stays on the screen before the next match. */
const SETTLED_MS = 6 * SECOND_MS;
/** A match that nobody could close for so long after its time is cancelled. */
export const LATEST_MS = 10 * MINUTE_MS;
/** Between two looks whether any brand has switched the key on. */
const IDLE_MS = SECOND_MS;
const HISTORY = 60;
const MY_BETS = 40;
const BETS_A_MATCH = 20;

export interface CockfightOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly wallet: VendorWallet;
  readonly view: CockfightView;
  readonly brands: () => Promise<readonly Merchant[]>;
  /** Why a player may not bet now; null if they may. */
  readonly playRefusal: (merchant: Merchant, session: Session) => Promise<Refusal | null>;
  /** Resolves once no coming fight was seen in a history that the database has left. */
  readonly sure: () => Promise<void>;
}

export interface GivenBet {
  readonly id: string;
  readonly matchId: string;
  readonly side: CockfightSide;
  readonly stake: Money;
}

export interface FinishedMatch {
  readonly match: MatchRow;
  readonly pools: readonly WirePools[];
}

/**
 * The virtual cockfight: one match at a time for all brands that have the key. Each brand's players
 * bet among themselves, with one pool per currency. Any process takes bets; the one that holds the
 * lease moves the match on. Its fight is fixed by its seed before the first bet, and the pools once
 * bets are closed, so any process that finds an abandoned match ends it the same way.
 */
export class Cockfight {
  readonly #options: CockfightOptions;
  readonly #pool: pg.Pool;
  readonly #bets: Wagers<BetRow>;
  readonly #clock: Clock;

  constructor(options: CockfightOptions) {
    this.#options = options;
    this.#pool = options.pool;
    this.#bets = new Wagers(BET_GAME, options);
    this.#clock = options.clock;
  }

  /** Takes a bet while bets are open; the same id again answers the same bet. */
  async bet(
    merchant: Merchant,
    session: Session,
    given: GivenBet,
  ): Promise<Result<BetRow, Refusal>> {
    const account = accountOf(session.memberId, session.currency);
    const difference = (bet: BetRow) => differenceFrom(bet, given);
    const existing = await this.#bets.existing(account, given.id, difference);
    if (existing !== null) return existing;
    if (!isOn(merchant, COCKFIGHT)) return refuse(refusal("feature_off"));
    const payableMinor = payableOn(given.side, merchant);
    const by = { merchant, session, rule: COCKFIGHT_STAKE, payableMinor };
    const fault =
      stakeFault(given.stake, by) ?? (await this.#options.playRefusal(merchant, session));
    if (fault !== null) return refuse(fault);
    // Before the match is read: an open one is cancelled if the database's history has changed.
    await this.#options.sure();
    const match = await findMatch(this.#pool, given.matchId);
    if (match === null) return refuse(fieldRefusal("matchId", "not_allowed"));
    const at = this.#clock.now();
    if (match.phase !== "betting" || at >= match.closes_at.getTime()) {
      return refuse(refusal("bets_closed"));
    }
    // The insertion counts again, exactly; this count spares the others of its batch a second try.
    if (await this.#isFull(account, match.id)) return refuse(refusal("too_many_open"));
    return this.#place(merchant, session, { ...given, account, at });
  }

  async betsOf(session: Session): Promise<BetRow[]> {
    const account = accountOf(session.memberId, session.currency);
    const bets = await this.#bets.page(account, { before: null, limit: MY_BETS });
    // The newest match first. Bet ids order by the hour only, so the number of the match decides.
    return bets.toSorted((a, b) => Number(b.number - a.number));
  }

  async finished(merchant: Merchant, matchId: string): Promise<FinishedMatch | null> {
    const match = await findMatch(this.#pool, matchId);
    if (match === null || match.settled_at === null) return null;
    const pools = brandPools([merchant.id], await poolsOf(this.#pool, matchId));
    return { match, pools: pools[merchant.id] ?? [] };
  }

  /** For the keeper (platform/keeper.ts). */
  kept(): Kept {
    return {
      watch: () => this.watch(),
      // A dead keeper leaves the match that a round begins with.
      takeOver: async () => undefined,
      round: async ({ until, wait, during, beside }) => {
        // Tries with each match what earlier matches owe, and no match waits for it.
        beside(this.settleOwing());
        let match = await this.prepare();
        if (match === null) return wait(IDLE_MS);
        while (match.settled_at === null) {
          // No step lasts longer, whatever a wrong clock wrote; setting it now ends the round.
          const latest = this.#clock.now() + BETTING_MS;
          if (!(await until(Math.min(dueAt(match), latest)))) return;
          match = await during(this.advance(match));
        }
        await until(this.#clock.now() + SETTLED_MS);
      },
    };
  }

  /** Shows this process's players another process's match, if its bus brought no message of it. */
  async watch(): Promise<void> {
    const match = await latestMatch(this.#pool);
    if (match === null) return;
    const known = { number: Number(match.number), phase: shownPhase(match), bets: match.bets };
    if (!this.#options.view.lacks(known)) return;
    this.#options.view.read(...(await this.#picture(match)));
  }

  /** The match under way, else a new one; null if there is none and no brand has the key. */
  async prepare(): Promise<MatchRow | null> {
    const left = await currentMatch(this.#pool);
    const wanted = left !== null || (await this.#options.brands()).length > 0;
    if (!wanted) return null;
    const match = left ?? (await this.#open());
    await this.#announce(match);
    return match;
  }

  /**
   * Does the next step of a match. A step that another process took is not taken again.
   * @throws Error if another process has moved the match on
   */
  async advance(match: MatchRow): Promise<MatchRow> {
    const moved = await this.#step(match);
    // A result is shown once everybody has been paid whose wallet was not busy.
    if (moved.settled_at !== null || (moved.phase !== "settled" && moved.phase !== "cancelled")) {
      await this.#announce(moved);
    }
    return moved;
  }

  async #step(match: MatchRow): Promise<MatchRow> {
    switch (match.phase) {
      case "betting": {
        const lateMs = this.#clock.now() - match.closes_at.getTime();
        return this.#enter(match, endsBySeed(match, lateMs, LATEST_MS) ? "closed" : "cancelled");
      }
      case "closed":
        return this.#enter(match, "fighting");
      case "fighting":
        return this.#enter(match, "settled", fight(match).result);
      case "settled":
      case "cancelled":
        await this.#settle(match);
        return this.#movedOn(match, await markSettled(this.#pool, match.id, this.#clock.now()));
    }
  }

  async #enter(
    match: MatchRow,
    to: StoredPhase,
    result: CockfightSide | null = null,
  ): Promise<MatchRow> {
    const change = { from: match.phase, to, at: this.#clock.now(), result };
    return this.#movedOn(match, await setPhase(this.#pool, match.id, change));
  }

  /** A keeper that slept while another took over finds its match changed and gives up. */
  #movedOn(match: MatchRow, moved: MatchRow | null): MatchRow {
    if (moved === null) throw new Error(`match ${match.id} is not ${match.phase} any more`);
    return moved;
  }

  async #open(): Promise<MatchRow> {
    const now = this.#clock.now();
    const seed = newSeed(this.#options.entropy);
    const match = { id: mintId("match", now, this.#options.entropy.bytes(16)), ...seed };
    return insertMatch(this.#pool, match, { closesAt: now + BETTING_MS, now });
  }

  /** Pays what settled matches owe to wallets that were busy. */
  settleOwing(): Promise<void> {
    return this.#bets.settleOwing<MatchRow>(OVER_MATCHES, (match) => this.#settle(match));
  }

  /**
   * Pays, loses or returns every bet that still waits; a repetition is harmless. One whose wallet
   * is busy is owed, and the match goes on without it.
   */
  async #settle({ id, result, no_contest_up_to: upTo }: MatchRow): Promise<void> {
    const pools = contests(await poolsOf(this.#pool, id));
    const endOf = (bet: BetRow): WagerEnd => {
      const pool = present(pools.get(poolKey(bet)), "the pool of a bet");
      const { side, stake_minor: stakeMinor } = bet;
      if (result === null || !isContest(pool, upTo)) return "refunded";
      if (side !== result) return result === "draw" ? "refunded" : 0n;
      return cockfightPayoutMinor(pool, { side, stakeMinor }, result, upTo);
    };
    await this.#bets.settle(id, () => endOf);
  }

  async #place(
    merchant: Merchant,
    session: Session,
    given: GivenBet & { readonly account: Account; readonly at: Instant },
  ): Promise<Result<BetRow, Refusal>> {
    const { account, stake, id, matchId, side, at } = given;
    const bet = {
      ...{ merchant, session, vendor: HOUSE_VENDOR, gameId: COCKFIGHT_GAME },
      // A player bets as often as they like, so each bet is a round of its own in the record.
      ...{ roundId: id, stakeMinor: stake.minor, insert: insertBet },
      row: {
        ...{ id, match_id: matchId, member_id: session.memberId, side, at },
        bets_max: BETS_A_MATCH,
      },
    };
    const placed = await this.#bets.place(
      bet,
      (existing) => differenceFrom(existing, given),
      async () => refusal((await this.#isFull(account, matchId)) ? "too_many_open" : "bets_closed"),
    );
    if (!placed.ok) return placed;
    if (placed.value.isNew) {
      this.#options.view.staked({ matchId, merchantId: merchant.id, side, stake });
    }
    return ok(placed.value.bet);
  }

  async #isFull(account: Account, matchId: string): Promise<boolean> {
    return (await countBets(this.#pool, account, matchId)) >= BETS_A_MATCH;
  }

  async #announce(match: MatchRow): Promise<void> {
    this.#options.view.phase(...(await this.#picture(match)));
  }

  async #picture(match: MatchRow): Promise<[ShownMatch, BrandPools]> {
    const [merchants, rows, results] = await Promise.all([
      this.#options.brands(),
      poolsOf(this.#pool, match.id),
      latestResults(this.#pool, HISTORY),
    ]);
    // The fight is sent only after bets are closed, and its result when `shownPhase` says so.
    const shown = match.phase === "fighting" || match.phase === "settled";
    const over = match.settled_at !== null;
    const shared: SharedMatch = {
      matchId: match.id,
      number: Number(match.number),
      phase: shownPhase(match),
      seedHash: match.seed_hash,
      now: this.#clock.now(),
      closesAt: match.closes_at.getTime(),
      fightsAt: match.fights_at?.getTime() ?? null,
      exchanges: shown ? [...fight(match).exchanges] : null,
      result: over ? match.result : null,
      history: results.map(({ id, number, result }) => ({
        matchId: id,
        number: Number(number),
        result,
      })),
    };
    const ids = merchants.map(({ id }) => id);
    return [{ match: shared }, brandPools(ids, rows)];
  }
}

const BET_GAME: WagerGame<BetRow> = {
  ...BET_TABLE,
  vendorOf: () => HOUSE_VENDOR,
  paid: { state: "won", word: "win" },
  refunded: { state: "returned", isPayout: true },
  skipsUnderWay: true,
};

/** A result is shown once everybody has been paid whose wallet was not busy. */
function shownPhase({ phase, settled_at }: MatchRow): StoredPhase {
  return phase === "settled" && settled_at === null ? "fighting" : phase;
}

function dueAt(match: MatchRow): Instant {
  switch (match.phase) {
    case "betting":
      return match.closes_at.getTime();
    case "closed":
      return match.closes_at.getTime() + CLOSED_MS;
    case "fighting":
      return present(match.fights_at, "when a fight began").getTime() + FIGHT_MS;
    case "settled":
    case "cancelled":
      return 0;
  }
}

function fight({ server_seed: serverSeed, id: matchId }: MatchRow) {
  return fightOf({ serverSeed, matchId });
}

/** The pools of these brands as they are shown; a brand without bets has none. */
function brandPools(merchantIds: readonly string[], rows: readonly PoolRow[]): BrandPools {
  const brands = Object.fromEntries(merchantIds.map((id) => [id, [] as WirePools[]]));
  for (const { merchant_id, currency, side, stake_minor } of rows) {
    const pools = brands[merchant_id];
    if (pools !== undefined) {
      brands[merchant_id] = withStake(pools, side, money(stake_minor, currencyOf(currency)));
    }
  }
  return brands;
}

/** Both sides of every pool, by brand and currency; Draw is no part of them. */
function contests(rows: readonly PoolRow[]): Map<string, CockfightPool> {
  const pools = new Map<string, CockfightPool>();
  for (const row of rows) {
    const pool = pools.get(poolKey(row)) ?? { meronMinor: 0n, walaMinor: 0n };
    const more =
      row.side === "meron"
        ? { meronMinor: row.stake_minor }
        : row.side === "wala"
          ? { walaMinor: row.stake_minor }
          : {};
    pools.set(poolKey(row), { ...pool, ...more });
  }
  return pools;
}

function poolKey(row: { readonly merchant_id: string; readonly currency: string }): string {
  return `${row.merchant_id} ${row.currency}`;
}

/** The house pays a draw; losers of the pool pay its winners. */
function payableOn(side: CockfightSide, { settings }: Merchant): bigint {
  const { maxMinor, maxPayoutMinor } = settings.stakes;
  return side === "draw" ? divideRounded(maxPayoutMinor, BigInt(DRAW_FACTOR), "down") : maxMinor;
}

/** Why the bet that exists under this id differs from this one; null if it does not. */
function differenceFrom(existing: BetRow, given: GivenBet): Refusal | null {
  const same =
    existing.match_id === given.matchId &&
    existing.side === given.side &&
    hasStake(existing, given.stake);
  return same ? null : refusal("id_reused");
}
