import { bySize } from "@perya/contract/kite-list";
import { KITE_LISTED_BETS, type LiveBet, type SaranggolaState } from "@perya/contract/socket";
import type { MoneyWire } from "@perya/kernel/money";
import { type Bus, lossesOf } from "../../platform/bus.ts";
import { Gathered } from "../../platform/sockets/gathered.ts";
import type { Versioned } from "../../platform/sockets/live.ts";

/** What all brands show alike: there is one kite, and each brand has its own riders. */
export type SharedFlight = Omit<SaranggolaState, "bets" | "betCount">;

/** A flight with its number: a later one has a higher number. */
export interface NumberedFlight {
  readonly number: number;
  readonly flight: SharedFlight;
}

/** What the database says of the current flight, without its bets. */
export interface KnownFlight extends Pick<SharedFlight, "phase" | "startsAt"> {
  readonly number: number;
  /** Changes with its bets. */
  readonly bets: string;
}

/** The bets of every brand: all of them, so that one that is reported twice is counted once. */
export type BrandBets = Readonly<Record<string, readonly LiveBet[]>>;

type Told =
  | {
      readonly type: "bet";
      readonly roundId: string;
      readonly merchantId: string;
      readonly bet: LiveBet;
    }
  | {
      readonly type: "cashed";
      readonly roundId: string;
      readonly merchantId: string;
      readonly betId: string;
      readonly at: number;
      readonly payout: MoneyWire;
    }
  | (NumberedFlight & { readonly type: "phase"; readonly brands: BrandBets });

const TOPIC = "saranggola";
/** A flight never goes back to an earlier phase. */
const ORDER: Readonly<Record<SharedFlight["phase"], number>> = {
  waiting: 0,
  flying: 1,
  crashed: 2,
  voided: 2,
};

/**
 * What every screen shows of the kite, in every process, with the bets of its own brand. All
 * processes hear the same messages and keep the same picture. Each tells its own sockets: of a
 * phase at once, since money depends on it, of bets and cash-outs together. What was read because
 * the bus lost a message and what the bus brings late meet here, so no picture is replaced by an
 * older one.
 */
export class KiteView {
  readonly #bus: Bus;
  readonly #tell: (merchantId: string, event: Versioned) => void;
  readonly #hasLost: (known: string) => boolean;
  #flight: SharedFlight | null = null;
  #number = 0;
  #givesWay = false;
  #bets = new Map<string, BetList>();
  /** Counts events; each brand's event builds on its last one. */
  #version = 0;
  #phaseVersion = 0;
  #toldVersions = new Map<string, number>();
  readonly #gathered = new Gathered();

  /** @param tell sends an event to the sockets of a brand in this process. */
  constructor(bus: Bus, tell: (merchantId: string, event: Versioned) => void) {
    this.#bus = bus;
    this.#tell = tell;
    this.#hasLost = lossesOf(bus);
    bus.subscribe(TOPIC, (text) => this.#hear(JSON.parse(text)));
  }

  /**
   * The flight as a brand's visitors see it; null before the first one. Changes gathered since the
   * last event are in it, and come once more with the next event, in their state then.
   */
  snapshot(
    merchantId: string,
  ): { readonly version: number; readonly data: SaranggolaState } | null {
    if (this.#flight === null) return null;
    return { version: this.#versionOf(merchantId), data: this.#stateOf(this.#flight, merchantId) };
  }

  /**
   * The database goes on from an earlier moment, so flights come again whose numbers were shown:
   * whatever is read or heard next replaces what is shown.
   */
  giveWay(): void {
    this.#givesWay = true;
  }

  /** Whether this process may have missed something of the current flight. */
  lacks(known: KnownFlight): boolean {
    const { number, phase, startsAt, bets } = known;
    const lost = this.#hasLost(`${number} ${phase} ${startsAt} ${bets}`);
    return this.#newness(number, known) > 0 || lost;
  }

  /** Takes what was read instead of heard, for this process alone. */
  read({ number, flight }: NumberedFlight, brands: BrandBets): void {
    if (this.#newness(number, flight) >= 0) this.#enter(number, flight, brands);
  }

  phase({ number, flight }: NumberedFlight, brands: BrandBets): void {
    this.#send({ type: "phase", number, flight, brands });
  }

  placed(roundId: string, merchantId: string, bet: LiveBet): void {
    this.#send({ type: "bet", roundId, merchantId, bet });
  }

  cashed(
    roundId: string,
    merchantId: string,
    cashed: { readonly betId: string; readonly at: number; readonly payout: MoneyWire },
  ): void {
    this.#send({ type: "cashed", roundId, merchantId, ...cashed });
  }

  #send(told: Told): void {
    this.#bus.publish(TOPIC, JSON.stringify(told));
  }

  #hear(told: Told): void {
    if (told.type === "phase") {
      const { number, flight, brands } = told;
      if (this.#newness(number, flight) > 0) this.#enter(number, flight, brands);
      return;
    }
    if (this.#flight?.roundId !== told.roundId) return;
    const { merchantId } = told;
    const bets = this.#betsOf(merchantId);
    const isNews = told.type === "bet" ? bets.add(told.bet) : bets.cashOut(told);
    if (isNews) this.#gathered.note(merchantId, () => this.#tellBets(merchantId));
  }

  /** Above zero: newer than what is shown; zero: the same; below: older. */
  #newness(number: number, { phase, startsAt }: Pick<SharedFlight, "phase" | "startsAt">): number {
    if (this.#flight === null || this.#givesWay) return 1;
    const later = number - this.#number || ORDER[phase] - ORDER[this.#flight.phase];
    // A flight that waits anew takes off at another time, by another process's clock.
    return later || Number(startsAt !== this.#flight.startsAt);
  }

  #enter(number: number, flight: SharedFlight, brands: BrandBets): void {
    this.#givesWay = false;
    this.#version += 1;
    this.#phaseVersion = this.#version;
    this.#toldVersions = new Map();
    this.#flight = flight;
    this.#number = number;
    // A phase replaces what has gathered, as it replaces what was sent.
    this.#gathered.clear();
    this.#bets = new Map();
    for (const [merchantId, bets] of Object.entries(brands)) {
      this.#bets.set(merchantId, new BetList(bets));
      const event = { type: "phase", state: this.#stateOf(flight, merchantId) };
      // A phase carries the whole state, so it depends on no earlier event.
      this.#tell(merchantId, { version: this.#version, after: 0, event });
    }
  }

  #tellBets(merchantId: string): void {
    const bets = this.#betsOf(merchantId);
    const after = this.#versionOf(merchantId);
    this.#version += 1;
    this.#toldVersions.set(merchantId, this.#version);
    const event = { type: "bets", bets: bets.takeNews(), betCount: bets.count, betId: null };
    this.#tell(merchantId, { version: this.#version, after, event });
  }

  #versionOf(merchantId: string): number {
    return this.#toldVersions.get(merchantId) ?? this.#phaseVersion;
  }

  #stateOf(flight: SharedFlight, merchantId: string): SaranggolaState {
    const { listed, count } = this.#betsOf(merchantId);
    return { ...flight, bets: [...listed], betCount: count };
  }

  #betsOf(merchantId: string): BetList {
    const known = this.#bets.get(merchantId);
    if (known !== undefined) return known;
    // A brand that was made while this kite waits.
    const none = new BetList([]);
    this.#bets.set(merchantId, none);
    return none;
  }
}

/**
 * A brand's bets on a flight: the largest bets for money are listed, and all bets are counted.
 * Stakes do not change and bets are only added, so one that is not listed never will be, and a page
 * that has the list needs only its changes.
 */
class BetList {
  /** In the order of `bySize`. */
  readonly #listed: LiveBet[] = [];
  readonly #ids = new Set<string>();
  /** Of the listed ones: those that came or were cashed out since the last event. */
  readonly #news = new Set<string>();

  constructor(bets: readonly LiveBet[]) {
    for (const bet of bets) this.add(bet);
    this.#news.clear();
  }

  get listed(): readonly LiveBet[] {
    return this.#listed;
  }

  get count(): number {
    return this.#ids.size;
  }

  /** @returns whether it was unknown */
  add(bet: LiveBet): boolean {
    if (this.#ids.has(bet.betId)) return false;
    this.#ids.add(bet.betId);
    // From the smallest up: most of a crowd's bets are compared with that one alone.
    const place = this.#listed.findLastIndex((one) => bySize(one, bet) <= 0) + 1;
    if (place === KITE_LISTED_BETS) return true;
    this.#listed.splice(place, 0, bet);
    this.#listed.length = Math.min(this.#listed.length, KITE_LISTED_BETS);
    this.#news.add(bet.betId);
    return true;
  }

  /** @returns whether it is a listed one */
  cashOut({ betId, at, payout }: Extract<Told, { type: "cashed" }>): boolean {
    const place = this.#listed.findIndex((one) => one.betId === betId);
    const bet = this.#listed[place];
    if (bet === undefined) return false;
    this.#listed[place] = { ...bet, cashedOutAt: at, payout };
    this.#news.add(betId);
    return true;
  }

  takeNews(): LiveBet[] {
    const news = this.#listed.filter(({ betId }) => this.#news.has(betId));
    this.#news.clear();
    return news;
  }
}
