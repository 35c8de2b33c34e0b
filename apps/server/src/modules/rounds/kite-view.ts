import type { LiveBet, SaranggolaState } from "@perya/contract/socket";
import type { MoneyWire } from "@perya/kernel/money";
import type { Bus } from "../../platform/bus.ts";

/** What all brands show alike: the kite is one, who rides it is each brand's own. */
export type SharedFlight = Omit<SaranggolaState, "bets">;

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
  | { readonly type: "phase"; readonly flight: SharedFlight; readonly brands: BrandBets };

const TOPIC = "perya:saranggola";

/**
 * What every screen shows of the kite, in every process, with the bets of its own brand. All
 * processes hear the same messages and keep the same picture; the sockets of each are told from its
 * own copy.
 */
export class KiteView {
  readonly #bus: Bus;
  readonly #tell: (merchantId: string, event: Versioned) => void;
  #flight: SharedFlight | null = null;
  #bets = new Map<string, readonly LiveBet[]>();
  /** Counts what was heard; each brand builds on what it was told last. */
  #version = 0;
  #phaseVersion = 0;
  #toldVersions = new Map<string, number>();

  /** @param tell sends an event to the sockets of a brand in this process. */
  constructor(bus: Bus, tell: (merchantId: string, event: Versioned) => void) {
    this.#bus = bus;
    this.#tell = tell;
    bus.subscribe(TOPIC, (text) => this.#hear(JSON.parse(text)));
  }

  /** The flight as a brand's visitors see it; null before the first one. */
  snapshot(
    merchantId: string,
  ): { readonly version: number; readonly data: SaranggolaState } | null {
    if (this.#flight === null) return null;
    return { version: this.#versionOf(merchantId), data: this.#stateOf(this.#flight, merchantId) };
  }

  /** Whether this process has heard of a flight. */
  get knows(): boolean {
    return this.#flight !== null;
  }

  /** What stood when this process came up; nothing where it has heard of a phase already. */
  begin(flight: SharedFlight, brands: BrandBets): void {
    if (this.#flight === null) this.#hear({ type: "phase", flight, brands });
  }

  phase(flight: SharedFlight, brands: BrandBets): void {
    this.#send({ type: "phase", flight, brands });
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
      this.#enter(told.flight, told.brands);
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

  #enter(flight: SharedFlight, brands: BrandBets): void {
    this.#version += 1;
    this.#phaseVersion = this.#version;
    this.#toldVersions = new Map();
    this.#flight = flight;
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
