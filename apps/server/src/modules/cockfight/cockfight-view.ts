import type { CockfightPools } from "@perya/contract/cockfight";
import type { CockfightState } from "@perya/contract/socket";
import type { CockfightSide } from "@perya/games/cockfight";
import { add, type Currency, fromWire, type Money, toWire, zero } from "@perya/kernel/money";
import { type Bus, lossesOf } from "../../platform/bus.ts";
import { Gathered } from "../../platform/sockets/gathered.ts";
import type { Versioned } from "../../platform/sockets/live.ts";

/** What all brands show alike. */
export type SharedMatch = Omit<CockfightState, "pools">;

export type BrandPools = Readonly<Record<string, readonly CockfightPools[]>>;

interface Stake {
  readonly matchId: string;
  readonly merchantId: string;
  readonly side: CockfightSide;
  readonly stake: Money;
}

type Told =
  | { readonly type: "phase"; readonly match: SharedMatch; readonly brands: BrandPools }
  | {
      readonly type: "stake";
      readonly matchId: string;
      readonly merchantId: string;
      readonly side: CockfightSide;
      readonly stake: ReturnType<typeof toWire>;
    };

/** What the database says of the current match, without its pools. */
export interface KnownMatch extends Pick<SharedMatch, "number" | "phase"> {
  readonly bets: number;
}

const TOPIC = "cockfight";
/** A match never goes back to an earlier phase. */
const ORDER: Readonly<Record<SharedMatch["phase"], number>> = {
  betting: 0,
  closed: 1,
  fighting: 2,
  settled: 3,
  cancelled: 3,
};

/**
 * What every screen shows of the match, in every process, with the pools of its own brand. All
 * processes hear the same messages and keep the same picture. Stakes are added as they are heard;
 * payments are computed from the bets themselves, whose sums are also shown once the pools are
 * closed. Sockets are told of a phase at once, and of the present pools a few times a second. What
 * was read because the bus lost a message and what the bus brings late meet here, so no picture is
 * replaced by an older one.
 */
export class CockfightView {
  readonly #bus: Bus;
  readonly #tell: (merchantId: string, event: Versioned) => void;
  readonly #hasLost: (known: string) => boolean;
  #match: SharedMatch | null = null;
  #givesWay = false;
  #brands: BrandPools = {};
  #version = 0;
  readonly #gathered = new Gathered();

  /** @param tell sends an event to the sockets of a brand in this process. */
  constructor(bus: Bus, tell: (merchantId: string, event: Versioned) => void) {
    this.#bus = bus;
    this.#tell = tell;
    this.#hasLost = lossesOf(bus);
    bus.subscribe(TOPIC, (text) => this.#hear(JSON.parse(text)));
  }

  /** Null for a brand without cockfights, and before the first match. */
  snapshot(merchantId: string): { readonly version: number; readonly data: CockfightState } | null {
    const pools = this.#brands[merchantId];
    if (this.#match === null || pools === undefined) return null;
    return { version: this.#version, data: { ...this.#match, pools: [...pools] } };
  }

  /**
   * The database goes on from an earlier moment, so matches come again whose numbers were shown:
   * whatever is read or heard next replaces what is shown.
   */
  giveWay(): void {
    this.#givesWay = true;
  }

  /** Whether this process may have missed something of the current match. */
  lacks(known: KnownMatch): boolean {
    const { number, phase, bets } = known;
    const lost = this.#hasLost(`${number} ${phase} ${bets}`);
    return this.#newness(known) > 0 || lost;
  }

  /** Takes what was read instead of heard, for this process alone. */
  read(match: SharedMatch, brands: BrandPools): void {
    if (this.#newness(match) >= 0) this.#enter(match, brands);
  }

  phase(match: SharedMatch, brands: BrandPools): void {
    this.#send({ type: "phase", match, brands });
  }

  staked({ stake, ...where }: Stake): void {
    this.#send({ type: "stake", ...where, stake: toWire(stake) });
  }

  #send(told: Told): void {
    this.#bus.publish(TOPIC, JSON.stringify(told));
  }

  // Both events carry everything that they describe, so they depend on no earlier event.
  #hear(told: Told): void {
    if (told.type === "phase") {
      if (this.#newness(told.match) > 0) this.#enter(told.match, told.brands);
      return;
    }
    const { matchId, merchantId, side, stake } = told;
    const pools = this.#brands[merchantId];
    if (this.#match?.matchId !== matchId || pools === undefined) return;
    // A bet that was placed before the pools closed and heard of after is in them.
    if (this.#match.phase !== "betting") return;
    const more = withStake(pools, side, fromWire(stake));
    this.#brands = { ...this.#brands, [merchantId]: more };
    this.#gathered.note(merchantId, () => {
      this.#version += 1;
      const event = { type: "pools", matchId, pools: more };
      this.#tell(merchantId, { version: this.#version, after: 0, event });
    });
  }

  /** Above zero: newer than what is shown; zero: the same; below: older. */
  #newness({ number, phase }: Pick<SharedMatch, "number" | "phase">): number {
    if (this.#match === null || this.#givesWay) return 1;
    return number - this.#match.number || ORDER[phase] - ORDER[this.#match.phase];
  }

  #enter(match: SharedMatch, brands: BrandPools): void {
    this.#givesWay = false;
    // A phase replaces what has gathered, as it replaces what was sent.
    this.#gathered.clear();
    this.#version += 1;
    this.#match = match;
    this.#brands = brands;
    for (const [merchantId, pools] of Object.entries(brands)) {
      const event = { type: "phase", state: { ...match, pools } };
      this.#tell(merchantId, { version: this.#version, after: 0, event });
    }
  }
}

/** The pools with one stake more; a currency without an earlier bet comes last. */
export function withStake(
  pools: readonly CockfightPools[],
  side: CockfightSide,
  stake: Money,
): CockfightPools[] {
  const { currency } = stake;
  const known = pools.some(({ meron }) => meron.currency === currency);
  return (known ? pools : [...pools, emptyPool(currency)]).map((pool) =>
    pool.meron.currency === currency
      ? { ...pool, [side]: toWire(add(fromWire(pool[side]), stake)) }
      : pool,
  );
}

function emptyPool(currency: Currency): CockfightPools {
  const none = toWire(zero(currency));
  return { meron: none, wala: none, draw: none };
}
