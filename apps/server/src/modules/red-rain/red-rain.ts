import { type Refusal, refusal } from "@perya/contract/refusal";
import { drawStream } from "@perya/games/fairness";
import { dealPackets } from "@perya/games/red-rain";
import { assert } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { type Clock, DAY_MS, HOUR_MS, type Instant, SECOND_MS } from "@perya/kernel/instant";
import { currencyOf } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { PlannedJobs } from "../../platform/planned-jobs.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import { isOn, type Merchant, type RedRainRule } from "../brand/brand.ts";
import { type ClaimGift, give, lockMember, type Session } from "../identity/identity.ts";
import { accountOf, type Ledger } from "../ledger/ledger.ts";
import { maskName } from "../vendors/vendors.ts";
import { rainTimes } from "./rain-times.ts";
import {
  countCaught,
  deleteUncaught,
  findAnyRain,
  findCatch,
  findRain,
  insertRain,
  markClosed,
  type NewRain,
  nextRain,
  type PacketRow,
  type PastRainRow,
  packetsOf,
  pastRains,
  payPacket,
  type RainRow,
  takePacket,
  unpaidPackets,
} from "./red-rain.store.ts";

export { redRainBooks } from "./red-rain.store.ts";

export const REDRAIN = "REDRAIN";
export const CLOSE_RAIN = "red_rain_close";
const COUNTER_ACCOUNT = "bonus:red-rain";
const TOLD = { rains: 5, winners: 10 } as const;

export interface RedRainsOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly ledger: Pick<Ledger, "credit">;
  readonly brands: () => Promise<readonly Merchant[]>;
}

export interface Caught {
  readonly packet: PacketRow;
  readonly currency: string;
}

/**
 * Rains of red packets. A rain is planned ahead and dealt into packets at once, so that catches
 * never sum up to more than was dealt. To catch is to become the owner of the next packet, a row
 * that nobody waits for; the money follows in one step of the ledger together with the row's mark
 * that it was paid. If anything dies in between, the same catch again or the rain's close pays the
 * packet, under the same key, once.
 */
export class RedRains {
  readonly #options: RedRainsOptions;
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #jobs: PlannedJobs;

  constructor(options: RedRainsOptions) {
    this.#options = options;
    this.#pool = options.pool;
    this.#clock = options.clock;
    this.#jobs = new PlannedJobs(options.pool, {
      ...{ task: CLOSE_RAIN, word: "rain", table: "red_rains" },
      ...{ dueColumn: "ends_at", endedColumn: "closed_at" },
      ...{ kindColumn: "merchant_id", timeColumn: "starts_at" },
    });
  }

  async plan(): Promise<void> {
    const now = this.#clock.now();
    const planned = (await this.#options.brands()).map((merchant) => {
      const plan = async () => {
        const rule = merchant.settings.redRain;
        if (rule !== null) await this.planBetween(merchant, now, now + planAheadMs(rule));
      };
      return [`rains of ${merchant.code}`, plan] as const;
    });
    const takeUp = () => this.#jobs.takeUp(now);
    await eachByItself({ ...Object.fromEntries(planned), "rains that were left": takeUp });
  }

  async planBetween(merchant: Merchant, from: Instant, until: Instant): Promise<void> {
    const rule = merchant.settings.redRain;
    if (rule === null) return;
    const planned = await this.#jobs.plannedTimes(merchant.id, from, until);
    const missing = rainTimes(rule.schedule, merchant.zone, from, until).filter(
      (at) => !planned.has(at),
    );
    for (const startsAt of missing) {
      const rain = this.#newRain(rule, startsAt);
      const job = this.#jobs.jobOf(rain.id, rain.endsAt);
      await insertRain(this.#pool, merchant, rain, this.#clock.now(), job);
    }
  }

  /** The rain that falls or comes next, and the last ones; the same for everybody of a brand. */
  async board(
    merchant: Merchant,
  ): Promise<{ next: (RainRow & { left: number }) | null; past: readonly PastRainRow[] }> {
    const now = this.#clock.now();
    const [next, past] = await Promise.all([
      nextRain(this.#pool, merchant.id, now),
      pastRains(this.#pool, merchant.id, now, TOLD),
    ]);
    return { next, past };
  }

  async caughtBy(session: Session, rainIds: readonly string[]): Promise<PacketRow[]> {
    return packetsOf(this.#pool, session.memberId, rainIds);
  }

  /**
   * Catches a packet; the same id again answers the same packet. Refuses with `feature_off` if the
   * brand has no rains, `member_blocked`, `not_found` for another brand's rain, `rain_not_begun`
   * and `rain_over` outside its time, `catches_spent` beyond a member's share, `rain_exhausted` if
   * no packet is left, `id_reused` for the id of another rain's catch, and as the claim on the rain
   * does, which each catch makes.
   */
  async catch(
    merchant: Merchant,
    session: Session,
    given: { readonly id: string; readonly rainId: string },
    claim: ClaimGift,
  ): Promise<Result<Caught, Refusal>> {
    // A packet that was caught before is answered all the same: its answer may have been lost.
    const existing = await findCatch(this.#pool, session.memberId, given.id);
    if (existing === null && !isOn(merchant, REDRAIN)) return refuse(refusal("feature_off"));
    const rain = await findRain(this.#pool, merchant.id, given.rainId);
    if (rain === null) {
      const fields = [{ field: "rainId", code: "not_allowed" as const }];
      return refuse(refusal("not_found", { fields }));
    }
    const taken =
      existing === null ? await this.#take(session, rain, given.id, claim) : ok(existing);
    if (!taken.ok) return taken;
    if (taken.value.rain_id !== rain.id) return refuse(refusal("id_reused"));
    await this.#pay(rain, taken.value);
    return ok({ packet: taken.value, currency: rain.currency });
  }

  /**
   * After its end: pays what was caught and not paid, deletes the rest; a repetition is harmless.
   * @throws Error before its end
   */
  async close(rainId: string): Promise<void> {
    const now = this.#clock.now();
    const rain = await findAnyRain(this.#pool, rainId);
    if (rain === null || rain.closed_at !== null) return;
    this.#jobs.lateMs(rainId, rain.ends_at, now);
    // First, so that no catch follows the payments.
    await deleteUncaught(this.#pool, rainId);
    const unpaid = await unpaidPackets(this.#pool, rainId);
    await Promise.all(unpaid.map((packet) => this.#pay(rain, packet)));
    await markClosed(this.#pool, rainId, now);
  }

  /** The next packet of the rain, or the one that another request stored under this id just now. */
  async #take(
    session: Session,
    rain: RainRow,
    catchId: string,
    claim: ClaimGift,
  ): Promise<Result<PacketRow, Refusal>> {
    if (session.blocked) return refuse(refusal("member_blocked"));
    const at = this.#clock.now();
    const startsAt = rain.starts_at.getTime();
    if (at < startsAt) return refuse(refusal("rain_not_begun", { retryAt: startsAt }));
    if (at >= rain.ends_at.getTime()) return refuse(refusal("rain_over"));
    return give(this.#pool, async (client) => {
      // One of a member's catches at a time, so that they count each other.
      await lockMember(client, session.memberId);
      const meanwhile = await findCatch(client, session.memberId, catchId);
      if (meanwhile !== null) return ok(meanwhile);
      const caught = await countCaught(client, rain.id, session.memberId);
      if (caught >= rain.catch_max) return refuse(refusal("catches_spent"));
      // Before the packet, which others would miss while this one waits for a sibling's claim.
      await claim(client);
      const maskedAccount = maskName(session.username);
      const by = { memberId: session.memberId, catchId, maskedAccount };
      const packet = await takePacket(client, rain.id, by, at);
      return packet === null ? refuse(refusal("rain_exhausted")) : ok(packet);
    });
  }

  /** Moves the packet's money once, however often and from wherever it is requested. */
  async #pay(rain: RainRow, packet: PacketRow): Promise<void> {
    const { rain_id, number, member_id } = packet;
    const at = this.#clock.now();
    const paid = await this.#options.ledger.credit({
      account: accountOf(member_id, currencyOf(rain.currency)),
      key: `red-packet:${rain_id}:${number}`,
      amount: packet.amount_minor,
      counterAccount: COUNTER_ACCOUNT,
      kind: "red-packet",
      ref: packet.catch_id,
      at,
      effects: [{ statement: payPacket, row: { rain_id, number, member_id, at } }],
    });
    assert(paid.ok, `packet ${number} of rain ${rain_id} is paid`);
  }

  #newRain(rule: RedRainRule, startsAt: Instant): NewRain {
    const { entropy } = this.#options;
    const id = mintId("rain", startsAt, entropy.bytes(16));
    const serverSeed = Buffer.from(entropy.bytes(32)).toString("hex");
    const { budgetMinor, largestMinor, catchMax } = rule;
    return {
      ...{ id, startsAt, budgetMinor, largestMinor, catchMax },
      endsAt: startsAt + rule.seconds * SECOND_MS,
      packetsMinor: dealPackets(rule, drawStream({ serverSeed, clientSeed: id, nonce: 0 })),
    };
  }
}

/** How far ahead rains are planned: a day of hourly ones, an hour of the frequent ones. */
function planAheadMs({ schedule }: RedRainRule): number {
  return "hours" in schedule ? DAY_MS : HOUR_MS;
}
