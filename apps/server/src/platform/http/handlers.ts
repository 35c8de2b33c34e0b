import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type {
  BodyOf,
  Call,
  Caller,
  OperatorCaller,
  ParamsOf,
  QueryOf,
  ReplyOf,
} from "@perya/contract/call";
import type { OperatorPermission } from "@perya/contract/operator";
import type { PermissionKey } from "@perya/contract/permission-keys";
import type { Refusal } from "@perya/contract/refusal";
import type { Clock, Entropy } from "@perya/kernel/instant";
import type { Result } from "@perya/kernel/result";
import type { RoomForPicture } from "../kept-pictures.ts";
import type { Logger } from "../log.ts";
import type { CookieOptions } from "./cookies.ts";
import type { HttpMetrics } from "./metrics.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { RegionGate } from "./region.ts";
import type { ProxySetting } from "./sender.ts";

/** What the platform must know of a brand; modules see all of it. */
export interface MerchantLike {
  readonly id: string;
  readonly defaultLanguage: string;
}

/** What the platform must know of a session. */
export interface SessionLike {
  readonly id: string;
  readonly merchantId: string;
  readonly memberId: string;
  readonly caller: Caller;
  readonly type: number;
}

export interface Operator {
  readonly id: string;
  readonly merchantId: string;
  readonly name: string;
  readonly permissions: readonly OperatorPermission[];
  /** Of the call's token: if the operator has another one by now, the call does nothing. */
  readonly tokenHash: Buffer;
}

export interface CallContext<C extends Call, M, S> {
  readonly params: ParamsOf<C>;
  readonly query: QueryOf<C>;
  readonly body: BodyOf<C>;
  readonly merchant: M;
  /** Never null if `visitor` is not among the call's callers: see SessionOf. */
  readonly session: SessionOf<C, S>;
  /** Of an operators' call; null in every other. */
  readonly operator: OperatorOf<C>;
  readonly language: string;
  readonly address: string;
  /** The brand is closed at the caller's place. */
  readonly regionClosed: boolean;
  /** For a call that writes `once` per id: why the player may write nothing new today. */
  readonly full: Refusal | null;
  /** Name and port that the browser asked for; the brand was found by the name. */
  readonly host: string;
  readonly hostname: string;
  readonly headers: IncomingHttpHeaders;
  cookie(name: string): string | undefined;
  /** The body's bytes as they came, for calls that are signed over them. */
  readonly rawBody: Buffer;
  readonly requestId: string;
  /** Nobody waits for the result any more. */
  hasHungUp(): boolean;
  /** The same as a signal; see `Line`. */
  readonly hangUp: AbortSignal;
  readonly roomForPicture: RoomForPicture;
  setCookie(name: string, value: string, options: CookieOptions): void;
}

export type SessionOf<C extends Call, S> = C["callers"][number] extends "member" | "trial" | "agent"
  ? S
  : S | null;

export type OperatorOf<C extends Call> = C["callers"][number] extends OperatorCaller
  ? Operator
  : null;

/** A reply whose bytes are made once and served many times. */
export class PreparedReply {
  readonly bytes: Buffer;
  readonly etag: string;
  constructor(value: unknown) {
    this.bytes = Buffer.from(JSON.stringify({ value }));
    this.etag = `"${createHash("sha256").update(this.bytes).digest("base64url").slice(0, 22)}"`;
  }
}

export type Handler<C extends Call, M, S> = (
  context: CallContext<C, M, S>,
) => Promise<Result<ReplyOf<C> | PreparedReply, Refusal>>;

/** A handler for each call of a part of the contract; the compiler reports a missing one. */
export type Handlers<Cs extends Record<string, Call>, M, S> = {
  readonly [K in keyof Cs]: Handler<Cs[K], M, S>;
};

export interface CallServerOptions<M extends MerchantLike, S extends SessionLike> {
  readonly log: Logger;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly trustProxy: ProxySetting;
  /** Players use https: cookies are Secure, and browsers are told to come no other way. */
  readonly secure: boolean;
  /** Parse every reply by its schema; for development and tests, where a slip should be noticed. */
  readonly checkReplies: boolean;
  readonly rateLimiter: RateLimiter;
  readonly metrics: HttpMetrics;
  /** Null: this installation does not know where its callers are, so nothing is closed. */
  readonly regions: RegionGate<M> | null;
  readonly merchantOf: (host: string) => Promise<M | null>;
  /** The brand is closed to its players for now. */
  readonly underMaintenance: (merchant: M) => boolean;
  readonly isOn: (merchant: M, key: PermissionKey) => boolean;
  /** The session that both halves name, null for none; a refusal if it has ended. */
  readonly sessionOf: (
    merchant: M,
    halves: { readonly storage: string; readonly cookie: string | undefined },
  ) => Promise<Result<S, Refusal> | null>;
  /**
   * Whether nothing of the session's player is being written: an earlier request's work may not be
   * visible yet.
   */
  readonly isAtRest: (session: S) => Promise<boolean>;
  readonly hasPaidIn: (session: S) => Promise<boolean>;
  /** The operator of this brand who bears the token; null for a token that is nobody's now. */
  readonly operatorOf: (merchant: M, token: string) => Promise<Operator | null>;
  /** Opens a body that was encrypted for this brand and call: JWE compact in, JSON out. */
  readonly openBody: (merchant: M, key: string, jwe: string) => Promise<Result<unknown, Refusal>>;
}
