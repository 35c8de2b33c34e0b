import type { BodyInput, ParamsInput, QueryInput, ReadReplyOf } from "@perya/contract/call";
import type { AnyCallKey, Calls } from "@perya/contract/calls";
import { ApiRefusal, NetworkFailure, NotSent } from "./refused.ts";
import {
  type Asker,
  createTransport,
  type Parts,
  type Sealed,
  type TransportOptions,
} from "./transport.ts";

export type Reply<K extends AnyCallKey> = ReadReplyOf<Calls[K]>;
export type Body<K extends AnyCallKey> = BodyInput<Calls[K]>;
export type Query<K extends AnyCallKey> = QueryInput<Calls[K]>;

export type ItemOf<K extends AnyCallKey> =
  Reply<K> extends { items: readonly (infer Item)[] } ? Item : never;

/** One part of a call: absent where the contract declares none, optional where all of it is. */
type Part<N extends string, T> = [T] extends [undefined]
  ? unknown
  : Partial<T> extends T
    ? { readonly [P in N]?: T }
    : { readonly [P in N]: T };

/** A file's bytes, whatever its declared type. */
type FileInput<C> = C extends { readonly upload: object } ? Blob : undefined;

export type CallOptions<K extends AnyCallKey> = Part<"params", ParamsInput<Calls[K]>> &
  Part<"query", QueryInput<Calls[K]>> &
  Part<"body", BodyInput<Calls[K]>> &
  Part<"file", FileInput<Calls[K]>> & {
    readonly signal?: AbortSignal;
    /** It is sent even if the page closes. */
    readonly keepalive?: boolean;
  };

export type Given<K extends AnyCallKey> =
  Record<never, never> extends CallOptions<K>
    ? [options?: CallOptions<K>]
    : [options: CallOptions<K>];

/**
 * Commands with an id from their caller, and those that name what they sell: the server executes
 * each once, however often it arrives.
 */
export type CommandKey =
  | { [K in AnyCallKey]: Body<K> extends { readonly id: string } ? K : never }[AnyCallKey]
  | "POST /api/v1/saranggola/cash-outs"
  | "POST /api/v1/sports/cash-outs";

export interface Api {
  /**
   * Makes a call of the contract.
   * @throws ApiRefusal when the server refuses, NetworkFailure when no answer came, EmptyAddress
   *   when the path lacks a part, SessionChanged when it would have gone under another session
   */
  call<K extends Exclude<AnyCallKey, CommandKey>>(key: K, ...given: Given<K>): Promise<Reply<K>>;
  /**
   * Sends a command once. Its caller is `intention.ts`, which knows when to send again.
   * @throws as `call`, and NotSent where the server's clock could not be read
   */
  command<K extends CommandKey>(key: K, body: Body<K>): Promise<Reply<K>>;
  /** The best estimate of the server's clock, in milliseconds. */
  serverNow(): number;
  /** Sets the clock to the server's present time; the socket's heartbeat knows it too. */
  alignClock(serverNowMs: number): void;
}

export type EncryptionKey = Reply<"GET /api/v1/encryption-key">;

export interface ApiOptions extends TransportOptions {
  /** JWE compact to the key, ECDH-ES+A256KW and A256GCM, its `kid` in the protected header. */
  readonly seal: (plaintext: string, key: EncryptionKey) => Promise<string>;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

const KEY_KEPT_MS = 10 * 60_000;
/** Less than the margin in the longest life of a request (`intention.ts`). */
const CLOCK_WITHIN_MS = 4_000;
const NONCE_BYTES = 18;

/** Calls whose bodies are sealed; the compiler checks this list against the contract. */
type SealedKey = {
  [K in AnyCallKey]: Calls[K] extends { readonly encrypted: true } ? K : never;
}[AnyCallKey];
const SEALED: Readonly<Record<SealedKey, true>> = {
  "POST /api/v1/auth/login": true,
  "PUT /api/v1/auth/register": true,
  "PUT /api/v1/auth/external/register": true,
  "POST /api/v1/auth/password": true,
  "POST /api/v1/auth/password-by-link": true,
  "POST /api/v1/auth/password-by-phone": true,
  "POST /api/v1/auth/fresh": true,
  "POST /api/v1/auth/second-factor": true,
  "POST /api/v1/member/payment-password": true,
  "POST /api/v1/member/payment-proof": true,
};

const REREAD_AFTER_MS = [400] as const;

export function createApi(options: ApiOptions): Api {
  const now = options.now ?? Date.now;
  const wait = options.wait ?? ((ms) => new Promise((done) => setTimeout(done, ms)));
  let clockOffsetMs: number | null = null;
  let key: { readonly value: EncryptionKey; readonly until: number } | null = null;

  const serverNow = () => now() + (clockOffsetMs ?? 0);
  const sendOnce = createTransport(options, serverNow);
  const alignClock = (serverNowMs: number) => {
    clockOffsetMs = serverNowMs - now();
  };

  async function encryptionKey(asker: Asker): Promise<EncryptionKey> {
    if (key !== null && key.until > now()) return key.value;
    const reply = await send(asker, "GET /api/v1/encryption-key", {}, REREAD_AFTER_MS);
    // The server answers by the contract's schema, which its own tests check.
    const value = reply as EncryptionKey;
    alignClock(value.now);
    key = { value, until: now() + KEY_KEPT_MS };
    return value;
  }

  /** Valid once, for this call and brand alone, as long as the server's clock allows. */
  async function sealed(asker: Asker, call: string, body: unknown): Promise<Sealed> {
    const current = await encryptionKey(asker);
    const [nonce, at] = [freshNonce(), Math.round(serverNow())];
    const plaintext = JSON.stringify({ nonce, at, aud: current.aud, call, body });
    return { data: await options.seal(plaintext, current), kid: current.kid };
  }

  /** Repairs a rotated key or a wrong clock by fetching the key once more. */
  async function sendSealed(asker: Asker, callKey: string, parts: Parts): Promise<unknown> {
    try {
      return await send(asker, callKey, parts, [], await sealed(asker, callKey, parts.body));
    } catch (error) {
      if (!isStale(error)) throw error;
      key = null;
      return await send(asker, callKey, parts, [], await sealed(asker, callKey, parts.body));
    }
  }

  /**
   * Reads the server's clock from the key's reply.
   * @throws NotSent where that fails or takes long: the caller has stored when the command began,
   *   and one sent much later could still be running when it is considered lost. A reply that comes
   *   late serves the next command
   */
  async function askClock(asker: Asker): Promise<void> {
    const begunAt = now();
    const asked = encryptionKey(asker).catch((error: unknown) => {
      throw error instanceof NetworkFailure ? new NotSent(error.slow, error) : error;
    });
    const late = wait(CLOCK_WITHIN_MS).then(() => {
      throw new NotSent(true);
    });
    await Promise.race([asked, late]);
    // The timers of a phone that slept have slept too.
    if (now() - begunAt > CLOCK_WITHIN_MS) throw new NotSent(true);
  }

  /** A command without a send time could begin at any time; a wrong clock refuses nobody. */
  async function sendTimed(asker: Asker, callKey: string, body: unknown): Promise<unknown> {
    if (clockOffsetMs === null) await askClock(asker);
    try {
      return await sendOnce(asker, callKey, { body, timed: true });
    } catch (error) {
      if (!isStale(error)) throw error;
      key = null;
      await askClock(asker);
      return await sendOnce(asker, callKey, { body, timed: true });
    }
  }

  async function send(
    asker: Asker,
    callKey: string,
    parts: Parts,
    retryAfterMs: readonly number[],
    seal?: Sealed,
  ): Promise<unknown> {
    for (const ms of retryAfterMs) {
      try {
        return await sendOnce(asker, callKey, parts, seal);
      } catch (error) {
        const again = error instanceof NetworkFailure && parts.signal?.aborted !== true;
        if (!again) throw error;
        await wait(ms);
      }
    }
    return sendOnce(asker, callKey, parts, seal);
  }

  return {
    serverNow,
    alignClock,
    async call(callKey, ...[given]) {
      // CallOptions is made of exactly these parts; the keys' types are gone at run time.
      const parts = (given ?? {}) as Parts;
      const asker = options.getSessionToken();
      const retries = callKey.startsWith("GET ") ? REREAD_AFTER_MS : [];
      const reply = Object.hasOwn(SEALED, callKey)
        ? await sendSealed(asker, callKey, parts)
        : await send(asker, callKey, parts, retries);
      // The server answers by the contract's schema, which its own tests check.
      return reply as never;
    },
    async command(callKey, body) {
      // As above.
      return (await sendTimed(options.getSessionToken(), callKey, body)) as never;
    },
  };
}

function freshNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

function isStale(error: unknown): boolean {
  return error instanceof ApiRefusal && error.problem.code === "stale_payload";
}
