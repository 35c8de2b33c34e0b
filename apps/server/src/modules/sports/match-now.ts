import type { SportsFixture } from "@perya/contract/sports";
import {
  type FinalScore,
  finalScores,
  type Match,
  type MatchState,
  oddsOf,
  playMatch,
  probabilities,
  SPORT_SHAPES,
  selectionsOf,
  stateAt,
} from "@perya/games/sports";
import type { Clock, Instant } from "@perya/kernel/instant";
import { LRUCache } from "lru-cache";
import { isSettled } from "../../platform/clock.ts";
import type { FixtureRow, Leg } from "./sports.store.ts";

/** The state of matches and what is offered on them, computed from their seeds and the clock. */

const MATCHES_KEPT = 1_000;
const OFFERS_KEPT = 1_000;

interface Price {
  readonly chances: readonly number[];
  readonly odds: readonly (number | null)[] | null;
}

/** Of a match in its state: its markets share the same final scores, and are priced on request. */
interface Offer {
  readonly finals: readonly FinalScore[];
  readonly prices: Map<Leg["market"], Price>;
}

const matches = new LRUCache<string, Match>({ max: MATCHES_KEPT });
const offers = new LRUCache<string, Offer>({ max: OFFERS_KEPT });

/**
 * A clock that stops while the one it follows goes back. What was told of a match is known: nobody
 * may bet or sell as if it were still to come. It also stops after the one it follows was set just
 * now, even ahead: others still take bets on what that would tell.
 */
export function neverBack(clock: Clock): Clock {
  let latest = Number.NEGATIVE_INFINITY;
  return {
    now() {
      const begins = latest === Number.NEGATIVE_INFINITY;
      if (begins || isSettled(clock)) latest = Math.max(latest, clock.now());
      return latest;
    },
  };
}

export function matchOf(fixture: FixtureRow): Match {
  const { id, sport, server_seed: serverSeed } = fixture;
  // The seed is part of the name: a cached value must not outlive a seed that was replaced.
  const key = `${id} ${serverSeed}`;
  const known = matches.get(key);
  if (known !== undefined) return known;
  const match = playMatch(sport, chancesOf(fixture), { serverSeed, fixtureId: id });
  matches.set(key, match);
  return match;
}

export function matchNow(fixture: FixtureRow, now: Instant): MatchState {
  return stateAt(matchOf(fixture), now - fixture.starts_at.getTime());
}

export function chanceNow(fixture: FixtureRow, leg: Leg, now: Instant): number {
  const at = selectionsOf(fixture.sport, leg.market).indexOf(leg.selection);
  return priceOf(fixture, leg.market, matchNow(fixture, now)).chances[at] ?? 0;
}

/** The odds offered on a selection now, in thousandths; null if none are. */
export function oddsNow(fixture: FixtureRow, leg: Leg, now: Instant): number | null {
  const offered = marketsOf(fixture, matchNow(fixture, now));
  const market = offered.find((one) => one.market === leg.market);
  return market?.selections.find((one) => one.selection === leg.selection)?.odds ?? null;
}

/** A fixture as everybody sees it; its seed is secret until it counts. */
export function fixtureReply(fixture: FixtureRow, now: Instant): SportsFixture {
  const { id, sport, home, away, state } = fixture;
  const match = matchNow(fixture, now);
  return {
    ...{ id, sport, home, away, startsAt: fixture.starts_at.getTime() },
    phase: state === "voided" ? "voided" : match.phase,
    tick: match.tick,
    score: match.score,
    suspended: match.suspended,
    markets: state === "open" ? marketsOf(fixture, match) : [],
    chances: chancesOf(fixture),
    seedHash: fixture.seed_hash,
    serverSeed: state === "open" ? null : fixture.server_seed,
  };
}

function marketsOf(fixture: FixtureRow, match: MatchState): SportsFixture["markets"] {
  if (match.suspended || match.phase === "over") return [];
  const { sport } = fixture;
  return SPORT_SHAPES[sport].markets.flatMap((market) => {
    const { odds } = priceOf(fixture, market, match);
    if (odds === null) return [];
    const selections = selectionsOf(sport, market).flatMap((selection, i) => {
      const offered = odds[i] ?? null;
      return offered === null ? [] : [{ selection, odds: offered }];
    });
    return [{ market, selections }];
  });
}

/** Everybody asks for the same prices within a tick: they are computed once. */
function priceOf(fixture: FixtureRow, market: Leg["market"], match: MatchState): Price {
  const { finals, prices } = offerOf(fixture, match);
  const known = prices.get(market);
  if (known !== undefined) return known;
  const chances = probabilities(fixture.sport, market, finals);
  const price = { chances, odds: oddsOf(chances) };
  prices.set(market, price);
  return price;
}

function offerOf(fixture: FixtureRow, match: MatchState): Offer {
  const { home, away } = match.score;
  const key = `${fixture.id} ${match.tick} ${home}:${away}`;
  const known = offers.get(key);
  if (known !== undefined) return known;
  const offer = {
    finals: finalScores(fixture.sport, chancesOf(fixture), match),
    prices: new Map<Leg["market"], Price>(),
  };
  offers.set(key, offer);
  return offer;
}

function chancesOf({ home_chance: home, away_chance: away }: FixtureRow) {
  return { home, away };
}
