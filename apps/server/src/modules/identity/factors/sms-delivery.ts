import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "@perya/kernel/instant";
import { inTime } from "../../../platform/in-time.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Sms, SmsSender } from "../../../platform/sms/sms.ts";
import type { Merchant } from "../../brand/brand.ts";
import { AbuseCounts, type AbuseLimit } from "../defence/abuse-counts.ts";
import { findMemberByMobile } from "../members/members.store.ts";
import type { PhoneNumber } from "../members/phone-numbers.ts";

/**
 * Waits before the second and the third try of an SMS that no caller waits for. They end before its
 * player may ask for another code, which would make this one wrong; so no job keeps it either.
 */
const PAUSES_MS = [2 * SECOND_MS, 8 * SECOND_MS];
/** A gateway that hangs delays a process's end by no more than this. */
const FAREWELL_MS = 4 * SECOND_MS;

export interface Leaving {
  readonly merchant: Merchant;
  readonly number: PhoneNumber;
  readonly message: Sms;
  /** Limits of what leaves. */
  readonly limits: readonly AbuseLimit[];
  /** If it did not leave: makes the earlier code, which arrived, valid again. */
  readonly takeBack: () => Promise<void>;
}

export interface SmsDeliveryOptions extends Pick<ModuleParts, "pool" | "clock" | "log"> {
  /** The wait between two tries; tests do not wait. */
  readonly pause?: (ms: number, ended: AbortSignal) => Promise<void>;
  /** How long `close` waits; tests set a shorter time. */
  readonly farewellMs?: number;
}

/** Messages that no caller waits for: they leave after the answer, if the number has a member. */
export class SmsDelivery {
  readonly #options: SmsDeliveryOptions;
  readonly #counts: AbuseCounts;
  readonly #sending = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(options: SmsDeliveryOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
  }

  begin(sms: SmsSender, leaving: Leaving): void {
    const { log } = this.#options;
    const { reference } = leaving.message;
    const sending: Promise<void> = this.#sendToMember(sms, leaving)
      .catch((error: unknown) => log.error({ err: error, reference }, "sms"))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async settled(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** As `settled`, for a limited time; no message is tried again from now on. */
  async close(): Promise<void> {
    const { farewellMs = FAREWELL_MS } = this.#options;
    this.#ending.abort();
    await inTime(farewellMs, this.settled());
  }

  /**
   * Looks up and counts after the answer whether anyone has the number. The brand's and the block's
   * counts are of SMS that leave, so that unknown numbers cannot use them up. The number itself
   * stays counted whatever becomes of its SMS; otherwise the next answer would tell.
   */
  async #sendToMember(
    sms: SmsSender,
    { merchant, number, message, limits, takeBack }: Leaving,
  ): Promise<void> {
    const { pool, log } = this.#options;
    const { reference } = message;
    if ((await findMemberByMobile(pool, merchant.id, number)) === null) return;
    const counted = await this.#counts.spend(merchant.id, limits);
    if (!counted.ok) {
      log.warn({ brand: merchant.id, reference }, "the SMS of the brand or the block are used up");
      await takeBack();
      return;
    }
    if (await this.#mayHaveLeft(sms, message)) return;
    log.error({ brand: merchant.id, reference }, "an SMS was given up");
    await takeBack();
    await this.#counts.giveBack(merchant.id, counted.value);
  }

  /** Sends it in a few tries, also after a lost answer: the gateway sends a reference once. */
  async #mayHaveLeft(sms: SmsSender, message: Sms): Promise<boolean> {
    const { pause = pauseInEarnest } = this.#options;
    let left = false;
    for (const pauseMs of [...PAUSES_MS, null]) {
      // The sender logs what it refuses.
      const sent = await sms.send(message);
      if (sent.ok) return true;
      left ||= sent.error === "unknown";
      if (sent.error === "refused" || pauseMs === null) break;
      await pause(pauseMs, this.#ending.signal);
      if (this.#ending.signal.aborted) break;
    }
    return left;
  }
}

/** A wait that was cut short counts as over. */
async function pauseInEarnest(ms: number, ended: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: ended }).catch(() => undefined);
}
