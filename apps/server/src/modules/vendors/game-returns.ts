import { businessDay, type Clock, DAY_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { type Merchant, vendorRuleOf } from "../brand/brand.ts";
import { type GameReturn, gamesBeyond, sweepDays } from "./game-returns.store.ts";

/** Today and yesterday: one bad night is noticed, and yesterday's is forgotten tomorrow. */
const WATCHED_MS = DAY_MS;
const KEPT_MS = 90 * DAY_MS;

export interface GameAlarm extends GameReturn {
  readonly brand: string;
}

/**
 * Watches what games really gave back, by the counters that are kept with every bet and win. A game
 * beyond its bound, after enough bets, is either very lucky or broken.
 */
export class GameReturns {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #brands: () => Promise<readonly Merchant[]>;

  constructor(pool: pg.Pool, clock: Clock, brands: () => Promise<readonly Merchant[]>) {
    this.#pool = pool;
    this.#clock = clock;
    this.#brands = brands;
  }

  async beyond(): Promise<GameAlarm[]> {
    const since = businessDay(this.#clock.now() - WATCHED_MS, "UTC");
    const alarms: GameAlarm[] = [];
    for (const merchant of await this.#brands()) {
      const bounds = boundsOf(merchant);
      const games = await gamesBeyond(this.#pool, merchant.id, since, bounds);
      alarms.push(...games.map((game) => ({ ...game, brand: merchant.code })));
    }
    return alarms;
  }

  sweep(): Promise<void> {
    return sweepDays(this.#pool, this.#clock.now() - KEPT_MS - DAY_MS);
  }
}

function boundsOf({ settings }: Merchant) {
  const { every, byCode } = settings.vendorRules;
  const own = Object.keys(byCode).map((vendor) => {
    const { returnAlarm } = vendorRuleOf(settings, vendor);
    return [vendor, returnAlarm] as const;
  });
  return { every: every.returnAlarm, own: Object.fromEntries(own) };
}
