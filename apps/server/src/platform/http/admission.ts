import type { Call } from "@perya/contract/call";
import { isOpenInMaintenance, REAL_TYPES } from "@perya/contract/call";
import { isOperators, permissionsOf } from "@perya/contract/operator";
import type { PermissionKey } from "@perya/contract/permission-keys";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import type { Instant } from "@perya/kernel/instant";
import type { Result } from "@perya/kernel/result";
import type { FastifyRequest } from "fastify";
import { blocksOf } from "../address-block.ts";
import { NO_CALL, type RoomForPicture } from "../kept-pictures.ts";
import { cookieOf, SESSION_COOKIE } from "./cookies.ts";
import { takeFreePlay, takePicture, takeUnpaid, type Writer } from "./free-play.ts";
import type { CallServerOptions, MerchantLike, Operator, SessionLike } from "./handlers.ts";
import { languageOf } from "./language.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { isRegionClosed } from "./region.ts";

/** Calls of one session or address per minute, unless the call declares its own. */
const DEFAULT_RATE = { max: 1_200, windowMs: 60_000 };
/** A member has so many sessions' rate altogether: more than a person has devices in use. */
const SESSIONS_TOGETHER = 4;
/**
 * All players at one address together have this many times a visitor's rate: carriers put many
 * phones there.
 */
const PLAYERS_TOGETHER = 10;

export interface ServedCall {
  readonly key: string;
  readonly declaration: Call;
  /** The whole call depends on it. */
  readonly permissionKey: PermissionKey | null;
}

/** A caller of the right kind, at a brand that takes the call. */
export interface Admitted<M, S> {
  readonly merchant: M;
  readonly session: S | null;
  readonly language: string;
}

/** A caller who may make the call. */
export interface Entered<M, S> extends Admitted<M, S> {
  readonly operator: Operator | null;
  /** The brand is closed at the caller's place. */
  readonly regionClosed: boolean;
  /** Why the player may write nothing new today: see the declaration's `kept`. */
  readonly full: Refusal | null;
  /** Who makes a call that stores something without a stake or brings a file; null for others. */
  readonly writer: Writer | null;
}

/** With the language of the answer. */
export interface NotEntered {
  readonly refused: Refusal;
  readonly language: string;
}

/** Checks what may change while a call waits: brand, switches, session. Counts no admitted call. */
export async function admit<M extends MerchantLike, S extends SessionLike>(
  { key, declaration, permissionKey }: ServedCall,
  request: FastifyRequest,
  options: CallServerOptions<M, S>,
): Promise<Admitted<M, S> | NotEntered> {
  const merchant = await options.merchantOf(request.sender.hostname);
  if (merchant === null) return { refused: refusal("not_found"), language: "EN" };
  const language = languageOf(request, merchant.defaultLanguage);
  // First of all, so that it is the same for everybody.
  if (options.underMaintenance(merchant) && !isOpenInMaintenance(declaration)) {
    return { refused: refusal("maintenance"), language };
  }
  if (permissionKey !== null && !options.isOn(merchant, permissionKey)) {
    return { refused: refusal("feature_off"), language };
  }
  const session = await findSession(declaration, request, merchant, options);
  if (!session.ok) {
    // Tries with unknown sessions are counted by where they come from.
    const tries = `${key} refused`;
    const strangers = blocksAt(request, merchant);
    const retryAt = await takeRate(tries, DEFAULT_RATE, strangers, options);
    return {
      refused: retryAt === null ? session.error : refusal("rate_limited", { retryAt }),
      language,
    };
  }
  return { merchant, session: session.value, language };
}

/** All checks before a call's body is read: `admit`, rate, region. */
export async function enter<M extends MerchantLike, S extends SessionLike>(
  call: ServedCall,
  request: FastifyRequest,
  options: CallServerOptions<M, S>,
): Promise<Entered<M, S> | NotEntered> {
  const admitted = await admit(call, request, options);
  if ("refused" in admitted) return admitted;
  const { key, declaration } = call;
  const { merchant, session, language } = admitted;
  const operator = await findOperator(key, declaration, request, merchant, options);
  if (!operator.ok) return { refused: operator.error, language };

  const rate = declaration.rate ?? DEFAULT_RATE;
  if (session !== null) request.noted.memberId = session.memberId;
  const who =
    operator.value === null
      ? countedIn(declaration, session, blocksAt(request, merchant))
      : [{ name: operator.value.id, times: 1 }];
  const retryAt = await takeRate(key, rate, who, options);
  if (retryAt !== null) return { refused: refusal("rate_limited", { retryAt }), language };

  const regionClosed = isRegionClosed(request, merchant, options.regions);
  if (regionClosed && declaration.regional === true) {
    return { refused: refusal("region_restricted"), language };
  }
  const writer = writerOf(declaration, session, request, options);
  const full = await fullOf(declaration, session, writer, options);
  if (full !== null && declaration.kept !== "once") return { refused: full, language };
  return { ...admitted, operator: operator.value, regionClosed, full, writer };
}

/** Counts what is stored and costs nothing; null if the player has room for it. */
async function fullOf<M extends MerchantLike, S extends SessionLike>(
  { kept }: Call,
  session: S | null,
  writer: Writer | null,
  { rateLimiter }: CallServerOptions<M, S>,
): Promise<Refusal | null> {
  if (kept === undefined || session === null || writer === null) return null;
  const isTrial = session.caller === "trial";
  if (kept === "stake" && !isTrial) return null;
  const retryAt = await (isTrial ? takeFreePlay : takeUnpaid)(rateLimiter, writer);
  return retryAt === null ? null : refusal("rate_limited", { retryAt });
}

/** See `RoomForPicture`; not called for a call without a picture. */
export function roomForPicture(writer: Writer | null, rates: RateLimiter): RoomForPicture {
  if (writer === null) return NO_CALL.roomForPicture;
  return async (bytes) => {
    const retryAt = await takePicture(rates, writer, bytes);
    return retryAt === null ? null : fieldRefusal("image", "day_spent");
  };
}

/** Whether they paid in is looked up once per call, however often it is needed. */
function writerOf<M extends MerchantLike, S extends SessionLike>(
  { kept, upload }: Call,
  session: S | null,
  request: FastifyRequest,
  { hasPaidIn }: CallServerOptions<M, S>,
): Writer | null {
  if (session === null || (kept === undefined && upload === undefined)) return null;
  const { id: sessionId, merchantId, memberId } = session;
  let paidIn: Promise<boolean> | null = null;
  return {
    ...{ sessionId, merchantId, memberId },
    address: request.sender.address,
    hasPaidIn: () => {
      paidIn ??= hasPaidIn(session);
      return paidIn;
    },
  };
}

interface Counted {
  readonly name: string;
  readonly times: number;
}

/**
 * A session counts by itself, so that a person who holds another of the member's sessions does not
 * shut the member out; beside it the member counts, who may open any number of them. A call that is
 * open to visitors with a rate of its own is one that strangers guess by or that costs us: it
 * counts by address only, or each session from an address would have that rate once more.
 */
function countedIn(
  { callers, rate }: Call,
  session: SessionLike | null,
  blocks: readonly Counted[],
): readonly Counted[] {
  const open = callers.includes("visitor");
  if (session === null || (open && rate !== undefined)) return blocks;
  const own = [
    { name: session.id, times: 1 },
    { name: session.memberId, times: SESSIONS_TOGETHER },
  ];
  if (!open) return own;
  const players = blocks.map(({ name, times }) => ({
    name: `${name} players`,
    times: times * PLAYERS_TOGETHER,
  }));
  return [...own, ...players];
}

/** The address of a request, counted per brand. */
function blocksAt(request: FastifyRequest, { id: brand }: MerchantLike): Counted[] {
  return blocksOf(request.sender.address).map(({ block, times }) => ({
    name: `${brand} ${block}`,
    times,
  }));
}

/** Counts one in each, or in none: a flood in a narrow one does not fill the wide. */
function takeRate<M extends MerchantLike, S extends SessionLike>(
  key: string,
  { max, windowMs }: NonNullable<Call["rate"]>,
  counted: readonly Counted[],
  { rateLimiter }: CallServerOptions<M, S>,
): Promise<Instant | null> {
  const bounds = counted.map(({ name, times }) => ({
    subject: `${key} ${name}`,
    max: max * times,
  }));
  return rateLimiter.take(bounds, windowMs);
}

async function findSession<M extends MerchantLike, S extends SessionLike>(
  declaration: Call,
  request: FastifyRequest,
  merchant: M,
  options: CallServerOptions<M, S>,
): Promise<Result<S | null, Refusal>> {
  if (declaration.callers.includes("signed")) return { ok: true, value: null };
  if (isOperators(declaration)) return { ok: true, value: null };
  const open = declaration.callers.includes("visitor");
  const storage = bearerToken(request.headers.authorization);
  if (storage === null) {
    return open ? { ok: true, value: null } : { ok: false, error: refusal("not_logged_in") };
  }
  const cookie = cookieOf(request, SESSION_COOKIE, options.secure);
  const session = await options.sessionOf(merchant, { storage, cookie });
  if (session === null || !session.ok) {
    if (open) return { ok: true, value: null };
    return session ?? { ok: false, error: refusal("session_ended") };
  }
  const { caller, type } = session.value;
  const fits = open || declaration.callers.includes(caller);
  const real = declaration.realAccount !== true || REAL_TYPES.includes(type);
  if (fits && real) return session;
  const code = fits || caller === "trial" ? "real_account_needed" : "permission_denied";
  return { ok: false, error: refusal(code) };
}

/** Refused tokens per address and minute. */
const REFUSED_RATE = { max: 60, windowMs: 60_000 };

async function findOperator<M extends MerchantLike, S extends SessionLike>(
  key: string,
  declaration: Call,
  request: FastifyRequest,
  merchant: M,
  options: CallServerOptions<M, S>,
): Promise<Result<Operator | null, Refusal>> {
  const permissions = permissionsOf(declaration);
  if (permissions.length === 0) return { ok: true, value: null };
  const token = bearerToken(request.headers.authorization);
  const operator = token === null ? null : await options.operatorOf(merchant, token);
  if (operator === null) {
    const strangers = blocksAt(request, merchant);
    const retryAt = await takeRate("operator", REFUSED_RATE, strangers, options);
    if (retryAt !== null) return { ok: false, error: refusal("rate_limited", { retryAt }) };
    return { ok: false, error: refusal("not_logged_in") };
  }
  const may = permissions.some((one) => operator.permissions.includes(one));
  const line = { requestId: request.id, brand: merchant.id, operator: operator.id, call: key, may };
  options.log.info(line, "operator's call");
  return may ? { ok: true, value: operator } : { ok: false, error: refusal("permission_denied") };
}

function bearerToken(header: string | undefined): string | null {
  const match = /^Bearer ([A-Za-z0-9_-]{20,100})$/.exec(header ?? "");
  return match?.[1] ?? null;
}
