import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import {
  mostStakeMinor,
  playMatch,
  potentialMinor,
  SPORT_SHAPES,
  SPORTS,
  SPORTS_STAKE,
  type Sport,
  selectionsOf,
  TICK_MS,
  TICKS,
} from "@perya/games/sports";
import {
  type Fixture,
  fixturesBetween,
  LOBBIES,
  PLAN_AHEAD_MS,
} from "@perya/games/sports-fixtures";
import { assert, present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { CLOCKS_APART_MS, type Clock, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type { Money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { isSettled, type Pause, untilToldAt } from "../../platform/clock.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf, unlessMissed } from "../ledger/ledger.ts";
import {
  accountOfWager,
  hasStake,
  newSeed,
  PlannedEvents,
  stakeFault,
  type WagerEnd,
  type WagerGame,
  Wagers,
} from "../rounds/rounds.ts";
import type { VendorWallet } from "../vendors/vendors.ts";
import { type BetOfFixtures, legState, oddsOfLegs, payoutOf, worthOf } from "./bet-worth.ts";
import { matchNow, matchOf, neverBack, oddsNow } from "./match-now.ts";
import {
  BET_TABLE,
  type BetRow,
  endedFixtures,
  endFixture,
  type FixtureRow,
  findFixtures,
  fixturesAround,
  INSERT_FIXTURES,
  insertBet,
  type Leg,
  type NewFixture,
} from "./sports.store.ts";

export { sportsBook } from "./sports.store.ts";

export const END_MATCH = "sports_end";
/** How often a bet or a sale is judged if its odds or price are over before it can be booked. */
const JUDGED_MAX = 2;
const SHOWN_AFTER_MS = MINUTE_MS;

interface JudgedBet {
  readonly given: GivenBet;
  readonly sport: Sport;
  readonly fixtures: ReadonlyMap<string, FixtureRow>;
}

export interface SportsOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly wallet: VendorWallet;
  /** Why a player may not bet in a vendor's lobby now; null if they may. */
  readonly playRefusal: (
    merchant: Merchant,
    session: Session,
    game: { readonly vendor: string; readonly gameId: string },
  ) => Promise<Refusal | null>;
  /** Delays an answer whose judgement is still to come by our clock. */
  readonly pause?: Pause;
}

export interface GivenBet {
  readonly id: string;
  readonly legs: readonly Leg[];
  readonly stake: Money;
  readonly accept: "better" | "any";
}

export interface GivenSale {
  readonly betId: string;
  /** The lowest price at which it is sold. */
  readonly amount: Money;
}

/**
 * The house's matches. Fixtures are planned ahead with the hash of their seed; the state of a match
 * follows from its seed and the clock alone, so any process takes bets on it and none keeps it. Its
 * end settles the bets that wait for nothing else; a bet may also be sold back.
 */
export class Sports {
  readonly #options: SportsOptions;
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #bets: Wagers<BetRow>;
  readonly #fixtures: PlannedEvents<FixtureRow>;
  /** The clock by which this process shows matches, and judges bets and sales. */
  readonly told: Clock;

  constructor(options: SportsOptions) {
    const { pool, clock } = options;
    this.#options = options;
    this.#pool = pool;
    this.#clock = clock;
    this.told = neverBack(clock);
    this.#bets = new Wagers(BET_GAME, options);
    this.#fixtures = new PlannedEvents<FixtureRow>(
      { pool, clock },
      {
        ...{ task: END_MATCH, word: "match", table: "sports_fixtures", dueColumn: "ends_at" },
        ...{ kindColumn: "sport", timeColumn: "starts_at" },
        find: async (id) => (await findFixtures(pool, [id])).get(id) ?? null,
        finish: (match, isVoid) => endFixture(pool, match.id, isVoid ? null : matchOf(match).score),
        settle: (id) => this.#bets.settle(id, (bets) => this.#endsOf(bets)),
      },
    );
  }

  async plan(): Promise<void> {
    const now = this.#clock.now();
    // From a match's length ago, so that the lobby of a new installation has live matches.
    const from = now - TICKS * TICK_MS;
    for (const sport of SPORTS) await this.planBetween(sport, from, now + PLAN_AHEAD_MS);
    await this.#fixtures.jobs.takeUp(now);
  }

  async planBetween(sport: Sport, from: Instant, until: Instant): Promise<void> {
    const planned = await this.#fixtures.jobs.plannedTimes(sport, from, until);
    const missing = fixturesBetween(sport, from, until).filter((one) => !planned.has(one.startsAt));
    const fixtures = missing.map((fixture) => this.#newFixture(fixture));
    await this.#fixtures.add(INSERT_FIXTURES, fixtures);
  }

  /**
   * Ends a match whose time has come, and settles its bets; a repetition is harmless.
   * @throws Error before its time
   */
  async end(fixtureId: string): Promise<void> {
    await this.#fixtures.end(fixtureId);
  }

  /**
   * Takes a bet at the odds by the latest clock of any process: one whose clock is ahead, or this one
   * before its clock went back, may have told points that our clock has not reached. The odds must
   * still be the same when it is booked. The same id again answers the same bet.
   */
  async bet(
    merchant: Merchant,
    session: Session,
    given: GivenBet,
  ): Promise<Result<BetOfFixtures, Refusal>> {
    return judgedAnew(() => this.#place(merchant, session, given));
  }

  /** Null if the odds were over before it could be booked. */
  async #place(
    merchant: Merchant,
    session: Session,
    given: GivenBet,
  ): Promise<Result<BetOfFixtures, Refusal> | null> {
    const account = accountOf(session.memberId, session.currency);
    const ids = given.legs.map(({ fixtureId }) => fixtureId);
    const fixtures = await findFixtures(this.#pool, ids);
    const difference = (bet: BetRow) => differenceFrom(bet, given);
    const existing = await this.#bets.existing(account, given.id, difference);
    if (existing !== null) {
      return existing.ok ? ok({ bet: existing.value, fixtures }) : existing;
    }
    const misnamed = legsFault(given.legs, fixtures);
    if (misnamed !== null) return refuse(misnamed);
    const { sport } = present(fixtures.get(ids[0] ?? ""), "the first fixture of a bet");
    const lobby = LOBBIES[sport];
    const closed = await this.#options.playRefusal(merchant, session, lobby);
    if (closed !== null) return refuse(closed);
    const answer = await this.#judge(merchant, session, { given, sport, fixtures });
    await this.#whenTold(fixtures);
    return answer;
  }

  /** As `#place`, once it is known what the bet is on. */
  async #judge(
    merchant: Merchant,
    session: Session,
    { given, sport, fixtures }: JudgedBet,
  ): Promise<Result<BetOfFixtures, Refusal> | null> {
    const lobby = LOBBIES[sport];
    const at = this.#judgedAt();
    if (at === null) return refuse(refusal("market_suspended"));
    const taken = takenLegs(given, fixtures, at);
    const asked = taken.ok ? taken.value : given.legs;
    const fault = stakeFault(given.stake, {
      ...{ merchant, session, rule: SPORTS_STAKE },
      payableMinor: mostStakeMinor(merchant.settings.stakes.maxPayoutMinor, oddsOfLegs(asked)),
    });
    if (fault !== null) return refuse(fault);
    if (!taken.ok) return taken;
    const legs = taken.value;
    const stakeMinor = given.stake.minor;
    const bet = {
      ...{ merchant, session, vendor: lobby.vendor, gameId: lobby.gameId },
      ...{ roundId: given.id, stakeMinor, insert: insertBet },
      row: {
        ...{ id: given.id, sport, legs, fixture_ids: given.legs.map((leg) => leg.fixtureId) },
        potential_minor: potentialMinor(stakeMinor, oddsOfLegs(legs)).toString(),
        at,
      },
      hasLapsed: () => !this.#isOffered(legs, fixtures),
    };
    const difference = (existing: BetRow) => differenceFrom(existing, given);
    const placed = await this.#bets.place(bet, difference);
    if (!placed.ok) return placed.error.code === "odds_changed" ? null : placed;
    return ok({ bet: placed.value.bet, fixtures });
  }

  /**
   * Buys an open bet back at its present worth, by the latest of all clocks, if that is not below
   * `amount`. It must still be worth that when it is booked.
   */
  async cashOut(session: Session, given: GivenSale): Promise<Result<BetOfFixtures, Refusal>> {
    return judgedAnew(() => this.#sell(session, given));
  }

  /** Null if the bet was worth something else before the sale could be booked. */
  async #sell(
    session: Session,
    { betId, amount }: GivenSale,
  ): Promise<Result<BetOfFixtures, Refusal> | null> {
    const account = accountOf(session.memberId, session.currency);
    const bet = await this.#bets.find(account, betId);
    if (bet === null) return refuse(refusal("not_found"));
    if (amount.currency !== bet.currency) {
      return refuse(fieldRefusal("amount.currency", "foreign_currency"));
    }
    const fixtures = await findFixtures(this.#pool, fixtureIds([bet]));
    if (bet.state === "cashed") return ok({ bet, fixtures });
    const answer = await this.#sellAt(amount.minor, { bet, fixtures });
    await this.#whenTold(fixtures);
    return answer;
  }

  async #sellAt(
    leastMinor: bigint,
    { bet, fixtures }: BetOfFixtures,
  ): Promise<Result<BetOfFixtures, Refusal> | null> {
    const worth = this.#worthNow({ bet, fixtures });
    if (!worth.ok) return worth;
    if (worth.value < leastMinor) return refuse(refusal("odds_changed"));
    const hasLapsed = () => {
      const then = this.#worthNow({ bet, fixtures });
      return !then.ok || then.value !== worth.value;
    };
    let lapsed = false;
    await unlessMissed(async () => {
      const ending = { state: "cashed", word: "cashed" };
      const paid = await this.#bets.pay(bet, { payoutMinor: worth.value, ending, hasLapsed });
      lapsed = !paid.ok && paid.error.code === "odds_changed";
      // A second sale of the same bet at another price finds the first one existing.
      assert(lapsed || paid.ok || paid.error.code === "id_reused", `the payout of bet ${bet.id}`);
    });
    if (lapsed) return null;
    const found = await this.#bets.find(accountOfWager(bet), bet.id);
    const now = present(found, "the bet that was sold");
    return now.state === "cashed" ? ok({ bet: now, fixtures }) : refuse(refusal("wrong_state"));
  }

  async betsOf(
    session: Session,
    page: { readonly before: string | null; readonly limit: number },
  ): Promise<BetOfFixtures[]> {
    const account = accountOf(session.memberId, session.currency);
    const bets = await this.#bets.page(account, page);
    const fixtures = await findFixtures(this.#pool, fixtureIds(bets));
    return bets.map((bet) => ({ bet, fixtures }));
  }

  async around(): Promise<FixtureRow[]> {
    const now = this.told.now();
    return fixturesAround(this.#pool, now - SHOWN_AFTER_MS, now + PLAN_AHEAD_MS);
  }

  /** @param before null for the newest */
  async endedOf(sport: Sport, before: Instant | null, limit: number): Promise<FixtureRow[]> {
    const page = { before: before ?? this.told.now() + 1, limit };
    return endedFixtures(this.#pool, sport, page);
  }

  /**
   * The matches are read after the bets: where two matches end at the same time, one of the two jobs
   * sees both ended.
   */
  async #endsOf(bets: readonly BetRow[]): Promise<(bet: BetRow) => WagerEnd> {
    const fixtures = await findFixtures(this.#pool, fixtureIds(bets));
    return (bet) => {
      const states = bet.legs.map((leg) => legState(leg, fixtures.get(leg.fixtureId)));
      if (states.includes("lost")) return 0n;
      if (states.includes("open")) return null;
      return states.includes("won") ? payoutOf(bet, fixtures) : "refunded";
    };
  }

  /**
   * The latest time that any clock may show. Null for a while after ours was set: then some
   * processes judge matches by one clock, and some by another.
   */
  #judgedAt(): Instant | null {
    return isSettled(this.#clock) ? this.told.now() + CLOCKS_APART_MS : null;
  }

  /**
   * An answer to a bet or a sale, also a refusal, can reveal a tick that our clock has not reached;
   * a player could use it at a process whose clock is behind. So each answer waits until our clock
   * has passed the tick by which it was judged. It waits for ticks without a point too, or a delay
   * would reveal the point.
   */
  async #whenTold(fixtures: ReadonlyMap<string, FixtureRow>): Promise<void> {
    const now = this.told.now();
    const judged = now + CLOCKS_APART_MS;
    const isToCome = ({ starts_at }: FixtureRow) =>
      ticksSince(starts_at, now) !== ticksSince(starts_at, judged);
    if (![...fixtures.values()].some(isToCome)) return;
    await untilToldAt(judged, this.told, this.#options.pause);
  }

  /** Whether a bet would be taken at exactly these odds now. */
  #isOffered(legs: readonly Leg[], fixtures: ReadonlyMap<string, FixtureRow>): boolean {
    const now = this.#judgedAt();
    if (now === null) return false;
    const taken = takenLegs({ legs, accept: "any" }, fixtures, now);
    return taken.ok && taken.value.every(({ odds }, i) => odds === legs[i]?.odds);
  }

  #worthNow(bet: BetOfFixtures): Result<bigint, Refusal> {
    const now = this.#judgedAt();
    return now === null ? refuse(refusal("market_suspended")) : worthOf(bet, now);
  }

  #newFixture({ sport, home, away, chances, startsAt }: Fixture): NewFixture {
    const seed = newSeed(this.#options.entropy);
    const id = mintId("fixture", startsAt, this.#options.entropy.bytes(16));
    const { endTick } = playMatch(sport, chances, { serverSeed: seed.server_seed, fixtureId: id });
    return {
      ...{ id, sport, home, away, home_chance: chances.home, away_chance: chances.away },
      starts_at: startsAt,
      ends_at: startsAt + endTick * TICK_MS,
      ...seed,
    };
  }
}

const BET_GAME: WagerGame<BetRow> = {
  ...BET_TABLE,
  vendorOf: ({ sport }) => LOBBIES[sport].vendor,
  paid: { state: "won", word: "won" },
  refunded: { state: "voided", isPayout: false },
};

/** Negative before the match begins. */
function ticksSince(startsAt: Date, at: Instant): number {
  return Math.floor((at - startsAt.getTime()) / TICK_MS);
}

/**
 * Judges a bet again when it is booked, if the match went on meanwhile. Otherwise a player could
 * delay the booking, watch the match, and then choose whether the bet fails. After `JUDGED_MAX`
 * times it is refused.
 */
async function judgedAnew<T>(
  judge: () => Promise<Result<T, Refusal> | null>,
): Promise<Result<T, Refusal>> {
  for (let times = 0; times < JUDGED_MAX; times++) {
    const answer = await judge();
    if (answer !== null) return answer;
  }
  return refuse(refusal("market_suspended"));
}

function fixtureIds(bets: readonly BetRow[]): string[] {
  return [...new Set(bets.flatMap(({ legs }) => legs.map(({ fixtureId }) => fixtureId)))];
}

/** Legs that are none of these matches', or that one bet cannot join. */
function legsFault(
  legs: readonly Leg[],
  fixtures: ReadonlyMap<string, FixtureRow>,
): Refusal | null {
  const sport = fixtures.get(legs[0]?.fixtureId ?? "")?.sport;
  for (const [i, { fixtureId, market, selection }] of legs.entries()) {
    const fixture = fixtures.get(fixtureId);
    // A bet is one vendor's round, so its matches are of one sport.
    if (fixture === undefined || fixture.sport !== sport) {
      return fieldRefusal(`legs.${i}.fixtureId`, "not_allowed");
    }
    // Two selections of one match depend on each other: their odds do not multiply.
    const twin = legs.slice(0, i).some((other) => other.fixtureId === fixtureId);
    if (twin) return fieldRefusal(`legs.${i}.fixtureId`, "taken");
    if (!SPORT_SHAPES[fixture.sport].markets.includes(market)) {
      return fieldRefusal(`legs.${i}.market`, "not_allowed");
    }
    if (!selectionsOf(fixture.sport, market).includes(selection)) {
      return fieldRefusal(`legs.${i}.selection`, "not_allowed");
    }
  }
  return null;
}

/** The legs at the present odds, if these are what the player accepts. */
function takenLegs(
  { legs, accept }: Pick<GivenBet, "legs" | "accept">,
  fixtures: ReadonlyMap<string, FixtureRow>,
  now: Instant,
): Result<readonly Leg[], Refusal> {
  const matches = legs.map((leg) => present(fixtures.get(leg.fixtureId), "the fixture of a leg"));
  if (matches.some((one) => one.state !== "open" || matchNow(one, now).phase === "over")) {
    return refuse(refusal("bets_closed"));
  }
  const odds = legs.map((leg, i) => oddsNow(present(matches[i], "the match of a leg"), leg, now));
  const taken: Leg[] = [];
  for (const [i, leg] of legs.entries()) {
    const offered = odds[i] ?? null;
    if (offered === null) return refuse(refusal("market_suspended", { odds }));
    taken.push({ ...leg, odds: offered });
  }
  const worse = taken.some((leg, i) => leg.odds < (legs[i]?.odds ?? 0));
  return worse && accept === "better" ? refuse(refusal("odds_changed", { odds })) : ok(taken);
}

/** Why the bet that exists under this id differs from this one; null if it does not. */
function differenceFrom(existing: BetRow, given: GivenBet): Refusal | null {
  const same =
    hasStake(existing, given.stake) &&
    existing.legs.length === given.legs.length &&
    existing.legs.every((leg, i) => {
      const other = given.legs[i];
      return (
        leg.fixtureId === other?.fixtureId &&
        leg.market === other.market &&
        leg.selection === other.selection
      );
    });
  return same ? null : refusal("id_reused");
}
