import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { Logger } from "../log.ts";

export interface Sms {
  /** E.164: `+639171234567`. */
  readonly to: string;
  readonly text: string;
  /** Names this message for good: the gateway sends one reference once, however often it comes. */
  readonly reference: string;
}

export interface SmsSender {
  /**
   * Hands a message to the gateway. "refused": it will never send this one; "unavailable": it could
   * not be reached or deferred us, so a later try may succeed; "unknown": it was reached and its
   * answer did not come, so the message may be on its way.
   */
  send(sms: Sms): Promise<Result<void, "unavailable" | "refused" | "unknown">>;
}

export interface HttpSmsOptions {
  readonly url: string;
  readonly token: string;
  /** The name that the phone shows; null leaves it to the gateway. */
  readonly sender: string | null;
  readonly log: Logger;
  /** How long one message may take, both tries together; tests set a shorter time. */
  readonly timeoutMs?: number;
}

/** A player waits for the answer before the code's own clock starts. */
const SEND_TIMEOUT_MS = 10_000;
/** A second try after a lost connection or a gateway's fault; a time-out has used up its time. */
const TRIES = 2;
/** From a gateway that has too much to do, or did not wait for us: it may take the same later. */
const PUT_OFF = new Set([408, 429]);
const PUT_OFF_MS = SECOND_MS;

/**
 * Messages over a gateway that takes JSON by HTTP: `{to, text, reference, sender}` under a bearer
 * token and an `idempotency-key`, which is the reference, so that a second try sends no second SMS.
 */
export function httpSmsSender(options: HttpSmsOptions): SmsSender {
  const { url, token, sender, log, timeoutMs = SEND_TIMEOUT_MS } = options;

  async function post({ to, text, reference }: Sms, signal: AbortSignal): Promise<Response> {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": reference,
      },
      body: JSON.stringify({ to, text, reference, ...(sender === null ? {} : { sender }) }),
      // The code in the text goes to the configured gateway and nowhere else.
      redirect: "manual",
      signal,
    });
    // The status is the whole answer; the rest of the reply changes nothing.
    response.body?.cancel().catch(() => {});
    return response;
  }

  return {
    async send(sms) {
      const signal = AbortSignal.timeout(timeoutMs);
      const { reference } = sms;
      let mayHaveLeft = false;
      for (let tries = 1; tries <= TRIES; tries++) {
        try {
          const { status, headers } = await post(sms, signal);
          if (status >= 200 && status < 300) return ok(undefined);
          log.warn({ reference, status, tries }, "the SMS gateway did not take a message");
          if (PUT_OFF.has(status)) {
            const pauseMs = pauseIn(headers.get("retry-after"));
            if (tries === TRIES || pauseMs >= timeoutMs) break;
            await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
            if (signal.aborted) break;
            continue;
          }
          if (status >= 400 && status < 500) return refuse("refused");
          if (status < 500) break;
        } catch (error) {
          log.warn({ err: error, reference, tries }, "the SMS gateway did not answer");
          mayHaveLeft ||= !wasNeverReached(error);
          if (signal.aborted) break;
        }
      }
      return refuse(mayHaveLeft ? "unknown" : "unavailable");
    },
  };
}

/** In milliseconds; a date is by some gateway's clock, and means the usual pause. */
function pauseIn(retryAfter: string | null): number {
  const isSeconds = retryAfter !== null && /^\d{1,6}$/.test(retryAfter);
  return isSeconds ? Number(retryAfter) * SECOND_MS : PUT_OFF_MS;
}

/** Errors of a connection before anything has gone over it. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
  "UND_ERR_CONNECT_TIMEOUT",
]);

function wasNeverReached(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause && UNREACHED.has(cause.code);
}
