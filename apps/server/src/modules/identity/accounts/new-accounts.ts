import { type Refusal, refusal } from "@perya/contract/refusal";
import { type Clock, DAY_MS, HOUR_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { blocksOf, isLoopback, machinesAt } from "../../../platform/address-block.ts";
import type { Merchant } from "../../brand/brand.ts";
import { AbuseCounts, type AbuseLimit, limitsOfAddress } from "../defence/abuse-counts.ts";
import { deviceHashOf } from "../defence/known-devices.ts";

export interface Origin {
  readonly address: string;
  readonly token?: string | undefined;
}

export interface Place {
  /** Many accounts came from there lately, so the caller must prove to be a person. */
  readonly risky: boolean;
  giveBack(): Promise<void>;
}

/** Limits on new accounts per block of addresses and per device, for each brand separately. */
export class NewAccounts {
  readonly #counts: AbuseCounts;

  constructor(pool: pg.Pool, clock: Clock) {
    this.#counts = new AbuseCounts(pool, clock);
  }

  /** Counted before it is made, so that many at once get no more; refuses with `rate_limited`. */
  async take(merchant: Merchant, origin: Origin): Promise<Result<Place, Refusal>> {
    const { blockHourly, blockDaily, deviceDaily, captchaAfter } = merchant.settings.newAccounts;
    const limits = blockLimits("account", origin.address, blockHourly, blockDaily);
    const blocks = isLoopback(origin.address) ? [] : blocksOf(origin.address);
    const unread = new Map(
      blocks.map(({ block, times }) => [`account:day:${block}`, captchaAfter * times]),
    );
    const device = deviceHashOf(origin.token)?.toString("base64url");
    if (device !== undefined) {
      const subject = `account:device:${device}`;
      limits.push({ subject, max: deviceDaily, windowMs: DAY_MS });
      unread.set(subject, captchaAfter);
    }
    const place = await this.#take(merchant, limits);
    if (!place.ok) return place;
    const spent = await this.#counts.spentOf(merchant.id, [...unread.keys()]);
    const risky = [...spent].some(([subject, count]) => count > (unread.get(subject) ?? 0));
    return ok({ ...place.value, risky });
  }

  /**
   * A trial account costs only rows, and its play adds a limited number per day (`takeFreePlay`),
   * so its limits are wide and nobody answers a captcha.
   */
  async takeTrial(merchant: Merchant, { address }: Origin): Promise<Result<Place, Refusal>> {
    const { trialsHourly, trialsDaily } = merchant.settings.newAccounts;
    return this.#take(merchant, blockLimits("trial", address, trialsHourly, trialsDaily));
  }

  async #take(merchant: Merchant, limits: readonly AbuseLimit[]): Promise<Result<Place, Refusal>> {
    const counted = await this.#counts.spend(merchant.id, limits);
    if (!counted.ok) return refuse(refusal("rate_limited", { retryAt: counted.error }));
    const giveBack = () => this.#counts.giveBack(merchant.id, counted.value);
    return ok({ risky: false, giveBack });
  }
}

function blockLimits(what: string, address: string, hourly: number, daily: number): AbuseLimit[] {
  const machines = machinesAt(address);
  return [
    ...limitsOfAddress(`${what}:hour`, address, hourly * machines, HOUR_MS),
    ...limitsOfAddress(`${what}:day`, address, daily * machines, DAY_MS),
  ];
}
