import { positiveMoneyWire } from "@perya/contract/wire";
import type { Clock, Instant } from "@perya/kernel/instant";
import { z } from "zod";
import { systemElapsed } from "../../platform/clock.ts";
import { isSignedBy, SIGNATURE_HEADER, sign } from "../../platform/http/signature.ts";
import type { KnownPayment, PaymentKind, PaymentProvider } from "./provider.ts";
import { ProviderRefused, ProviderUnavailable } from "./provider.ts";

const GATEWAY = "gateway";

/** Longer than any answer takes that is worth waiting for. */
const TIMEOUT_MS = 8_000;
/** After so many calls in a row without an answer in time, the next ones fail at once. */
const SILENT_MAX = 2;
/** After this time, one call finds out whether the provider answers again. */
const SILENCE_MS = 5_000;
const REPLY_MAX_BYTES = 64 * 1024;
/** The provider refuses for good; any other failure may pass. */
const REFUSED = 422;
/** From a proxy before the provider: it waited as long as we would have. */
const NO_ANSWER = 504;

export interface GatewayOptions {
  readonly clock: Clock;
  /** Where the provider is called, without a slash at the end. */
  readonly url: string;
  readonly merchantId: string;
  /** Shared with the provider: signs our calls to it and its call-backs to us. */
  readonly secret: string;
  readonly timeoutMs?: number;
  /** Milliseconds since any fixed moment; no clock that somebody sets. */
  readonly elapsed?: () => number;
}

const opened = z.object({ reference: z.string().min(1).max(80), payUrl: z.url().max(2_000) });
const taken = z.object({ reference: z.string().min(1).max(80) });
const known = z.object({
  status: z.enum(["pending", "paid", "failed"]),
  amount: positiveMoneyWire,
});

/**
 * A provider reached by signed calls from server to server (docs/payments.md): it opens a payment
 * and answers the page to which the player is sent, takes pay-outs, tells by signed call-backs how
 * they ended, and can be asked. Every call is idempotent by our id.
 */
export function createGatewayProvider(options: GatewayOptions): PaymentProvider {
  const { clock, url, merchantId, secret, timeoutMs = TIMEOUT_MS } = options;
  const unlessSilent = createBreaker(options.elapsed ?? systemElapsed);

  function call(
    method: "GET" | "POST",
    path: string,
    body?: object,
    signedAt = clock.now(),
  ): Promise<unknown> {
    return unlessSilent(() => ask(method, path, signedAt, body));
  }

  /** `UNKNOWN` if the provider says that it never had it; else its answer, not parsed yet. */
  async function ask(
    method: "GET" | "POST",
    path: string,
    signedAt: Instant,
    body?: object,
  ): Promise<unknown> {
    const text = body === undefined ? "" : JSON.stringify({ merchant: merchantId, ...body });
    const answer = await send(`${url}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        "x-perya-merchant": merchantId,
        // The path is signed too, so that a call cannot be turned into another.
        [SIGNATURE_HEADER]: sign(secret, `${path}\n${text}`, signedAt),
      },
      ...(body === undefined ? {} : { body: text }),
      // A redirect would take our signature along.
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (answer.status === NO_ANSWER) throw new ProviderSilent(path);
    // Money comes back by these two, so only the provider's own words count: a proxy before a
    // provider that is down or being updated answers with the same numbers, in a page or in JSON.
    if (answer.status === 404 && method === "GET" && says("unknown", answer.json)) return UNKNOWN;
    if (answer.status === REFUSED && says("refused", answer.json)) {
      throw new ProviderRefused(`${path} was refused`);
    }
    if (answer.status !== 200) throw new ProviderUnavailable(`${path}: ${answer.status}`);
    return answer.json;
  }

  return {
    code: GATEWAY,
    isOutside: true,
    serves: () => true,

    async openDeposit({ id, merchant, method, amount, origin, returnUrl }) {
      const reply = read(
        opened,
        await call("POST", "/payments", {
          ...{ id, method, label: merchant.name, returnUrl, callbackUrl: callbackUrl(origin) },
          amount: { minor: amount.minor.toString(), currency: amount.currency },
        }),
      );
      const { protocol, origin: pageOrigin } = new URL(reply.payUrl);
      // Players are sent there: a page, over no weaker a connection than ours to the provider.
      const fits = protocol === "https:" || pageOrigin === new URL(url).origin;
      if (!fits) throw new ProviderUnavailable("the payment page is not reached by https");
      return reply;
    },

    async sendPayout({ id, method, amount, destination, origin, letOutAt }) {
      const body = {
        ...{ id, method, destination, callbackUrl: callbackUrl(origin) },
        amount: { minor: amount.minor.toString(), currency: amount.currency },
      };
      const reply = await call("POST", "/payouts", body, letOutAt);
      // Anything else that answers at that address has accepted nothing.
      read(taken, reply);
    },

    async ask(kind: PaymentKind, id: string): Promise<KnownPayment | null> {
      const folder = kind === "deposit" ? "payments" : "payouts";
      const reply = await call("GET", `/${folder}/${encodeURIComponent(id)}`);
      return reply === UNKNOWN ? null : read(known, reply);
    },

    isSigned: (rawBody, signature) => isSignedBy(secret, rawBody, signature, clock.now()),
  };
}

/** Nobody answered in time. */
class ProviderSilent extends ProviderUnavailable {}

/**
 * Calls to a silent provider fail at once, except one at a time. A quick failure delays nobody, so
 * only time-outs count.
 */
function createBreaker(elapsed: () => number) {
  let silentCalls = 0;
  let isSilentUntil = 0;
  let isFindingOut = false;
  return async function unlessSilent<T>(ask: () => Promise<T>): Promise<T> {
    const findsOut = silentCalls >= SILENT_MAX;
    if (findsOut && (isFindingOut || elapsed() < isSilentUntil)) {
      throw new ProviderUnavailable("the provider has not answered for a while");
    }
    isFindingOut ||= findsOut;
    try {
      const answer = await ask();
      silentCalls = 0;
      return answer;
    } catch (error) {
      silentCalls = error instanceof ProviderSilent ? silentCalls + 1 : 0;
      isSilentUntil = elapsed() + SILENCE_MS;
      throw error;
    } finally {
      if (findsOut) isFindingOut = false;
    }
  };
}

function callbackUrl(origin: string): string {
  return `${origin}/api/v1/cashier/callbacks/${GATEWAY}`;
}

/** No body can equal it. */
const UNKNOWN = Symbol("unknown to the provider");

function says(code: "unknown" | "refused", reply: unknown): boolean {
  return z.object({ code: z.literal(code) }).safeParse(reply).success;
}

/** A reply in another form leaves the outcome as open as no reply does. */
function read<T>(schema: z.ZodType<T>, reply: unknown): T {
  const parsed = schema.safeParse(reply);
  if (!parsed.success) throw new ProviderUnavailable("the provider's reply was not understood");
  return parsed.data;
}

/** @returns `json` undefined for a body that is not JSON */
async function send(url: string, init: RequestInit): Promise<{ status: number; json: unknown }> {
  try {
    const answer = await fetch(url, init);
    // From a proxy that waited in vain and says so in a page.
    if (answer.status === NO_ANSWER) {
      answer.body?.cancel().catch(() => undefined);
      return { status: answer.status, json: undefined };
    }
    return { status: answer.status, json: readJson(await bounded(answer)) };
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    const Failure = late ? ProviderSilent : ProviderUnavailable;
    throw new Failure("the provider did not answer", { cause: error });
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function bounded(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > REPLY_MAX_BYTES) throw new Error("the provider's reply is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
