import type { CockfightPools } from "@perya/contract/cockfight";
import type { CockfightState } from "@perya/contract/socket";
import type { OnWire } from "@perya/contract/wire";
import type { CockfightSide } from "@perya/games/cockfight";
import {
  add,
  type Currency,
  fromWire,
  type Money,
  type MoneyWire,
  toWire,
  zero,
} from "@perya/kernel/money";
import type { Bus } from "../../platform/bus.ts";
import type { Versioned } from "../../platform/sockets/live.ts";
import { SharedView, type ShownGame } from "../rounds/rounds.ts";

export type WirePools = OnWire<CockfightPools>;

/** What all brands show alike. */
export type SharedMatch = Omit<OnWire<CockfightState>, "pools">;

export type BrandPools = Readonly<Record<string, readonly WirePools[]>>;

export interface ShownMatch {
  readonly match: SharedMatch;
}

interface Stake {
  readonly matchId: string;
  readonly merchantId: string;
  readonly side: CockfightSide;
  readonly stake: Money;
}

type News = Omit<Stake, "stake"> & { readonly type: "stake"; readonly stake: MoneyWire };

/** Stakes are added as they are heard; payments are computed from the bets themselves. */
interface Heard {
  pools: readonly WirePools[];
}

const MATCH: ShownGame<ShownMatch, readonly WirePools[], Heard, OnWire<CockfightState>, News> = {
  topic: "cockfight",
  order: { betting: 0, closed: 1, fighting: 2, settled: 3, cancelled: 3 },
  momentOf: ({ match: { number, phase } }) => ({ number, phase }),
  ownOf: (pools) => ({ pools }),
  // Not every brand has cockfights.
  unnamed: null,
  stateOf: ({ match }, { pools }) => ({ ...match, pools: [...pools] }),
  heed: (heard, { matchId, side, stake }, { match }) => {
    // A bet that was placed before the pools closed and heard of after is in them.
    if (matchId !== match.matchId || match.phase !== "betting") return false;
    heard.pools = withStake(heard.pools, side, fromWire(stake));
    return true;
  },
  eventOf: ({ pools }, { match: { matchId } }) => ({ type: "pools", matchId, pools }),
  tellsChanges: false,
};

/** What every screen shows of the match. */
export class CockfightView extends SharedView<
  ShownMatch,
  readonly WirePools[],
  Heard,
  OnWire<CockfightState>,
  News
> {
  /** @param tell sends an event to the sockets of a brand in this process. */
  constructor(bus: Bus, tell: (merchantId: string, event: Versioned) => void) {
    super(MATCH, bus, tell);
  }

  staked({ stake, ...where }: Stake): void {
    this.send({ type: "stake", ...where, stake: toWire(stake) });
  }
}

/** The pools with one stake more; a currency without an earlier bet comes last. */
export function withStake(
  pools: readonly WirePools[],
  side: CockfightSide,
  stake: Money,
): WirePools[] {
  const { currency } = stake;
  const known = pools.some(({ meron }) => meron.currency === currency);
  return (known ? pools : [...pools, emptyPool(currency)]).map((pool) =>
    pool.meron.currency === currency
      ? { ...pool, [side]: toWire(add(fromWire(pool[side]), stake)) }
      : pool,
  );
}

function emptyPool(currency: Currency): WirePools {
  const none = toWire(zero(currency));
  return { meron: none, wala: none, draw: none };
}
