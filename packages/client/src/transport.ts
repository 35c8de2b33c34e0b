import { MODULE_HEADER, moduleIdOf, SENT_AT_HEADER } from "@perya/contract/call";
import type { AnyCallKey, Calls } from "@perya/contract/calls";
import type { Problem } from "@perya/contract/refusal";
import { moneyReviver } from "@perya/kernel/money";
import {
  ApiRefusal,
  EmptyAddress,
  NetworkFailure,
  SessionChanged,
  StrangeAnswer,
} from "./refused.ts";

export interface TransportOptions {
  /** Origin before every path; empty for the page's own. */
  readonly baseUrl?: string;
  readonly getSessionToken: () => string | null;
  /** As the language picker stores it: TY, EN. */
  readonly getLanguage: () => string;
  /** The page runs as an installed app. */
  readonly isStandalone: () => boolean;
  /** `token` is the one that has ended; a later login may already have replaced it. */
  readonly onSessionEnded: (token: string) => void;
  readonly fetch?: typeof fetch;
}

const TIMEOUT_MS = 15_000;
/** As long as the server waits for a request to arrive. */
const UPLOAD_TIMEOUT_MS = 30_000;

/** Calls whose bodies are form-encoded; the compiler checks this list against the contract. */
type FormKey = {
  [K in AnyCallKey]: Calls[K] extends { readonly form: true } ? K : never;
}[AnyCallKey];
const FORMS: Readonly<Record<FormKey, true>> = { "POST /api/v1/auth/forgot-password": true };

/** The session that makes the call; null for a visitor. It is read once, when the call begins. */
export type Asker = string | null;

export interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly file?: Blob;
  readonly signal?: AbortSignal;
  readonly keepalive?: boolean;
  /** Carries its send time in the server's clock. */
  readonly timed?: boolean;
}

/** A sealed body, and the key that opens it. */
export interface Sealed {
  readonly data: string;
  readonly kid: string;
}

/**
 * Sends a call once over HTTP.
 * @returns its function, which throws SessionChanged where `asker` is not the current session: the
 *   call would act as another
 */
export function createTransport(options: TransportOptions, serverNow: () => number) {
  return async function sendOnce(
    asker: Asker,
    callKey: string,
    parts: Parts,
    seal?: Sealed,
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
    if (parts.timed === true) headers[SENT_AT_HEADER] = `${Math.round(serverNow())}`;
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
  };
}

function address(path: string, { params = {}, query = {} }: Parts): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const part = String(params[name] ?? "");
    if (part === "") throw new EmptyAddress(`${path} without its ${name}`);
    return encodeURIComponent(part);
  });
  const search = formText(query);
  return search === "" ? filled : `${filled}?${search}`;
}

function bodyText(content: unknown, asForm: boolean): string | null {
  if (content === undefined) return null;
  return asForm ? formText(content) : JSON.stringify(content);
}

/** Texts and numbers, without absent values. */
function formText(values: unknown): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(values ?? {})) {
    if (value !== undefined) form.set(name, String(value));
  }
  return form.toString();
}

function sessionIsOver({ code }: Problem): boolean {
  return code === "session_ended" || code === "not_logged_in";
}

function parseJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text, moneyReviver);
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
