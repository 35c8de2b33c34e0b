import type { LiveBet, SaranggolaState } from "@perya/contract/socket";
import type { MoneyWire } from "@perya/kernel/money";
import { type Bus, lossesOf } from "../../platform/bus.ts";

/** What all brands show alike: the kite is one, who rides it is each brand's own. */
export type SharedFlight = Omit<SaranggolaState, "bets">;

/** A flight among all: a later one has a higher number. */
export interface NumberedFlight {
  readonly number: number;
  readonly flight: SharedFlight;
}

/** What the database says of the flight that stands, without its bets. */
export interface StandingFlight extends Pick<SharedFlight, "phase" | "startsAt"> {
  readonly number: number;
  /** Changes with its bets. */
  readonly bets: string;
}

/** The bets of every brand. */
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

const TOPIC = "perya:saranggola";
/** A flight never goes back to an earlier phase. */
const ORDER: Readonly<Record<SharedFlight["phase"], number>> = {
  waiting: 0,
  flying: 1,
  crashed: 2,
  voided: 2,
};

/**
 * What every screen shows of the kite, in every process, with the bets of its own brand. All
 * processes hear the same messages and keep the same picture; the sockets of each are told from its
 * own copy. What was read where the bus lost a message and what the bus brings late meet here, so
 * no picture gives way to an older one.
 */
export class KiteView {
  readonly #bus: Bus;
  readonly #tell: (merchantId: string, event: Versioned) => void;
  readonly #hasLost: (standing: string) => boolean;
  #flight: SharedFlight | null = null;
  #number = 0;
  #givesWay = false;
  #bets = new Map<string, readonly LiveBet[]>();
  /** Counts what was heard; each brand builds on what it was told last. */
  #version = 0;
  #phaseVersion = 0;
  #toldVersions = new Map<string, number>();

  /** @param tell sends an event to the sockets of a brand in this process. */
  constructor(bus: Bus, tell: (merchantId: string, event: Versioned) => void) {
    this.#bus = bus;
    this.#tell = tell;
    this.#hasLost = lossesOf(bus);
    bus.subscribe(TOPIC, (text) => this.#hear(JSON.parse(text)));
  }

  /** The flight as a brand's visitors see it; null before the first one. */
  snapshot(
    merchantId: string,
  ): { readonly version: number; readonly data: SaranggolaState } | null {
    if (this.#flight === null) return null;
    return { version: this.#versionOf(merchantId), data: this.#stateOf(this.#flight, merchantId) };
  }

  /**
   * The database goes on from an earlier moment, so flights come again whose numbers were shown:
   * whatever is read or heard of next takes the place of what is shown.
   */
  giveWay(): void {
    this.#givesWay = true;
  }

  /** Whether this process may have missed something of the flight that stands. */
  lacks(standing: StandingFlight): boolean {
    const { number, phase, startsAt, bets } = standing;
    const lost = this.#hasLost(`${number} ${phase} ${startsAt} ${bets}`);
    return this.#newness(number, standing) > 0 || lost;
  }

  /** What was read where it was not heard, for this process alone. */
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
    const { merchantId } = told;
    if (this.#flight?.roundId !== told.roundId) return;
    const bets = this.#bets.get(merchantId) ?? [];
    if (told.type === "bet") {
      if (bets.some((bet) => bet.betId === told.bet.betId)) return;
      this.#bets.set(merchantId, [...bets, told.bet]);
      this.#tellBrand(merchantId, { type: "bet", bet: told.bet });
      return;
    }
    const { betId, at, payout } = told;
    const cashed = (bet: LiveBet) => ({ ...bet, cashedOutAt: at, payout });
    this.#bets.set(
      merchantId,
      bets.map((bet) => (bet.betId === betId ? cashed(bet) : bet)),
    );
    this.#tellBrand(merchantId, { type: "cashed", betId, at, payout });
  }

  /** Above zero: newer than what is shown; zero: the same; below: older. */
  #newness(number: number, { phase, startsAt }: Pick<SharedFlight, "phase" | "startsAt">): number {
    if (this.#flight === null || this.#givesWay) return 1;
    const later = number - this.#number || ORDER[phase] - ORDER[this.#flight.phase];
    // One that waits anew takes off at another time, by another process's clock.
    return later || Number(startsAt !== this.#flight.startsAt);
  }

  #enter(number: number, flight: SharedFlight, brands: BrandBets): void {
    this.#givesWay = false;
    this.#version += 1;
    this.#phaseVersion = this.#version;
    this.#toldVersions = new Map();
    this.#flight = flight;
    this.#number = number;
    this.#bets = new Map(Object.entries(brands));
    for (const merchantId of this.#bets.keys()) {
      const event = { type: "phase", state: this.#stateOf(flight, merchantId) };
      // A phase carries the whole state, so it builds on nothing.
      this.#tell(merchantId, { version: this.#version, after: 0, event });
    }
  }

  #tellBrand(merchantId: string, event: object): void {
    const after = this.#versionOf(merchantId);
    this.#version += 1;
    this.#toldVersions.set(merchantId, this.#version);
    this.#tell(merchantId, { version: this.#version, after, event });
  }

  #versionOf(merchantId: string): number {
    return this.#toldVersions.get(merchantId) ?? this.#phaseVersion;
  }

  #stateOf(flight: SharedFlight, merchantId: string): SaranggolaState {
    return { ...flight, bets: [...(this.#bets.get(merchantId) ?? [])] };
  }
}

export interface Versioned {
  readonly version: number;
  readonly after: number;
  readonly event: unknown;
}
