import type { z } from "zod";
import type { OperatorPermission } from "./operator.ts";
import type { RefusalCode } from "./refusal.ts";

/**
 * Who may call. `visitor` is anyone, logged in or not; `member` a real account; `trial` a free-play
 * account; `agent` a team leader; `signed` an outside service that signs its body; `operator:…` a
 * person of the house with that permission, or with the other one if two are named.
 */
export type Caller = "visitor" | "member" | "trial" | "agent" | "signed" | OperatorCaller;
export type OperatorCaller = `operator:${OperatorPermission}`;

/** Account types: a member, an agent, a sub-agent. 4 is free play, 40 to 42 the house's own. */
export const REAL_TYPES: readonly number[] = [0, 1, 2];

/** The header that carries the id of the call's module (games §7). */
export const MODULE_HEADER = "x-module-id";

/**
 * The header that says when a command was sent: ms since the epoch, by the server's clock as the
 * caller knows it. A caller that does not know the clock sends no header.
 */
export const SENT_AT_HEADER = "x-sent-at";
/** A request with this header that is begun later is refused unheard (`stale_payload`). */
export const SENT_AT_MAX_MS = 10_000;

/** The id of a call's module: the first word of its path, such as `games`, `lottery`, `member`. */
export function moduleIdOf(key: string): string {
  return /^[A-Z]+ \/api\/v1\/([a-z-]+)/.exec(key)?.[1] ?? "other";
}

export interface Call {
  readonly summary: string;
  readonly callers: readonly Caller[];
  /** Only for accounts of real money (`REAL_TYPES`), even where their kind of caller is allowed. */
  readonly realAccount?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body travels as JWE compact in `{ "data": … }` (games and accounts §7). */
  readonly encrypted?: true;
  /** The body may also come as `application/x-www-form-urlencoded`. */
  readonly form?: true;
  /** The body is a file's bytes, `application/octet-stream`; refusals name the file by `field`. */
  readonly upload?: { readonly field: string; readonly maxBytes: number };
  /** The call opens an account or a session, or plays: a brand may close it to some countries. */
  readonly regional?: true;
  /** Players may call it while the brand is under maintenance: it ends something already begun. */
  readonly inMaintenance?: true;
  readonly reply: z.ZodType;
  /** Refusals besides those that follow from the rest of the declaration (`refusalsOf`). */
  readonly refusals?: readonly RefusalCode[];
  /**
   * How many calls are allowed per window: per session, or per address where visitors may call,
   * whatever sessions that address uses. Without it, the platform's own limit holds.
   */
  readonly rate?: { readonly max: number; readonly windowMs: number };
  /**
   * The call writes rows that stay for long or for good, so a player may make only a number of such
   * calls a day where they cost nothing. A `stake` costs real players money and is bounded in free
   * play only; a `row` is bounded for all players. `once` is a row per id: repeats are always
   * answered, and the handler refuses new ids by the context's `full`.
   */
  readonly kept?: "stake" | "row" | "once";
}

/**
 * Whether a call is answered while the brand is under maintenance. Calls of players are closed
 * then, unless they are declared open. Operators and outside services always pass: wins, rollbacks
 * and payments belong to something already begun, and a vendor's bet is refused by its own brand.
 */
export function isOpenInMaintenance({ callers, inMaintenance }: Call): boolean {
  return (
    inMaintenance === true ||
    callers.some((caller) => caller === "signed" || caller.startsWith("operator:"))
  );
}

/** Keeps the literal types of a declaration while checking its form. */
export function call<const C extends Call>(declaration: C): C {
  return declaration;
}

type Shape<T> = T extends z.ZodType ? z.output<T> : undefined;
type Given<T> = T extends z.ZodType ? z.input<T> : undefined;

/** What a handler receives after parsing. */
export type ParamsOf<C extends Call> = Shape<C["params"]>;
export type QueryOf<C extends Call> = Shape<C["query"]>;
export type BodyOf<C extends Call> = Shape<C["body"]>;
/** What a handler answers: the form on the wire. */
export type ReplyOf<C extends Call> = z.input<C["reply"]>;
/** What a caller has of it. */
export type ReadReplyOf<C extends Call> = z.output<C["reply"]>;
export type ParamsInput<C extends Call> = Given<C["params"]>;
export type QueryInput<C extends Call> = Given<C["query"]>;
export type BodyInput<C extends Call> = Given<C["body"]>;
