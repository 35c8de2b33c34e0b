import {
  type BodyInput,
  MODULE_HEADER,
  moduleIdOf,
  type ParamsInput,
  type QueryInput,
  type ReplyOf,
  SENT_AT_HEADER,
} from "@perya/contract/call";
import type { AnyCallKey, Calls } from "@perya/contract/calls";
import type { Problem } from "@perya/contract/refusal";
import {
  ApiRefusal,
  EmptyAddress,
  NetworkFailure,
  NotSent,
  SessionChanged,
  StrangeAnswer,
} from "./refused.ts";

export type Reply<K extends AnyCallKey> = ReplyOf<Calls[K]>;
export type Body<K extends AnyCallKey> = BodyInput<Calls[K]>;
export type Query<K extends AnyCallKey> = QueryInput<Calls[K]>;

/** An item of the list in a call's reply. */
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

type CallOptions<K extends AnyCallKey> = Part<"params", ParamsInput<Calls[K]>> &
  Part<"query", QueryInput<Calls[K]>> &
  Part<"body", BodyInput<Calls[K]>> &
  Part<"file", FileInput<Calls[K]>> & {
    readonly signal?: AbortSignal;
    /** It is sent even if the page closes. */
    readonly keepalive?: boolean;
  };

type Given<K extends AnyCallKey> =
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

export interface ApiOptions {
  /** Origin before every path; empty for the page's own. */
  readonly baseUrl?: string;
  readonly getSessionToken: () => string | null;
  /** As the language picker stores it: TY, EN. */
  readonly getLanguage: () => string;
  /** The page runs as an installed app. */
  readonly isStandalone: () => boolean;
  /** `token` is the one that has ended; a later login may already have replaced it. */
  readonly onSessionEnded: (token: string) => void;
  /** JWE compact to the key, ECDH-ES+A256KW and A256GCM, its `kid` in the protected header. */
  readonly seal: (plaintext: string, key: EncryptionKey) => Promise<string>;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

const TIMEOUT_MS = 15_000;
/** As long as the server waits for a request to arrive. */
const UPLOAD_TIMEOUT_MS = 30_000;
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

/** Calls whose bodies are form-encoded; the compiler checks this list against the contract. */
type FormKey = {
  [K in AnyCallKey]: Calls[K] extends { readonly form: true } ? K : never;
}[AnyCallKey];
const FORMS: Readonly<Record<FormKey, true>> = { "POST /api/v1/auth/forgot-password": true };

const REREAD_AFTER_MS = [400] as const;

/** The session that makes the call; null for a visitor. It is read once, when the call begins. */
type Asker = string | null;

interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly file?: Blob;
  readonly signal?: AbortSignal;
  readonly keepalive?: boolean;
  /** Carries its send time in the server's clock. */
  readonly timed?: boolean;
}

export function createApi(options: ApiOptions): Api {
  const now = options.now ?? Date.now;
  const wait = options.wait ?? ((ms) => new Promise((done) => setTimeout(done, ms)));
  let clockOffsetMs: number | null = null;
  let key: { readonly value: EncryptionKey; readonly until: number } | null = null;

  const serverNow = () => now() + (clockOffsetMs ?? 0);
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
  async function sealed(
    asker: Asker,
    call: string,
    body: unknown,
  ): Promise<{ readonly data: string; readonly kid: string }> {
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
    seal?: { readonly data: string; readonly kid: string },
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

  /** @throws SessionChanged where `asker` is not the current session: it would act as another. */
  async function sendOnce(
    asker: Asker,
    callKey: string,
    parts: Parts,
    seal?: { readonly data: string; readonly kid: string },
  ): Promise<unknown> {
    const split = callKey.indexOf(" ");
    const url = (options.baseUrl ?? "") + address(callKey.slice(split + 1), parts);
    const token = options.getSessionToken();
    // A visitor's read gives the same under the session that has begun.
    const isAnyones = asker === null && callKey.startsWith("GET ");
    if (token !== asker && !isAnyones) throw new SessionChanged(`not sent: ${callKey}`);
    const headers: Record<string, string> = {
      "x-language": options.getLanguage(),
      [MODULE_HEADER]: moduleIdOf(callKey),
    };
    if (token !== null) headers.authorization = `Bearer ${token}`;
    if (options.isStandalone()) headers.device = "OTHERS";
    if (parts.timed === true) {
      headers[SENT_AT_HEADER] = `${Math.round(serverNow())}`;
    }
    if (seal !== undefined) headers["x-encryption"] = `jwe; kid=${seal.kid}`;
    const content = seal === undefined ? parts.body : { data: seal.data };
    const asForm = Object.hasOwn(FORMS, callKey);
    if (parts.file !== undefined) {
      headers["content-type"] = "application/octet-stream";
    } else if (content !== undefined) {
      headers["content-type"] = asForm ? "application/x-www-form-urlencoded" : "application/json";
    }

    const timeout = AbortSignal.timeout(parts.file === undefined ? TIMEOUT_MS : UPLOAD_TIMEOUT_MS);
    const { signal: given } = parts;
    const signal = given === undefined ? timeout : AbortSignal.any([timeout, given]);
    let response: Response;
    let text: string;
    try {
      response = await (options.fetch ?? fetch)(url, {
        method: callKey.slice(0, split),
        headers,
        body: parts.file ?? bodyText(content, asForm),
        credentials: "same-origin",
        keepalive: parts.keepalive === true,
        signal,
      });
      text = await response.text();
    } catch (error) {
      if (given?.aborted === true) throw error;
      throw new NetworkFailure(timeout.aborted, error);
    }
    const reply = parseJson(text);
    if (response.ok && reply !== null && "value" in reply) return reply.value;
    if (!isProblem(reply)) throw new StrangeAnswer(`${response.status} from ${callKey}`);
    if (token !== null && sessionIsOver(reply)) options.onSessionEnded(token);
    throw new ApiRefusal(reply);
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

function address(path: string, { params = {}, query = {} }: Parts): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const part = String(params[name] ?? "");
    if (part === "") throw new EmptyAddress(`${path} without its ${name}`);
    return encodeURIComponent(part);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}

function bodyText(content: unknown, asForm: boolean): string | null {
  if (content === undefined) return null;
  return asForm ? formText(content) : JSON.stringify(content);
}

/** A flat body of texts and numbers, without absent values. */
function formText(body: unknown): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body ?? {})) {
    if (value !== undefined) form.set(name, String(value));
  }
  return form.toString();
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

function sessionIsOver({ code }: Problem): boolean {
  return code === "session_ended" || code === "not_logged_in";
}

function parseJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    // Any object may be read as a record of unknown values.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function isProblem(
  reply: Readonly<Record<string, unknown>> | null,
): reply is Readonly<Record<string, unknown>> & Problem {
  return (
    reply !== null &&
    "code" in reply &&
    typeof reply.code === "string" &&
    "detail" in reply &&
    typeof reply.detail === "string"
  );
}
