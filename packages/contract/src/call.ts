import type { z } from "zod";
import type { OperatorPermission } from "./operator.ts";
import type { RefusalCode } from "./refusal.ts";

/**
 * Who may call. `visitor` is anyone, logged in or not; `member` a real account, `trial` a
 * free-play one, `agent` a team leader; `signed` an outside service that signs its body;
 * `operator:…` someone of the house who was given that permission, or another that is named.
 */
export type Caller = "visitor" | "member" | "trial" | "agent" | "signed" | OperatorCaller;
export type OperatorCaller = `operator:${OperatorPermission}`;

/** A member, an agent and a sub-agent; 4 is free play, 40 to 42 the house's own accounts. */
export const REAL_TYPES: readonly number[] = [0, 1, 2];

/** The header in which a call carries its module's id (games §7). */
export const MODULE_HEADER = "x-module-id";

/**
 * The header in which a command says when it was sent, by the server's clock as its caller knows it:
 * ms since the epoch. A caller that does not know the clock names nothing.
 */
export const SENT_AT_HEADER = "x-sent-at";
/** A request that says so and is begun later than this is refused unheard (`stale_payload`). */
export const SENT_AT_MAX_MS = 10_000;

/** The id of a call's module: the first word of its path, such as `games`, `lottery`, `member`. */
export function moduleIdOf(key: string): string {
  return /^[A-Z]+ \/api\/v1\/([a-z-]+)/.exec(key)?.[1] ?? "other";
}

export interface Call {
  readonly summary: string;
  readonly callers: readonly Caller[];
  /** For accounts of real money alone (`REAL_TYPES`), whatever else their kind may do. */
  readonly realAccount?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body travels as JWE compact in `{ "data": … }` (games and accounts §7). */
  readonly encrypted?: true;
  /** The body may also come as `application/x-www-form-urlencoded`. */
  readonly form?: true;
  /** The body is a file's bytes, `application/octet-stream`; refusals name it by `field`. */
  readonly upload?: { readonly field: string; readonly maxBytes: number };
  /** Opens an account or a session, or plays: a brand may close it to some countries. */
  readonly regional?: true;
  /** Players may call it while the brand is under maintenance: it ends what was begun. */
  readonly inMaintenance?: true;
  readonly reply: z.ZodType;
  /** Refusals beyond those that follow from the rest (`refusalsOf`). */
  readonly refusals?: readonly RefusalCode[];
  /**
   * How many calls one session may make in a window, or one address of a call that is open to
   * visitors, whatever sessions it bears; the platform's own limit otherwise.
   */
  readonly rate?: { readonly max: number; readonly windowMs: number };
  /**
   * What it writes stays for long or for good: a number of such calls a day is all that a player has
   * who pays nothing for it. A `stake` costs real players money and is bounded in free play alone; a
   * `row` is everybody's. So is what is written `once` an id, of which a repeat is answered however
   * many there were: its handler refuses what is new by the context's `full`.
   */
  readonly kept?: "stake" | "row" | "once";
}

/**
 * Whether a call is answered while the brand is under maintenance. What players call is closed
 * then, unless it is declared open. The house's people and outside services always pass: wins,
 * rollbacks and payments belong to what was begun, and a vendor's bet is refused by its own brand.
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
/** What a handler answers and the browser reads. */
export type ReplyOf<C extends Call> = z.input<C["reply"]>;
/** What the browser gives. */
export type ParamsInput<C extends Call> = Given<C["params"]>;
export type QueryInput<C extends Call> = Given<C["query"]>;
export type BodyInput<C extends Call> = Given<C["body"]>;
