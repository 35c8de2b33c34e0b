import { bySize } from "@perya/contract/flight-list";
import { FLIGHT_LISTED_BETS, type LiveBet, type SaranggolaState } from "@perya/contract/socket";
import type { OnWire } from "@perya/contract/wire";
import type { MoneyWire } from "@perya/kernel/money";
import type { Bus } from "../../platform/bus.ts";
import type { Versioned } from "../../platform/sockets/live.ts";
import { SharedView, type ShownGame } from "../rounds/rounds.ts";

type WireBet = OnWire<LiveBet>;

/** What all brands show alike: there is one flight, and each brand has its own riders. */
export type SharedFlight = Omit<OnWire<SaranggolaState>, "bets" | "betCount">;

/** A flight with its number: a later one has a higher number. */
export interface NumberedFlight {
  readonly number: number;
  readonly flight: SharedFlight;
}

/** The bets of every brand: all of them, so that one that is reported twice is counted once. */
export type BrandBets = Readonly<Record<string, readonly WireBet[]>>;

type News = { readonly roundId: string; readonly merchantId: string } & (
  | { readonly type: "bet"; readonly bet: WireBet }
  | ({ readonly type: "cashed" } & Cashed)
);

interface Cashed {
  readonly betId: string;
  readonly at: number;
  readonly payout: MoneyWire;
}

const FLIGHT: ShownGame<
  NumberedFlight,
  readonly WireBet[],
  BetList,
  OnWire<SaranggolaState>,
  News
> = {
  topic: "saranggola",
  order: { waiting: 0, flying: 1, crashed: 2, voided: 2 },
  momentOf: ({ number, flight: { phase, startsAt } }) => ({ number, phase, startsAt }),
  ownOf: (bets) => new BetList(bets),
  unnamed: [],
  stateOf: ({ flight }, { listed, count }) => ({ ...flight, bets: [...listed], betCount: count }),
  heed: (bets, news, { flight }) =>
    news.roundId === flight.roundId &&
    (news.type === "bet" ? bets.add(news.bet) : bets.cashOut(news)),
  eventOf: (bets) => ({ type: "bets", bets: bets.takeNews(), betCount: bets.count, betId: null }),
  tellsChanges: true,
};

/** What every screen shows of the flight. */
export class SaranggolaView extends SharedView<
  NumberedFlight,
  readonly WireBet[],
  BetList,
  OnWire<SaranggolaState>,
  News
> {
  /** @param tell sends an event to the sockets of a brand in this process. */
  constructor(bus: Bus, tell: (merchantId: string, event: Versioned) => void) {
    super(FLIGHT, bus, tell);
  }

  placed(roundId: string, merchantId: string, bet: WireBet): void {
    this.send({ type: "bet", roundId, merchantId, bet });
  }

  cashed(roundId: string, merchantId: string, cashed: Cashed): void {
    this.send({ type: "cashed", roundId, merchantId, ...cashed });
  }
}

/**
 * A brand's bets on a flight: the largest bets for money are listed, and all bets are counted.
 * Stakes do not change and bets are only added, so one that is not listed never will be, and a page
 * that has the list needs only its changes.
 */
class BetList {
  /** In the order of `bySize`. */
  readonly #listed: WireBet[] = [];
  readonly #ids = new Set<string>();
  /** Of the listed ones: those that came or were cashed out since the last event. */
  readonly #news = new Set<string>();

  constructor(bets: readonly WireBet[]) {
    for (const bet of bets) this.add(bet);
    this.#news.clear();
  }

  get listed(): readonly WireBet[] {
    return this.#listed;
  }

  get count(): number {
    return this.#ids.size;
  }

  /** @returns whether it was unknown */
  add(bet: WireBet): boolean {
    if (this.#ids.has(bet.betId)) return false;
    this.#ids.add(bet.betId);
    // From the smallest up: most of a crowd's bets are compared with that one alone.
    const place = this.#listed.findLastIndex((one) => bySize(one, bet) <= 0) + 1;
    if (place === FLIGHT_LISTED_BETS) return true;
    this.#listed.splice(place, 0, bet);
    this.#listed.length = Math.min(this.#listed.length, FLIGHT_LISTED_BETS);
    this.#news.add(bet.betId);
    return true;
  }

  /** @returns whether it is a listed one */
  cashOut({ betId, at, payout }: Cashed): boolean {
    const place = this.#listed.findIndex((one) => one.betId === betId);
    const bet = this.#listed[place];
    if (bet === undefined) return false;
    this.#listed[place] = { ...bet, cashedOutAt: at, payout };
    this.#news.add(betId);
    return true;
  }

  takeNews(): WireBet[] {
    const news = this.#listed.filter(({ betId }) => this.#news.has(betId));
    this.#news.clear();
    return news;
  }
}
