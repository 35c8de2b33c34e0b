import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "@perya/kernel/instant";
import { inTime } from "../in-time.ts";
import type { Logger } from "../log.ts";
import type { Mail, Mailer } from "./mail.ts";

/**
 * Mails that nobody waits for. A reply that came later, or that named a failure, where an account
 * exists would tell a stranger that it does; so the looking up happens here as well.
 */
export interface MailQueue {
  /** Makes a mail and sends it, after the caller has gone on; a null is no mail. */
  post(make: () => Promise<Mail | null>): void;
  /** Resolves when nothing is left to do. */
  idle(): Promise<void>;
  /**
   * Ends the waiting between tries, and resolves when what is left had its last one, or a few
   * seconds later: then it says how many were not sent, and lets go of them.
   */
  close(): Promise<void>;
}

export interface MailQueueOptions {
  readonly mailer: Mailer;
  readonly log: Logger;
  /** How a try waits for the next; tests do not wait. */
  readonly pause?: (ms: number, ended: AbortSignal) => Promise<void>;
  /** What all mails together get once the queue is closed; tests have less patience. */
  readonly farewellMs?: number;
}

/** Waits before the second and the third try, of making or of sending; there is no fourth. */
const PAUSES_MS = [2 * SECOND_MS, 15 * SECOND_MS];
/** As many as the mailer has connections. */
const AT_ONCE = 4;
/** Mails that may wait in memory; past them the newest are dropped, and the log says so. */
const WAITING_MAX = 1_000;
/**
 * A server that hangs takes longer over one mail than a process has to end in order, and bookings
 * and connections are worth more than notices: see the stop limit in main.ts.
 */
const FAREWELL_MS = 4 * SECOND_MS;

export function createMailQueue(options: MailQueueOptions): MailQueue {
  const { mailer, log, pause = pauseInEarnest, farewellMs = FAREWELL_MS } = options;
  const waiting: (() => Promise<Mail | null>)[] = [];
  const listeners: (() => void)[] = [];
  const ending = new AbortController();
  let running = 0;
  let letGo = false;

  async function work(): Promise<void> {
    running += 1;
    for (let make = waiting.shift(); make !== undefined; make = waiting.shift()) {
      try {
        await send(make);
      } catch (error) {
        log.error({ err: error }, "a mail could not be made");
      }
    }
    running -= 1;
    if (running === 0) for (const listener of listeners.splice(0)) listener();
  }

  /** @throws what `make` did, where it never made one */
  async function send(make: () => Promise<Mail | null>): Promise<void> {
    let mail: Mail | null = null;
    let fault: unknown;
    for (const [index, pauseMs] of [0, ...PAUSES_MS].entries()) {
      if (index > 0) await pause(pauseMs, ending.signal);
      if (letGo) return;
      try {
        mail ??= await make();
      } catch (error) {
        // As a mail server may be, the database may be away for a moment.
        fault = error;
        continue;
      }
      if (mail === null) return;
      const sent = await mailer.send(mail);
      if (sent.ok || sent.error === "refused" || letGo) return;
    }
    if (mail === null) throw fault;
    // The mailer has logged each try; the address stays out of the log.
    log.error({ subject: mail.subject }, "a mail was given up");
  }

  function idle(): Promise<void> {
    return running === 0 ? Promise.resolve() : new Promise((done) => void listeners.push(done));
  }

  return {
    post(make) {
      if (letGo) {
        log.error("a mail was dropped: the process is ending");
        return;
      }
      if (waiting.length >= WAITING_MAX) {
        log.error({ waiting: waiting.length }, "a mail was dropped: too many wait");
        return;
      }
      waiting.push(make);
      if (running < AT_ONCE) void work();
    },
    idle,
    async close() {
      ending.abort();
      await inTime(farewellMs, idle());
      // Each that runs has one in its hands.
      const unsent = running + waiting.splice(0).length;
      letGo = true;
      if (unsent > 0) log.error({ unsent }, "mails were not sent: the process is ending");
    },
  };
}

/** An ended wait is as good as one that is over. */
async function pauseInEarnest(ms: number, ended: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: ended }).catch(() => undefined);
}
