import { type Refusal, refusal } from "@perya/contract/refusal";
import { cashOutMinor, comesTrue, potentialMinor } from "@perya/games/sports";
import { present } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { chanceNow, matchNow } from "./match-now.ts";
import type { BetRow, FixtureRow, Leg } from "./sports.store.ts";

export interface BetOfFixtures {
  readonly bet: BetRow;
  readonly fixtures: ReadonlyMap<string, FixtureRow>;
}

/**
 * The price at which a bet is bought back now. Refused if it is settled or lost, and while one of
 * its matches takes nothing: after a point, and until a match that is over counts.
 */
export function worthOf({ bet, fixtures }: BetOfFixtures, now: Instant): Result<bigint, Refusal> {
  if (bet.state !== "placed") return refuse(refusal("wrong_state"));
  const chances: number[] = [];
  for (const leg of bet.legs) {
    const fixture = present(fixtures.get(leg.fixtureId), "the fixture of a leg");
    const state = legState(leg, fixture);
    if (state === "lost") return refuse(refusal("wrong_state"));
    if (state !== "open") continue;
    const match = matchNow(fixture, now);
    if (match.suspended || match.phase === "over") return refuse(refusal("market_suspended"));
    chances.push(chanceNow(fixture, leg, now));
  }
  // A sure win is paid in full by the job of its last match.
  if (chances.length === 0) return refuse(refusal("market_suspended"));
  const worth = cashOutMinor(payoutOf(bet, fixtures), chances);
  return worth > 0n ? ok(worth) : refuse(refusal("market_suspended"));
}

/** How a selection ended; open until its match counts. */
export function legState(
  { market, selection }: Leg,
  fixture: FixtureRow | undefined,
): "open" | "won" | "lost" | "voided" {
  if (fixture === undefined || fixture.state === "open") return "open";
  if (fixture.state === "voided") return "voided";
  const score = { home: fixture.home_score ?? 0, away: fixture.away_score ?? 0 };
  return comesTrue(market, selection, score) ? "won" : "lost";
}

/** What a bet pays once its open selections come true; a void one counts as odds of one. */
export function payoutOf(bet: BetRow, fixtures: ReadonlyMap<string, FixtureRow>): bigint {
  const counted = bet.legs.filter((leg) => legState(leg, fixtures.get(leg.fixtureId)) !== "voided");
  return potentialMinor(bet.stake_minor, oddsOfLegs(counted));
}

export function oddsOfLegs(legs: readonly Leg[]): readonly number[] {
  return legs.map(({ odds }) => odds);
}
