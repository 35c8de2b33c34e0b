import { isWished } from "@perya/client/intention";
import type { Content } from "@perya/client/use-intention";
import type { SportsFixture } from "@perya/contract/sports";
import {
  combinedOdds,
  type Market,
  potentialMinor,
  type Selection,
  SPORTS_STAKE,
} from "@perya/games/sports";
import { fitsRule } from "@perya/games/stake";
import { type Money, timesMinor, toWire } from "@perya/kernel/money";
import { create } from "zustand";
import { currentSession, useSession } from "../../shell/session.ts";
import { offeredOn } from "./board.ts";

/** Same limit as the server's contract; the page loads no schema. */
export const LEGS_MAX = 8;

export interface SlipLeg {
  readonly fixtureId: string;
  readonly sport: SportsFixture["sport"];
  readonly home: string;
  readonly away: string;
  readonly market: Market;
  readonly selection: Selection;
  /** The odds that the player saw and accepted, in thousandths. */
  readonly odds: number;
  /** The odds offered now, or null. */
  readonly now: number | null;
}

export interface Slip {
  readonly legs: readonly SlipLeg[];
  readonly multi: boolean;
}

const EMPTY: Slip = { legs: [], multi: false };

/** Survives a look at another part of the lobby, but not a reload. */
export const useSlip = create<Slip>(() => EMPTY);

/** The slip's owner: the player who made it, or a visitor's who logs in with it. */
let owner = currentSession()?.userName ?? null;

useSession.subscribe(({ session, lapsed }) => {
  if (lapsed) return;
  const next = session?.userName ?? null;
  if (owner !== null && next !== owner) useSlip.setState(EMPTY, true);
  owner = next;
});

export type TapFault = "slip_full" | "slip_one_sport";

/** A tap on odds puts a selection on the slip, replaces another of its match, or removes it. */
export function tapped(slip: Slip, leg: SlipLeg): Slip | TapFault {
  const { legs } = slip;
  if (legs.some((one) => isSame(one, leg))) return without(slip, leg.fixtureId);
  const others = legs.filter(({ fixtureId }) => fixtureId !== leg.fixtureId);
  if (others.some(({ sport }) => sport !== leg.sport)) return "slip_one_sport";
  if (others.length >= LEGS_MAX) return "slip_full";
  const next = [...others, leg];
  // The second match makes a multi, which most players want.
  return { legs: next, multi: legs.length === 1 && next.length === 2 ? true : slip.multi };
}

export function without(slip: Slip, fixtureId: string): Slip {
  const legs = slip.legs.filter((one) => one.fixtureId !== fixtureId);
  return { legs, multi: slip.multi && legs.length > 1 };
}

/** The odds offered now on every leg; better odds are accepted automatically. */
function repriced(slip: Slip, offered: (leg: SlipLeg) => number | null): Slip {
  const legs = slip.legs.map((leg) => {
    const now = offered(leg);
    const odds = now !== null && now > leg.odds ? now : leg.odds;
    return now === leg.now && odds === leg.odds ? leg : { ...leg, now, odds };
  });
  return legs.every((leg, i) => leg === slip.legs[i]) ? slip : { ...slip, legs };
}

export function repricedBy(slip: Slip, fixtures: readonly SportsFixture[]): Slip {
  const known = new Map(fixtures.map((one) => [one.id, one]));
  return repriced(slip, (leg) => offeredOn(known.get(leg.fixtureId), leg.market, leg.selection));
}

/** Accepts the current odds in place of those that were seen. */
export function accepted(slip: Slip): Slip {
  return { ...slip, legs: slip.legs.map((leg) => ({ ...leg, odds: leg.now ?? leg.odds })) };
}

export function isWorse({ odds, now }: SlipLeg): boolean {
  return now !== null && now < odds;
}

export function isSame(
  one: Pick<SlipLeg, "fixtureId" | "market" | "selection">,
  other: Pick<SlipLeg, "fixtureId" | "market" | "selection">,
): boolean {
  return (
    one.fixtureId === other.fixtureId &&
    one.market === other.market &&
    one.selection === other.selection
  );
}

/** The bets of a slip, each by its legs: one of all legs, or one per leg. */
export function betsOfSlip({ legs, multi }: Slip): readonly (readonly SlipLeg[])[] {
  if (legs.length === 0) return [];
  return multi && legs.length > 1 ? [legs] : legs.map((leg) => [leg]);
}

/** A slip's bets are sent one after another, by one press. */
export interface Batch<B> {
  readonly left: readonly B[];
  readonly pressedAt: number;
}

/** The next bet to send; none where the answer before came too late, and the legs stay. */
export function takeNext<B>({ left, pressedAt }: Batch<B>, now: number) {
  const [next, ...after] = isWished(pressedAt, now) ? left : [];
  return { next, batch: { left: after, pressedAt } };
}

/** Stake and potential payout of all bets of a slip at the same stake each, in minor units. */
export function totalsOf(slip: Slip, stakeMinor: bigint) {
  const bets = betsOfSlip(slip).map((legs) => legs.map(({ now, odds }) => now ?? odds));
  const [only] = bets;
  return {
    stakeMinor: timesMinor(stakeMinor, BigInt(bets.length)),
    potentialMinor: bets.reduce((sum, odds) => sum + potentialMinor(stakeMinor, odds), 0n),
    /** Of the one bet; null where there are several. */
    odds: bets.length === 1 && only !== undefined ? combinedOdds(only) : null,
  };
}

export type GivenBet = Content<"POST /api/v1/sports/bets">;

/** The bets as they are sent, at the odds that the player saw. */
export function betsToSend(slip: Slip, stake: Money, accept: GivenBet["accept"]): GivenBet[] {
  return betsOfSlip(slip).map((legs) => ({
    legs: legs.map(({ fixtureId, market, selection, odds }) => ({
      ...{ fixtureId, market, selection, odds },
    })),
    stake: toWire(stake),
    accept,
  }));
}

/**
 * The result of a slip with this stake.
 * @param stake null where the typed text is no amount
 * @param available the player's balance; null while unknown, which bars nothing
 * @param any the player accepts any odds
 */
export function readSlip(
  slip: Slip,
  { stake, available, any }: { stake: Money | null; available: Money | null; any: boolean },
) {
  const isGood = stake !== null && fitsRule(stake.minor, SPORTS_STAKE);
  const stakeMinor = isGood ? stake.minor : 0n;
  const totals = totalsOf(slip, stakeMinor);
  return {
    isGood,
    stakeMinor,
    totals,
    isShort: available !== null && available.minor < totals.stakeMinor,
    /** Odds fell that the player has to accept first. */
    isWorse: slip.legs.some(isWorse) && !any,
    isClosed: slip.legs.some(({ now }) => now === null),
  };
}

/** The server's odds are newer than the board's: they go on the slip, to be accepted or not. */
export function toldOdds(
  slip: Slip,
  legs: GivenBet["legs"],
  odds: readonly (number | null)[] | undefined,
): Slip {
  if (odds === undefined) return slip;
  const told = new Map(legs.map(({ fixtureId }, i) => [fixtureId, odds[i] ?? null]));
  return repriced(slip, ({ fixtureId, now }) =>
    told.has(fixtureId) ? (told.get(fixtureId) ?? null) : now,
  );
}
