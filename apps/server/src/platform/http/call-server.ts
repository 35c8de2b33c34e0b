import type { IncomingMessage } from "node:http";
import fastifyCookie from "@fastify/cookie";
import type { BodyOf, Call, ParamsOf, QueryOf } from "@perya/contract/call";
import { MODULE_HEADER, moduleIdOf, SENT_AT_HEADER, SENT_AT_MAX_MS } from "@perya/contract/call";
import { keyOfCall } from "@perya/contract/permission-keys";
import { fieldRefusal, OUTCOMES, REFUSALS, type Refusal, refusal } from "@perya/contract/refusal";
import { mintId } from "@perya/kernel/ids";
import type { Clock } from "@perya/kernel/instant";
import { type Result, refuse } from "@perya/kernel/result";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type RequestPayload,
} from "fastify";
import { addressBlock } from "../address-block.ts";
import { isUnavailable } from "../postgres/pool.ts";
import { Turns } from "../turns.ts";
import { admit, type Entered, enter, roomForPicture, type ServedCall } from "./admission.ts";
import { cookieOf, setCookie } from "./cookies.ts";
import { faultPage } from "./fault-page.ts";
import { fieldFaults, isDeeperThan, unstorableField } from "./field-faults.ts";
import {
  type CallContext,
  type CallServerOptions,
  type Handler,
  type MerchantLike,
  type OperatorOf,
  PreparedReply,
  type SessionLike,
  type SessionOf,
} from "./handlers.ts";
import { hangUpOf } from "./hang-up.ts";
import { languageOf } from "./language.ts";
import { problemOf } from "./problem.ts";
import { createRefusalLog } from "./refusal-log.ts";
import { securityHeaders } from "./security-headers.ts";
import { type Sender, senderOf, trustOf } from "./sender.ts";
import { Uploads } from "./uploads.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Of a declared call; pages have none. */
    moduleId?: string;
  }
  interface FastifyRequest {
    /** Read this, and neither `ip` nor `host`: sockets are judged by it too. */
    sender: Sender;
    noted: Noted;
    /** The caller, if known before the body was read. */
    entered?: unknown;
    /** Gives back the place of its large body; does nothing after that was given back. */
    place?: () => void;
  }
}

/** What a log line says of a request besides its route. */
interface Noted {
  code?: string;
  memberId?: string;
  cause?: string;
}

const FORM = "application/x-www-form-urlencoded";
const FILE = "application/octet-stream";
const BODY_MAX_BYTES = 64 * 1024;
const JWE_MAX_CHARS = 16 * 1024;
/** Calls of one session that are worked on at once; the next ones wait for their turn. */
const SESSIONS_TURNS = { max: 8, waitingMax: 100 };
/**
 * The same for all sessions of a member: more, so that one in the wrong hands does not delay the
 * owner's, and fewer than the transactions that may run at once.
 */
const MEMBERS_TURNS = { max: 10, waitingMax: 100 };
/** For a request to arrive with its body; a longer one is noticed up to five seconds later. */
const REQUEST_MS = 30_000;
/** So much of a body that is too large is read before its caller gets the answer. */
const DISCARDED_MAX_BYTES = 32 * 1024 * 1024;
const DISCARDING_MAX_MS = 10_000;
/** Far deeper than any body of the contract. */
const DEPTH_MAX = 32;
/** Nobody knows how long it takes; pages learn by their socket when it is over. */
const MAINTENANCE_RETRY_S = 30;

/** Fastify with what every reply of the product carries; calls and pages are added to it. */
export async function createHttpServer<M extends MerchantLike, S extends SessionLike>(
  options: CallServerOptions<M, S>,
): Promise<FastifyInstance> {
  const trust = trustOf(options.trustProxy);
  const headers = securityHeaders(options.secure);
  const refusals = createRefusalLog(options.log, options.clock);
  const receive = (request: FastifyRequest, reply: FastifyReply) => {
    request.noted = {};
    request.sender = senderOf(request.raw, trust);
    void reply.header("x-request-id", request.id);
    for (const [name, value] of headers) void reply.header(name, value);
  };
  const noteAnswer = (request: FastifyRequest, reply: FastifyReply) => {
    const answered = {
      method: request.method,
      route: request.routeOptions.url ?? "unknown",
      module: moduleOf(request),
      status: reply.statusCode,
    };
    options.metrics.observe(answered, reply.elapsedTime);
    const line = {
      requestId: request.id,
      ...answered,
      ms: Math.round(reply.elapsedTime),
    };
    if (refusals.takes(reply.statusCode)) {
      refusals.note({ ...line, address: addressBlock(request.sender.address), ...request.noted });
    } else if (reply.statusCode >= 500) request.log.error(line, "request failed");
    else request.log.debug(line, "request");
  };
  const app: FastifyInstance = fastify({
    loggerInstance: options.log as FastifyBaseLogger, // Fastify takes pino's own logger
    logController: new LogController({ disableRequestLogging: true }),
    // Lines name their request themselves; a logger per request would cost more than the routing.
    childLoggerFactory: (logger) => logger,
    trustProxy: trust,
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_MS,
    // Node takes the longer of the two if the headers' own is left unchanged.
    http: { connectionsCheckingInterval: 5_000, headersTimeout: REQUEST_MS },
    keepAliveTimeout: 65_000,
    // Always our own: it is stored in the record of what operators did, which no caller writes.
    genReqId: () => mintId("request", options.clock.now(), options.entropy.bytes(16)),
    routerOptions: { maxParamLength: 200 },
    // Every caller has been let go before it is closed: see drain.ts.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // An unreadable address reaches no hook.
    frameworkErrors: (_error, request, reply) => {
      receive(request, reply);
      reply.raw.once("close", () => noteAnswer(request, reply));
      void sendFault(request, reply, fieldRefusal("path", "bad_format"));
    },
  });
  await app.register(fastifyCookie);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ["application/json", FORM, FILE],
    { parseAs: "buffer" },
    (_request, body, done) => done(null, body),
  );
  app.decorateRequest("sender");
  app.decorateRequest("noted");
  app.decorateRequest("entered");
  app.decorateRequest("place");
  // Every request passes these: a promise for each would be noticeable.
  app.addHook("onRequest", (request, reply, done) => {
    receive(request, reply);
    done();
  });
  // Calls name the field themselves; no other route has a use for a NUL, and no database takes it.
  app.addHook("preHandler", (request, reply, done) => {
    if (request.routeOptions.config.moduleId !== undefined) return done();
    const form = isOfType(request, FORM) && Buffer.isBuffer(request.body) ? request.body : "";
    const sent = { path: request.params, query: request.query, body: decoded(form.toString()) };
    const field = unstorableField(sent);
    if (field === null) return done();
    void sendFault(request, reply, fieldRefusal(field, "bad_format"));
  });
  app.addHook("onResponse", (request, reply, done) => {
    noteAnswer(request, reply);
    done();
  });
  app.setErrorHandler((error, request, reply) =>
    answerFault(request, reply, error, refusalOfError(error)),
  );
  return app;
}

/** Adds a route for every declared call; throws if a call has no handler or two. */
export function serveCalls<M extends MerchantLike, S extends SessionLike>(
  app: FastifyInstance,
  calls: Readonly<Record<string, Call>>,
  handlers: Readonly<Record<string, unknown>>,
  options: CallServerOptions<M, S>,
): void {
  const unserved = Object.keys(calls).filter((key) => !Object.hasOwn(handlers, key));
  const undeclared = Object.keys(handlers).filter((key) => !Object.hasOwn(calls, key));
  if (unserved.length > 0) throw new Error(`calls without a handler: ${unserved.join(", ")}`);
  if (undeclared.length > 0) throw new Error(`handlers without a call: ${undeclared.join(", ")}`);
  const atWork = new Turns();
  const uploads = new Uploads();
  for (const [key, declaration] of Object.entries(calls)) {
    const [method, path] = splitKey(key);
    const call = { key, declaration, permissionKey: keyOfCall(key) };
    const handler = handlers[key];
    if (typeof handler !== "function") throw new Error(`the handler of ${key} is no function`);
    if (declaration.upload !== undefined && !isPlayers(declaration)) {
      throw new Error(`${key} takes a file of others than players`);
    }
    app.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ":$1"),
      config: { moduleId: moduleIdOf(key) },
      ...(declaration.upload === undefined
        ? {}
        : {
            bodyLimit: declaration.upload.maxBytes,
            preParsing: enterEarly(call, declaration.upload.maxBytes, options, uploads),
            onSend: (request, _reply, payload, done) => {
              // An answer may wait behind another that nobody reads, and its request with it.
              request.body = undefined;
              request.place?.();
              done(null, payload);
            },
            errorHandler: (error, request, reply) =>
              answerFault(request, reply, error, uploadRefusal(declaration, error)),
          }),
      // Handlers<Cs> typed this handler against this very declaration where it was written.
      handler: answer(call, handler as Handler<Call, M, S>, options, atWork),
    });
  }
  // An unknown call is answered like any other refusal, not by a page.
  void app.register(
    async (api) => {
      api.setNotFoundHandler((request, reply) => {
        sendProblem(reply, refusal("not_found"), languageOf(request, "EN"));
      });
    },
    { prefix: "/api" },
  );
}

function isPlayers({ callers }: Call): boolean {
  return callers.every((one) => one === "member" || one === "trial" || one === "agent");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A form's text as it will be read; an invalid one contains no NUL either. */
function decoded(form: string): string {
  try {
    return decodeURIComponent(form);
  } catch {
    return form.replaceAll("%00", "\0");
  }
}

/** The module that the caller named, if it is this call's own: a label never takes raw input. */
function moduleOf(request: FastifyRequest): string {
  const { moduleId } = request.routeOptions.config;
  return moduleId !== undefined && request.headers[MODULE_HEADER] === moduleId
    ? moduleId
    : "unknown";
}

export function splitKey(key: string): [method: "GET" | "POST" | "PUT" | "DELETE", path: string] {
  const match = /^(GET|POST|PUT|DELETE) (\/\S+)$/.exec(key);
  if (match === null) throw new Error(`not a call key: ${key}`);
  // The pattern's groups are exactly these.
  return [match[1] as "GET" | "POST" | "PUT" | "DELETE", match[2] as string];
}

function answer<M extends MerchantLike, S extends SessionLike>(
  call: ServedCall,
  handler: Handler<Call, M, S>,
  options: CallServerOptions<M, S>,
  atWork: Turns,
) {
  /**
   * A command's refusal also counts for an earlier request under its id. It was judged by what is
   * visible, and says nothing while something may be written and not visible yet.
   */
  const countsForEarlier = async (
    { method, headers }: FastifyRequest,
    { code }: Refusal,
    session: S,
  ) =>
    method === "GET" ||
    headers[SENT_AT_HEADER] === undefined ||
    OUTCOMES[code] !== "refused" ||
    (await options.isAtRest(session));
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const early = request.entered as Entered<M, S> | undefined; // by `enterEarly`, of this call
    const entered = early ?? (await enter(call, request, options));
    const { language } = entered;
    if ("refused" in entered) return sendProblem(reply, entered.refused, language);
    const context = await read(call, request, reply, entered, options);
    if (!context.ok) return sendProblem(reply, context.error, language);
    const session: S | null = context.value.session;
    const work = async () => {
      if (isTooLate(request, options.clock)) return refuse(refusal("stale_payload"));
      if (early !== undefined) {
        // Half a minute may have gone by since, while the body came.
        const now = await admit(call, request, options);
        if ("refused" in now) return refuse(now.refused);
      }
      const answered = await handler(context.value);
      if (answered.ok || session === null) return answered;
      const counts = await countsForEarlier(request, answered.error, session);
      return counts ? answered : refuse(refusal("busy"));
    };
    // A read or a mere check is useless to a caller who has gone. A command is done.
    const hangUp =
      request.method === "GET" || early !== undefined ? context.value.hangUp : undefined;
    const result = await (session === null
      ? work()
      : atWork.run(session.id, { ...SESSIONS_TURNS, hangUp }, () =>
          atWork.run(session.memberId, { ...MEMBERS_TURNS, hangUp }, work),
        ));
    if (!result.ok) return sendProblem(reply, result.error, language);
    if (result.value instanceof PreparedReply) return sendPrepared(request, reply, result.value);
    if (options.checkReplies) call.declaration.reply.parse(result.value);
    return reply
      .header("cache-control", "no-store")
      .type("application/json; charset=utf-8")
      .send(JSON.stringify({ value: result.value }));
  };
}

/**
 * Its sender no longer waits, and may have been told by a repeat that nothing happened. Judged when
 * its turn has come: a process may hang with a request unread.
 */
function isTooLate({ headers }: FastifyRequest, clock: Clock): boolean {
  // An absent or invalid time is never late.
  const sentAt = Number.parseInt(String(headers[SENT_AT_HEADER]), 10);
  return Math.abs(clock.now() - sentAt) > SENT_AT_MAX_MS;
}

/** A large body is not read before its sender is known and has a place. */
function enterEarly<M extends MerchantLike, S extends SessionLike>(
  call: ServedCall,
  maxBytes: number,
  options: CallServerOptions<M, S>,
  uploads: Uploads,
) {
  return async (request: FastifyRequest, reply: FastifyReply, body: RequestPayload) => {
    const entered = await enter(call, request, options);
    const refused = "refused" in entered ? entered.refused : await placeOf(entered, request);
    if (refused === null) {
      request.entered = entered;
      return body;
    }
    await discardBody(request.raw);
    sendProblem(reply, refused, entered.language);
    return body;
  };

  /** Null once it has one. */
  async function placeOf(
    { writer }: Entered<M, S>,
    request: FastifyRequest,
  ): Promise<Refusal | null> {
    if (writer === null) throw new Error("a file is taken of players alone");
    try {
      request.place = await uploads.begin(writer, request.raw, maxBytes);
      return null;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      request.noted.cause = messageOf(error);
      return refusal("busy");
    }
  }
}

/** The handler's input for an admitted caller: path, query and body are parsed. */
async function read<M extends MerchantLike, S extends SessionLike>(
  { key, declaration }: ServedCall,
  request: FastifyRequest,
  reply: FastifyReply,
  { merchant, session, operator, language, regionClosed, full, writer }: Entered<M, S>,
  options: CallServerOptions<M, S>,
): Promise<Result<CallContext<Call, M, S>, Refusal>> {
  const params = parsePart(declaration.params, request.params, "");
  if (!params.ok) return params;
  const query = parsePart(declaration.query, request.query, "");
  if (!query.ok) return query;
  const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const body = await parseBody(key, declaration, request, rawBody, merchant, options);
  if (!body.ok) return body;

  return {
    ok: true,
    value: {
      params: params.value as ParamsOf<Call>, // parsed by the declaration's own schema
      query: query.value as QueryOf<Call>, // parsed by the declaration's own schema
      body: body.value as BodyOf<Call>, // parsed by the declaration's own schema
      merchant,
      // `enter` has refused a call that needs a session and has none.
      session: session as SessionOf<Call, S>,
      // `enter` has refused an operators' call without an operator.
      operator: operator as OperatorOf<Call>,
      language,
      address: request.sender.address,
      regionClosed,
      full,
      host: request.sender.host,
      hostname: request.sender.hostname,
      headers: request.headers,
      cookie: (name) => cookieOf(request, name, options.secure),
      rawBody,
      requestId: request.id,
      hasHungUp: () => request.raw.socket.destroyed,
      hangUp: hangUpOf(request.raw),
      roomForPicture: roomForPicture(writer, options.rateLimiter),
      setCookie: (name, value, cookie) => setCookie(reply, name, value, cookie, options.secure),
    },
  };
}

function parsePart(
  schema: Call["params"] | Call["body"],
  input: unknown,
  prefix: string,
): Result<unknown, Refusal> {
  if (schema === undefined) return { ok: true, value: undefined };
  if (isDeeperThan(input, DEPTH_MAX)) return { ok: false, error: refusal("malformed_body") };
  const parsed = schema.safeParse(input);
  if (parsed.success) {
    const field = unstorableField(parsed.data);
    if (field !== null) return { ok: false, error: fieldRefusal(field, "bad_format") };
    return { ok: true, value: parsed.data };
  }
  const fields = fieldFaults(parsed.error.issues, input, prefix);
  return { ok: false, error: refusal("invalid_input", { fields }) };
}

async function parseBody<M extends MerchantLike, S extends SessionLike>(
  key: string,
  declaration: Call,
  request: FastifyRequest,
  rawBody: Buffer,
  merchant: M,
  options: CallServerOptions<M, S>,
): Promise<Result<unknown, Refusal>> {
  if (declaration.upload !== undefined) return parseUpload(declaration.upload, request, rawBody);
  if (declaration.body === undefined) return { ok: true, value: undefined };
  if (isOfType(request, FILE)) return { ok: false, error: refusal("unsupported_media_type") };
  if (isOfType(request, FORM)) {
    if (declaration.form !== true) return { ok: false, error: refusal("unsupported_media_type") };
    const form = parseForm(rawBody);
    return form.ok ? parsePart(declaration.body, form.value, "") : form;
  }
  const json = parseJson(rawBody);
  if (!json.ok) return json;
  if (declaration.encrypted !== true) return parsePart(declaration.body, json.value, "");
  const sealed =
    typeof json.value === "object" && json.value !== null ? Reflect.get(json.value, "data") : null;
  const declared = String(request.headers["x-encryption"] ?? "");
  if (typeof sealed !== "string" || sealed.length > JWE_MAX_CHARS || !/^jwe\b/.test(declared)) {
    const fields = [{ field: "data", code: "bad_format" as const }];
    return { ok: false, error: refusal("invalid_input", { fields }) };
  }
  const opened = await options.openBody(merchant, key, sealed);
  if (!opened.ok) return opened;
  return parsePart(declaration.body, opened.value, "");
}

function parseJson(bytes: Buffer): Result<unknown, Refusal> {
  try {
    return { ok: true, value: JSON.parse(bytes.toString("utf8")) };
  } catch {
    return { ok: false, error: refusal("malformed_body") };
  }
}

/** The handler judges the bytes themselves. */
function parseUpload(
  { field }: NonNullable<Call["upload"]>,
  request: FastifyRequest,
  bytes: Buffer,
): Result<undefined, Refusal> {
  if (bytes.length === 0) return { ok: false, error: fieldRefusal(field, "required") };
  if (isOfType(request, FILE)) return { ok: true, value: undefined };
  return { ok: false, error: refusal("unsupported_media_type") };
}

function isOfType(request: FastifyRequest, type: string): boolean {
  return String(request.headers["content-type"] ?? "")
    .toLowerCase()
    .startsWith(type);
}

/** A field that comes twice is ambiguous. */
function parseForm(bytes: Buffer): Result<unknown, Refusal> {
  const fields = [...new URLSearchParams(bytes.toString("utf8"))];
  const value = Object.fromEntries(fields);
  if (Object.keys(value).length < fields.length) {
    return { ok: false, error: refusal("malformed_body") };
  }
  return { ok: true, value };
}

function sendPrepared(request: FastifyRequest, reply: FastifyReply, prepared: PreparedReply) {
  void reply.header("cache-control", "no-cache").header("etag", prepared.etag);
  if (request.headers["if-none-match"] === prepared.etag) return reply.code(304).send();
  return reply.type("application/json; charset=utf-8").send(prepared.bytes);
}

function sendProblem(reply: FastifyReply, refused: Refusal, language: string) {
  const problem = problemOf(refused, language, String(reply.request.id));
  return refuseWith(reply, refused)
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(problem));
}

/** Status and headers of a refusal, and its note in the log. */
function refuseWith(reply: FastifyReply, refused: Refusal): FastifyReply {
  reply.request.noted.code = refused.code;
  if (refused.retryAt !== undefined) {
    // As a date (RFC 9110, 10.2.3), in whole seconds and never too early.
    const seconds = Math.ceil(refused.retryAt / 1_000);
    void reply.header("retry-after", new Date(seconds * 1_000).toUTCString());
  } else if (refused.code === "busy") {
    void reply.header("retry-after", `${retryAfterS(String(reply.request.id))}`);
  } else if (refused.code === "maintenance") {
    void reply.header("retry-after", `${MAINTENANCE_RETRY_S}`);
  }
  return reply.code(REFUSALS[refused.code]).header("cache-control", "no-store");
}

/** A browser on its way to a page says so; a call is always answered in its own form. */
function wantsPage({ method, url, headers, routeOptions }: FastifyRequest): boolean {
  const reads = method === "GET" || method === "HEAD";
  const isCall = routeOptions.config?.moduleId !== undefined || url.startsWith("/api/");
  return reads && !isCall && /(^|[\s,])text\/html\b/.test(headers.accept ?? "");
}

/** One second or two: request ids end in random bytes, so refused callers come back spread out. */
function retryAfterS(requestId: string): number {
  return 1 + (requestId.charCodeAt(requestId.length - 1) % 2);
}

/** Logs what was thrown under the request's id; the caller sees only the refusal. */
function answerFault(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  refused: Refusal,
) {
  if (refused.code === "busy") request.noted.cause = messageOf(error);
  if (refused.code === "internal") request.log.error({ requestId: request.id, err: error });
  return sendFault(request, reply, refused);
}

/** For faults before or outside of a call's own answer. */
async function sendFault(request: FastifyRequest, reply: FastifyReply, refused: Refusal) {
  if (refused.code === "body_too_large") await discardBody(request.raw);
  if (wantsPage(request)) {
    const html = faultPage(refused, String(request.id));
    return refuseWith(reply, refused).type("text/html; charset=utf-8").send(html);
  }
  return sendProblem(reply, refused, languageOf(request, "EN"));
}

/**
 * Reads on for a while what is refused for its size. A caller that is still sending when its
 * connection is closed learns of that and not of the refusal. From one that has gone nothing comes.
 */
async function discardBody(request: IncomingMessage): Promise<void> {
  if (request.destroyed) return;
  let left = DISCARDED_MAX_BYTES;
  await new Promise<void>((done) => {
    const patience = setTimeout(done, DISCARDING_MAX_MS);
    request.on("data", (bytes: Buffer) => {
      left -= bytes.length;
      if (left < 0) done();
    });
    request.once("close", done).once("end", done).once("error", done);
    request.once("close", () => clearTimeout(patience));
    if (request.complete) done();
    request.resume();
  });
}

/** Names a file that is too large, with its limit. */
function uploadRefusal({ upload }: Call, error: unknown): Refusal {
  const refused = refusalOfError(error);
  if (refused.code !== "body_too_large" || upload === undefined) return refused;
  const { field, maxBytes } = upload;
  return { ...refused, fields: [{ field, code: "too_big", limit: `${maxBytes}` }] };
}

/** Fastify's own refusals in our words; anything unknown is a defect and says nothing outside. */
function refusalOfError(error: unknown): Refusal {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (isUnavailable(error)) return refusal("busy");
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return refusal("body_too_large");
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return refusal("unsupported_media_type");
  if (code === "FST_ERR_CTP_EMPTY_JSON_BODY") return refusal("malformed_body");
  if (status >= 400 && status < 500) return refusal("malformed_body");
  return refusal("internal");
}
