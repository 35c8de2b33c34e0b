import type { LiveBet, SaranggolaState } from "@perya/contract/socket";
import type { MoneyWire } from "@perya/kernel/money";
import type { Bus } from "../../platform/bus.ts";

type Told =
  | { readonly type: "bet"; readonly roundId: string; readonly bet: LiveBet }
  | {
      readonly type: "cashed";
      readonly roundId: string;
      readonly betId: string;
      readonly at: number;
      readonly payout: MoneyWire;
    }
  | { readonly type: "phase"; readonly state: SaranggolaState };

const TOPIC = "perya:saranggola";

/**
 * What every screen shows of the kite, in every process. All processes hear the same messages
 * and keep the same picture; the sockets of each are told from its own copy.
 */
export class KiteView {
  readonly #bus: Bus;
  readonly #tell: (event: Versioned) => void;
  #state: SaranggolaState | null = null;
  #version = 0;

  /** @param tell sends an event to the sockets of this process. */
  constructor(bus: Bus, tell: (event: Versioned) => void) {
    this.#bus = bus;
    this.#tell = tell;
    bus.subscribe(TOPIC, (text) => this.#hear(JSON.parse(text)));
  }

  snapshot(): { readonly version: number; readonly data: SaranggolaState } | null {
    return this.#state === null ? null : { version: this.#version, data: this.#state };
  }

  /** What stood when this process came up; nothing where it has heard of a phase already. */
  begin(state: SaranggolaState): void {
    if (this.#state === null) this.#hear({ type: "phase", state });
  }

  phase(state: SaranggolaState): void {
    this.#send({ type: "phase", state });
  }

  placed(roundId: string, bet: LiveBet): void {
    this.#send({ type: "bet", roundId, bet });
  }

  cashed(roundId: string, betId: string, at: number, payout: MoneyWire): void {
    this.#send({ type: "cashed", roundId, betId, at, payout });
  }

  #send(told: Told): void {
    this.#bus.publish(TOPIC, JSON.stringify(told));
  }

  #hear(told: Told): void {
    const after = this.#version;
    if (told.type === "phase") {
      this.#version += 1;
      this.#state = told.state;
      // A phase carries the whole state, so it builds on nothing.
      this.#tell({ version: this.#version, after: 0, event: told });
      return;
    }
    if (this.#state?.roundId !== told.roundId) return;
    if (told.type === "bet") {
      if (this.#state.bets.some((bet) => bet.betId === told.bet.betId)) return;
      this.#version += 1;
      this.#state = { ...this.#state, bets: [...this.#state.bets, told.bet] };
      this.#tell({ version: this.#version, after, event: { type: "bet", bet: told.bet } });
      return;
    }
    const { betId, at, payout } = told;
    this.#version += 1;
    this.#state = {
      ...this.#state,
      bets: this.#state.bets.map((bet) =>
        bet.betId === betId ? { ...bet, cashedOutAt: at, payout } : bet,
      ),
    };
    this.#tell({ version: this.#version, after, event: { type: "cashed", betId, at, payout } });
  }
}

export interface Versioned {
  readonly version: number;
  readonly after: number;
  readonly event: unknown;
}
