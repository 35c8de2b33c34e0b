import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Call, call } from "@perya/contract/call";
import { refusal } from "@perya/contract/refusal";
import { MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { manualClock, seededEntropy } from "../../../../../tests/server/fixtures.ts";
import { createLogger } from "../log.ts";
import { NoTurn } from "../turns.ts";
import { Unavailable } from "../unavailable.ts";
import { createHttpServer, serveCalls } from "./call-server.ts";
import { SESSION_COOKIE } from "./cookies.ts";
import { type CallServerOptions, type Handlers, type Operator, PreparedReply } from "./handlers.ts";
import { createMetrics } from "./metrics.ts";
import { openApiDocument } from "./openapi.ts";
import { localRateLimiter } from "./rate-limit.ts";

/** A contract of its own, as small as the platform allows, without any module of the product. */
const tiny = {
  "POST /echo/{place}": call({
    summary: "Answers what it was given",
    callers: ["visitor"],
    params: z.object({ place: z.string().max(20) }),
    query: z.object({ times: z.coerce.number().int().min(1).max(3).default(1) }),
    body: z.strictObject({
      name: z.string().min(2).max(5),
      stake: z.strictObject({ minor: z.string().regex(/^\d+$/) }),
    }),
    reply: z.object({ said: z.string() }),
  }),
  "GET /mine": call({
    summary: "For members",
    callers: ["member"],
    reply: z.object({ memberId: z.string() }),
  }),
  "GET /held": call({
    summary: "For members, and as long as the test has it",
    callers: ["member"],
    reply: z.object({}),
  }),
  "GET /rare": call({
    summary: "Twice a minute",
    callers: ["visitor"],
    reply: z.object({}),
    rate: { max: 2, windowMs: MINUTE_MS },
  }),
  "GET /rare/mine": call({
    summary: "Twice a minute, for members",
    callers: ["member"],
    reply: z.object({}),
    rate: { max: 2, windowMs: MINUTE_MS },
  }),
  "GET /no": call({
    summary: "Always refuses",
    callers: ["visitor"],
    reply: z.object({}),
    refusals: ["insufficient_funds"],
  }),
  "POST /mine/no": call({
    summary: "Always refuses a player",
    callers: ["member"],
    reply: z.object({}),
    refusals: ["odds_changed"],
  }),
  "GET /broken": call({ summary: "Throws", callers: ["visitor"], reply: z.object({}) }),
  "PUT /broken/file": call({
    summary: "Throws with a file in hand",
    callers: ["member"],
    upload: { field: "image", maxBytes: 1_000 },
    reply: z.object({}),
  }),
  "GET /busy": call({
    summary: "Finds no ledger",
    callers: ["visitor"],
    reply: z.object({}),
  }),
  "GET /full": call({ summary: "Has no room", callers: ["visitor"], reply: z.object({}) }),
  "GET /lost": call({
    summary: "Loses its database",
    callers: ["visitor"],
    reply: z.object({}),
  }),
  "GET /lies": call({
    summary: "Answers what it did not declare",
    callers: ["visitor"],
    reply: z.object({ count: z.number() }),
  }),
  "GET /prepared": call({
    summary: "The same bytes for all",
    callers: ["visitor"],
    reply: z.object({ list: z.array(z.string()) }),
  }),
  "POST /sealed": call({
    summary: "Takes a sealed body",
    callers: ["visitor"],
    encrypted: true,
    body: z.strictObject({ pin: z.string().length(4) }),
    reply: z.object({ pin: z.string() }),
  }),
  "POST /form": call({
    summary: "Takes a form as well",
    callers: ["visitor"],
    form: true,
    body: z.strictObject({ name: z.string().trim().min(2).max(5) }),
    reply: z.object({ name: z.string() }),
  }),
} as const satisfies Record<string, Call>;

interface Brand {
  readonly id: string;
  readonly defaultLanguage: string;
}
interface Who {
  readonly id: string;
  readonly merchantId: string;
  readonly memberId: string;
  readonly caller: "member" | "trial" | "agent";
  readonly type: number;
}

const STORAGE = "storage-half-of-maria";
const COOKIE = "cookie-half-of-maria";
/** Begins the names of her other sessions. */
const ELSEWHERE = "storage-half-in-a-wrong-hand";
const clock = manualClock();
const logged: string[] = [];
const observed: object[] = [];
let app: FastifyInstance;

let held = Promise.resolve();
let look = async () => true;

const prepared = new PreparedReply({ list: ["one"] });
const handlers: Handlers<typeof tiny, Brand, Who> = {
  "POST /echo/{place}": async ({ params, query, body }) =>
    ok({ said: `${body.name} at ${params.place}`.repeat(query.times) }),
  "GET /mine": async ({ session }) => ok({ memberId: session.memberId }),
  "GET /held": async () => {
    await held;
    return ok({});
  },
  "GET /rare": async () => ok({}),
  "GET /rare/mine": async () => ok({}),
  "GET /no": async () => refuse(refusal("insufficient_funds")),
  "POST /mine/no": async () => refuse(refusal("odds_changed")),
  "GET /broken": () => Promise.reject(new Error("the secret is 42")),
  "PUT /broken/file": () => Promise.reject(new Error("the secret is 42")),
  "GET /busy": () => Promise.reject(new Unavailable("no database")),
  "GET /full": () => Promise.reject(new NoTurn("too many wait")),
  "GET /lost": () => {
    const lost = new Error("terminating connection due to administrator command");
    return Promise.reject(Object.assign(lost, { code: "57P01" }));
  },
  // What a handler in plain JavaScript, or a row of the database, could answer.
  "GET /lies": async () => ok(JSON.parse('{"count":"many"}')),
  "GET /prepared": async () => ok(prepared),
  "POST /sealed": async ({ body }) => ok({ pin: body.pin }),
  "POST /form": async ({ body }) => ok({ name: body.name }),
};

const BRANDS = new Map([
  ["perya.test", "mer_1"],
  ["second.test", "mer_2"],
]);

const options: CallServerOptions<Brand, Who> = {
  log: createLogger({
    level: "error",
    destination: { write: (line) => void logged.push(line) },
  }),
  clock,
  entropy: seededEntropy("http"),
  trustProxy: false,
  secure: true,
  checkReplies: true,
  rateLimiter: localRateLimiter(clock),
  metrics: { observe: (answered) => void observed.push(answered) },
  regions: null,
  hasPaidIn: async () => false,
  isAtRest: async ({ memberId }) => memberId !== "mem_maria" || look(),
  operatorOf: async () => null,
  merchantOf: async (host) =>
    BRANDS.has(host) ? { id: BRANDS.get(host) ?? "", defaultLanguage: "TY" } : null,
  underMaintenance: () => false,
  isOn: () => true,
  sessionOf: async (_merchant, halves): Promise<Result<Who, ReturnType<typeof refusal>> | null> => {
    if (halves.storage === "storage-half-of-a-trial") {
      const trial = { id: "ses_trial", memberId: "mem_trial", caller: "trial" as const, type: 4 };
      return ok({ merchantId: "mer_1", ...trial });
    }
    if (halves.storage !== STORAGE && !halves.storage.startsWith(ELSEWHERE)) return null;
    if (halves.cookie !== COOKIE) return refuse(refusal("session_ended"));
    const maria = { memberId: "mem_maria", caller: "member" as const, type: 0 };
    return ok({ id: `ses_${halves.storage}`, merchantId: "mer_1", ...maria });
  },
  openBody: async (merchant, key, jwe) =>
    merchant.id === "mer_1" && key === "POST /sealed" && jwe === "sealed.1234"
      ? ok({ pin: "1234" })
      : refuse(refusal("stale_payload")),
};

beforeAll(async () => {
  app = await createHttpServer(options);
  app.get("/page/:name", async () => "a page");
  app.post("/page/:name", async () => "a page");
  app.get("/lost-page", () => Promise.reject(new Unavailable("no database")));
  serveCalls(app, tiny, handlers, options);
  await app.ready();
});

afterAll(() => app.close());

describe("a served contract", () => {
  it("refuses to start with a call without a handler, or a handler that nobody declared", async () => {
    const fresh = await createHttpServer(options);
    const { "GET /no": _, ...rest } = handlers;
    expect(() => serveCalls(fresh, tiny, rest, options)).toThrow(/without a handler: GET \/no/);
    const { "GET /no": __, ...fewer } = tiny;
    expect(() => serveCalls(fresh, fewer, handlers, options)).toThrow(/without a call: GET \/no/);
    await fresh.close();
  });

  it("answers a call with its value, parsed from path, query and body", async () => {
    const answer = await echo({ name: "Tess", stake: { minor: "100" } }, "?times=2");
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ value: { said: "Tess at perya".repeat(2) } });
    expect(answer.headers["cache-control"]).toBe("no-store");
  });

  it("belongs to a brand's host, and another host finds nothing", async () => {
    const answer = await get("/prepared", { host: "stranger.test" });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ code: "not_found" });
  });

  it("throws if a handler answers what was not declared", async () => {
    expect((await get("/lies")).statusCode).toBe(500);
  });

  it("serves prepared bytes with a tag, and no body to a caller who has them", async () => {
    const first = await get("/prepared");
    expect(first.json()).toEqual({ value: { list: ["one"] } });
    const etag = String(first.headers.etag);
    const again = await get("/prepared", { "if-none-match": etag });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
  });
});

it("a call under way knows whether its caller has hung up", async () => {
  const slow = {
    "POST /slow": call({
      summary: "Takes its time",
      callers: ["visitor"],
      body: z.strictObject({ name: z.string() }),
      reply: z.object({}),
    }),
  } as const satisfies Record<string, Call>;
  const found: boolean[] = [];
  let heard = () => {};
  let left = () => {};
  const fresh = await createHttpServer(options);
  const served: Handlers<typeof slow, Brand, Who> = {
    "POST /slow": async ({ hasHungUp, body }) => {
      found.push(hasHungUp());
      heard();
      if (body.name === "leaves") await vi.waitFor(() => expect(hasHungUp()).toBe(true), 20_000);
      found.push(hasHungUp());
      left();
      return ok({});
    },
  };
  serveCalls(fresh, slow, served, options);
  const { port } = new URL(await fresh.listen({ host: "127.0.0.1", port: 0 }));
  const send = (name: string) => {
    const body = JSON.stringify({ name });
    const headers = { host: "perya.test", "content-type": "application/json" };
    const sent = request({ host: "127.0.0.1", port, path: "/slow", method: "POST", headers });
    sent.on("error", () => undefined).end(body);
    return sent;
  };
  const stays = new Promise<void>((done) => {
    left = done;
  });
  send("stays").on("response", (answer) => answer.resume());
  await stays;
  expect(found).toEqual([false, false]);
  const begun = new Promise<void>((done) => {
    heard = done;
  });
  const gone = new Promise<void>((done) => {
    left = done;
  });
  const leaving = send("leaves");
  await begun;
  leaving.destroy();
  await gone;
  expect(found).toEqual([false, false, false, true]);
  await fresh.close();
});

describe("a call's module", () => {
  const rides = {
    "GET /api/v1/rides/open": call({
      summary: "Which rides are open",
      callers: ["visitor"],
      reply: z.object({}),
    }),
  } as const satisfies Record<string, Call>;
  const label = async (headers: Record<string, string>) => {
    const metrics = createMetrics();
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ level: "debug", destination });
    const served = { ...options, log, metrics: metrics.http };
    const fresh = await createHttpServer(served);
    serveCalls(fresh, rides, { "GET /api/v1/rides/open": async () => ok({}) }, served);
    const url = "/api/v1/rides/open";
    const answer = await fresh.inject({ url, headers: { host: "perya.test", ...headers } });
    await fresh.close();
    const counted = /request_seconds_count{([^}]*)}/.exec(await metrics.registry.metrics());
    const logged = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === "request");
    const counts = /module="([^"]*)"/.exec(counted?.[1] ?? "")?.[1];
    return { status: answer.statusCode, logs: logged.module, counts };
  };

  it("[G7-01] is read from its header into logs and metrics", async () => {
    const read = { status: 200, logs: "rides", counts: "rides" };
    expect(await label({ "x-module-id": "rides" })).toEqual(read);
  });

  it.each([
    ["none", {}],
    ["another's", { "x-module-id": "games" }],
    ["free text", { "x-module-id": '"} 1\u00e9'.padEnd(2_000, "x") }],
  ])("is `unknown` if %s is named, and the call is answered all the same", async (_, headers) => {
    expect(await label(headers)).toEqual({ status: 200, logs: "unknown", counts: "unknown" });
  });

  it("is in the OpenAPI document", () => {
    expect(openApiDocument(rides, "1").paths["/api/v1/rides/open"]).toMatchObject({
      get: {
        tags: ["rides"],
        parameters: [
          { name: "x-module-id", in: "header", required: false, schema: { const: "rides" } },
          { name: "x-sent-at", in: "header", required: false, schema: { type: "integer" } },
        ],
      },
    });
  });
});

describe("the sending time of a request", () => {
  const codeOf = async (sentAt: string | null) => {
    const headers = { host: "perya.test", ...(sentAt === null ? {} : { "x-sent-at": sentAt }) };
    const answer = await app.inject({ url: "/no", headers });
    return answer.json().code;
  };

  it("refuses it unheard if it is long ago, or still to come", async () => {
    const now = clock.now();
    for (const [agoMs, code] of [
      [0, "insufficient_funds"],
      [9_000, "insufficient_funds"],
      [11_000, "stale_payload"],
      [60_000, "stale_payload"],
      [-60_000, "stale_payload"],
    ] as const) {
      expect(await codeOf(`${now - agoMs}`), `${agoMs} ms ago`).toBe(code);
    }
  });

  it("refuses nothing if it is absent or no time", async () => {
    for (const given of [null, "", "yesterday"]) {
      expect(await codeOf(given), `${given}`).toBe("insufficient_funds");
    }
  });
});

describe("a refused command", () => {
  const refusalOf = async (headers: Record<string, string>) => {
    const cookie = `__Host-${SESSION_COOKIE}=${COOKIE}`;
    const hers = { host: "perya.test", authorization: `Bearer ${STORAGE}`, cookie, ...headers };
    const answer = await app.inject({ method: "POST", url: "/mine/no", headers: hers });
    return [answer.statusCode, answer.json().code];
  };

  afterEach(() => {
    look = async () => true;
  });

  it("is answered busy while something of its player's may be written and not visible yet", async () => {
    const sent = { "x-sent-at": `${clock.now()}` };
    expect(await refusalOf(sent)).toEqual([409, "odds_changed"]);
    look = async () => false;
    expect(await refusalOf(sent)).toEqual([503, "busy"]);
  });

  it("is checked in its player's turn, so that refusals delay nobody else's calls", async () => {
    let looks = 0;
    let most = 0;
    look = async () => {
      most = Math.max(most, ++looks);
      await new Promise((done) => setTimeout(done, 5));
      looks -= 1;
      return true;
    };
    const sent = { "x-sent-at": `${clock.now()}` };
    const answers = await Promise.all(Array.from({ length: 40 }, () => refusalOf(sent)));
    expect(new Set(answers.map(String))).toEqual(new Set(["409,odds_changed"]));
    expect(most).toBe(8);
  });

  it("keeps its own code if it was refused unheard, or has no id", async () => {
    look = async () => false;
    const late = { "x-sent-at": `${clock.now() - 60_000}` };
    expect(await refusalOf(late)).toEqual([400, "stale_payload"]);
    expect(await refusalOf({})).toEqual([409, "odds_changed"]);
  });
});

it("the OpenAPI document says what any call may answer when something is away", () => {
  const { paths } = openApiDocument(tiny, "1");
  expect(paths["/mine"]).toMatchObject({
    get: {
      responses: {
        "401": { description: "not_logged_in, session_ended" },
        "403": { description: "permission_denied, real_account_needed" },
        "503": { description: "busy, maintenance" },
      },
    },
  });
});

describe("an operators' call", () => {
  const duty = {
    "GET /api/v1/operator/duty": call({
      summary: "Who is on duty",
      callers: ["operator:deposits"],
      reply: z.object({ name: z.string() }),
      rate: { max: 2, windowMs: 60_000 },
    }),
  } as const satisfies Record<string, Call>;
  const people: Record<string, Operator> = {
    "token-of-ana-with-deposits": operator("opr_ana", ["deposits"]),
    "token-of-ben-with-deposits": operator("opr_ben", ["deposits"]),
    "token-of-cara-with-nothing": operator("opr_cara", ["audit"]),
  };

  function operator(id: string, permissions: Operator["permissions"]): Operator {
    return { id, merchantId: "mer_1", name: id, permissions, tokenHash: Buffer.alloc(32) };
  }

  async function open() {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const served = {
      ...options,
      log: createLogger({ level: "info", destination }),
      rateLimiter: localRateLimiter(clock),
      operatorOf: async (_brand: Brand, token: string) => people[token] ?? null,
    };
    const fresh = await createHttpServer(served);
    const handlersOf: Handlers<typeof duty, Brand, Who> = {
      "GET /api/v1/operator/duty": async ({ operator: { name } }) => ok({ name }),
    };
    serveCalls(fresh, duty, handlersOf, served);
    const ask = async (token: string) => {
      const headers = { host: "perya.test", authorization: `Bearer ${token}` };
      const answer = await fresh.inject({ url: "/api/v1/operator/duty", headers });
      return answer.json().code ?? answer.json().value.name;
    };
    return { ask, lines, close: () => fresh.close() };
  }

  it("is counted by operator, also at a shared address, and every one is logged", async () => {
    const { ask, lines, close } = await open();
    const [ana, ben] = ["token-of-ana-with-deposits", "token-of-ben-with-deposits"];
    const answers = [await ask(ana), await ask(ana), await ask(ana), await ask(ben)];
    expect(answers).toEqual(["opr_ana", "opr_ana", "rate_limited", "opr_ben"]);
    expect(await ask("token-of-cara-with-nothing")).toBe("permission_denied");
    const logged = lines.map((line) => JSON.parse(line)).filter((line) => "operator" in line);
    expect(logged.map((line) => [line.operator, line.may])).toEqual([
      ...["opr_ana", "opr_ana", "opr_ana", "opr_ben"].map((who) => [who, true]),
      ["opr_cara", false],
    ]);
    expect(lines.join()).not.toContain("token-of");
    await close();
  });

  it("refuses an address that tries tokens in turn", async () => {
    const { ask, close } = await open();
    for (let tries = 0; tries < 60; tries++) {
      expect(await ask(`made-up-token-number-${tries}`)).toBe("not_logged_in");
    }
    expect(await ask("made-up-token-number-60")).toBe("rate_limited");
    await close();
  });
});

describe("a form-encoded body", () => {
  const post = async (url: string, payload: string, type = "application/x-www-form-urlencoded") => {
    const headers = { host: "perya.test", "content-type": type };
    const answer = await app.inject({ method: "POST", url, headers, payload });
    return [answer.statusCode, answer.json().value ?? answer.json().code];
  };

  it("is read like JSON if the call takes one, and nowhere else", async () => {
    expect(await post("/form", "name=+Tess+")).toEqual([200, { name: "Tess" }]);
    expect(await post("/form", "name=%4Danu", "Application/X-WWW-Form-Urlencoded")).toEqual([
      200,
      { name: "Manu" },
    ]);
    expect(await post("/form", '{"name":"Tess"}', "application/json")).toEqual([
      200,
      { name: "Tess" },
    ]);
    expect(await post("/echo/perya", "name=Tess")).toEqual([415, "unsupported_media_type"]);
    expect(await post("/sealed", "data=sealed.1234")).toEqual([415, "unsupported_media_type"]);
  });

  it("must match the same schema, and has each field once", async () => {
    for (const bad of ["", "name=T", "name=Tess&more=1", "name=T%00ss"]) {
      expect(await post("/form", bad), bad).toEqual([400, "invalid_input"]);
    }
    expect(await post("/form", "name=Tess&name=Manu")).toEqual([400, "malformed_body"]);
    expect(await post("/form", "__proto__=1&name=Tess")).toEqual([400, "invalid_input"]);
  });
});

describe("a refusal", () => {
  it("is a problem in the caller's language, or the brand's if none is requested", async () => {
    const english = await get("/no", { "x-language": "EN" });
    expect(english.statusCode).toBe(409);
    expect(english.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(english.json()).toEqual({
      type: "/problems/insufficient_funds",
      code: "insufficient_funds",
      status: 409,
      title: "Not enough balance",
      detail: "Your balance is too low for this amount.",
      requestId: english.headers["x-request-id"],
    });
    const tagalog = (await get("/no", { "x-language": "TY" })).json();
    expect(tagalog.title).not.toBe(english.json().title);
    expect((await get("/no")).json().title).toBe(tagalog.title);
    for (const unknown of ["XX", "../../etc", "ty"]) {
      expect((await get("/no", { "x-language": unknown })).statusCode).toBe(409);
    }
  });

  it("names each field with its fault, its limit and a sentence", async () => {
    const answer = await echo(
      { name: "Tess the third", stake: { minor: "1.5" }, more: 1 },
      "?times=9",
      { "x-language": "EN" },
    );
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: "invalid_input", fields: [{ field: "times" }] });
    const body = (
      await echo({ name: "Tess the third", stake: { minor: "1.5" }, more: 1 }, "", {
        "x-language": "EN",
      })
    ).json();
    expect(body.fields).toEqual([
      { field: "name", code: "too_long", limit: "5", message: "At most 5 characters" },
      { field: "stake.minor", code: "bad_format", message: "The format is incorrect" },
      { field: "more", code: "unknown_field", message: expect.any(String) },
    ]);
    expect((await echo({ stake: { minor: 1 } })).json().fields).toMatchObject([
      { field: "name", code: "required" },
      { field: "stake.minor", code: "wrong_type" },
    ]);
    expect((await echo([])).json().fields).toMatchObject([{ field: "body", code: "wrong_type" }]);
  });

  it("stops a NUL and half a character at the edge, in body, query and path", async () => {
    const half = await echo({ name: "a\ud800b", stake: { minor: "1" } });
    expect(half.json()).toMatchObject({ fields: [{ field: "name", code: "bad_format" }] });
    const whole = await echo({ name: "a\u{1f3c0}b", stake: { minor: "1" } });
    expect(whole.statusCode).toBe(200);
    const body = await echo({ name: "a\u0000b", stake: { minor: "1" } });
    expect(body.json()).toMatchObject({ fields: [{ field: "name", code: "bad_format" }] });
    const path = await app.inject({
      method: "POST",
      url: "/echo/a%00b",
      headers: { host: "perya.test", "content-type": "application/json" },
      payload: '{"name":"Tess","stake":{"minor":"1"}}',
    });
    expect(path.json()).toMatchObject({ status: 400, fields: [{ field: "place" }] });
  });

  it("of a body that is nested too deeply is one of its form", async () => {
    const nested = (depth: number, opening: string, inner: string, closing: string) =>
      opening.repeat(depth) + inner + closing.repeat(depth);
    const bodies = [40, 5_000].flatMap((depth) => [
      nested(depth, "[", "", "]"),
      nested(depth, '{"a":', "1", "}"),
      `{"name":"Tess","stake":${nested(depth, "[", "", "]")}}`,
    ]);
    for (const payload of bodies) {
      const answer = await app.inject({
        method: "POST",
        url: "/echo/perya",
        headers: { host: "perya.test", "content-type": "application/json" },
        payload,
      });
      expect([answer.statusCode, answer.json().code]).toEqual([400, "malformed_body"]);
    }
  });

  it("stops a NUL in path, query and form of a page that is no call", async () => {
    const asked = ["/page/a%00b", "/page/ab?token=%00"];
    for (const url of asked) {
      const answer = await app.inject({ url, headers: { host: "perya.test" } });
      expect([answer.statusCode, answer.json().code]).toEqual([400, "invalid_input"]);
    }
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const headers = { host: "perya.test", ...form };
    for (const payload of ["key=%00", "key=%ff%00"]) {
      const answer = await app.inject({ method: "POST", url: "/page/ab", headers, payload });
      expect([answer.statusCode, answer.json().code]).toEqual([400, "invalid_input"]);
    }
    expect((await app.inject({ url: "/page/ab", headers })).statusCode).toBe(200);
  });

  it("of a body says whether it is too large, no JSON, of another kind, or missing", async () => {
    const large = await echo({ name: "x".repeat(70_000), stake: { minor: "1" } });
    expect([large.statusCode, large.json().code]).toEqual([413, "body_too_large"]);
    const post = async (payload: string | undefined, type: string) => {
      const answer = await app.inject({
        method: "POST",
        url: "/echo/perya",
        headers: { host: "perya.test", "content-type": type },
        ...(payload === undefined ? {} : { payload }),
      });
      expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
      return [answer.statusCode, answer.json().code];
    };
    expect(await post("{", "application/json")).toEqual([400, "malformed_body"]);
    expect(await post(undefined, "application/json")).toEqual([400, "malformed_body"]);
    expect(await post("name=Tess", "application/x-www-form-urlencoded")).toEqual([
      415,
      "unsupported_media_type",
    ]);
    expect(await post("hello", "text/plain")).toEqual([415, "unsupported_media_type"]);
  });

  it("for a defect in a call that takes a file is also logged under its request id", async () => {
    logged.length = 0;
    const answer = await app.inject({
      method: "PUT",
      url: "/broken/file",
      headers: {
        ...{ host: "perya.test", "content-type": "application/octet-stream" },
        ...{ authorization: `Bearer ${STORAGE}`, cookie: `__Host-${SESSION_COOKIE}=${COOKIE}` },
      },
      payload: Buffer.alloc(10),
    });
    expect([answer.statusCode, answer.json().code]).toEqual([500, "internal"]);
    const line = logged.find((one) => one.includes("the secret is 42"));
    expect(line).toContain(String(answer.headers["x-request-id"]));
  });

  it("for a defect says nothing of what broke, and logs it under its request id", async () => {
    logged.length = 0;
    const answer = await get("/broken", { "x-language": "EN" });
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain("42");
    expect(answer.json()).toMatchObject({ code: "internal", title: "Unknown error" });
    const lines = logged.join("");
    expect(lines).toContain("the secret is 42");
    expect(lines).toContain(String(answer.headers["x-request-id"]));
  });

  it("for an unreachable ledger is a 503 that says to try again", async () => {
    const answer = await get("/busy");
    expect([answer.statusCode, answer.json().code]).toEqual([503, "busy"]);
  });

  it("for work whose queue is full is a 503 that says when to come back", async () => {
    const answer = await get("/full");
    expect([answer.statusCode, answer.json().code]).toEqual([503, "busy"]);
    expect(["1", "2"]).toContain(answer.headers["retry-after"]);
  });

  it("for a database that is lost in the middle is a 503 busy that says when to come back", async () => {
    const afterS = new Set<number>();
    for (let i = 0; i < 20; i++) {
      const answer = await get("/lost");
      expect([answer.statusCode, answer.json().code]).toEqual([503, "busy"]);
      afterS.add(Number(answer.headers["retry-after"]));
    }
    expect([...afterS].sort()).toEqual([1, 2]);
  });
});

it("only a browser on its way to a page is refused by a page, in both languages", async () => {
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
  const from = (url: string, headers: Record<string, string>, method: "GET" | "POST" = "GET") =>
    app.inject({ method, url, headers: { host: "perya.test", ...headers } });
  const shown = await from("/lost-page", { accept });
  expect([shown.statusCode, shown.headers["cache-control"]]).toEqual([503, "no-store"]);
  expect(["1", "2"]).toContain(shown.headers["retry-after"]);
  expect(shown.headers["content-type"]).toMatch(/^text\/html/);
  expect(shown.body).toContain("Abala ang system");
  expect(shown.body).toContain("The system is busy");
  expect(shown.body).toContain('<a href="">Subukan ulit · Try again</a>');
  const broken = await from("/page/a%00b", { accept });
  expect([broken.statusCode, broken.body.includes("<!doctype html>")]).toEqual([400, true]);
  // It would be refused again, so the page leads only to home.
  expect(broken.body).toContain('<a href="/m/home"');
  expect(broken.body).not.toContain("Try again");
  const others = [
    await from("/lost-page", { accept: "*/*" }),
    await from("/lost", { accept }),
    await from("/%6cost", { accept }),
    await from("http://perya.test/lost", { accept }),
    await from("/lost-page", { accept: "application/x.text/html-no" }),
    await from("/page/a%00b", { accept }, "POST"),
  ];
  for (const { headers } of others) {
    expect(headers["content-type"]).toMatch(/^application\/problem\+json/);
  }
});

it("an unreadable address is refused, measured and noted as any other, and not repeated", async () => {
  observed.length = 0;
  const asked = [
    ["/page/%zz", "text/html", /^text\/html/],
    ["/page/%zz", "*/*", /^application\/problem\+json/],
    [`/page/${"x".repeat(300)}`, "*/*", /^application\/problem\+json/],
  ] as const;
  for (const [url, accept, type] of asked) {
    const answer = await app.inject({ url, headers: { host: "perya.test", accept } });
    expect(answer.statusCode, url).toBe(400);
    expect(answer.headers["content-type"]).toMatch(type);
    expect(answer.headers).toMatchObject({
      ...{ "cache-control": "no-store", "x-content-type-options": "nosniff" },
      ...{ "content-security-policy": expect.any(String), "x-request-id": expect.any(String) },
    });
    expect(answer.body).not.toMatch(/%zz|xxxx/);
  }
  const unknown = { method: "GET", route: "unknown", module: "unknown", status: 400 };
  await expect.poll(() => observed).toEqual([unknown, unknown, unknown]);
});

describe("the turns of calls", () => {
  /** The status of a call of Maria's in one of her sessions. */
  async function by(storage: string, url: string, more: Record<string, string> = {}) {
    const cookie = `__Host-${SESSION_COOKIE}=${COOKIE}`;
    const headers = { host: "perya.test", authorization: `Bearer ${storage}`, cookie, ...more };
    return (await app.inject({ url, headers })).statusCode;
  }

  it("of one session delay no other one of the member's, and a queue of a hundred is full", async () => {
    clock.advance(MINUTE_MS);
    let release = () => {};
    held = new Promise((done) => {
      release = done;
    });
    const flood = Array.from({ length: 108 }, () => by(ELSEWHERE, "/held"));
    expect(await by(ELSEWHERE, "/held")).toBe(503);
    expect(await by(STORAGE, "/mine")).toBe(200);
    release();
    expect(new Set(await Promise.all(flood))).toEqual(new Set([200]));
  });

  it("that were awaited too long are not begun", async () => {
    clock.advance(MINUTE_MS);
    let release = () => {};
    held = new Promise((done) => {
      release = done;
    });
    const flood = Array.from({ length: 8 }, () => by(STORAGE, "/held"));
    const late = by(STORAGE, "/mine", { "x-sent-at": `${clock.now()}` });
    await sleep(100);
    clock.advance(11_000);
    release();
    expect(await late).toBe(400);
    await Promise.all(flood);
  });

  it("are given up by a caller who hangs up while a read waits, and a command is done all the same", async () => {
    const slow = {
      "GET /slow": call({ summary: "Is read", callers: ["member"], reply: z.object({}) }),
      "POST /slow": call({ summary: "Is done", callers: ["member"], reply: z.object({}) }),
    } as const satisfies Record<string, Call>;
    const done: string[] = [];
    let letGo = () => {};
    const gate = new Promise<void>((go) => {
      letGo = go;
    });
    const handler = (name: string) => async () => {
      done.push(name);
      await gate;
      return ok({});
    };
    const fresh = await createHttpServer(options);
    const both = { "GET /slow": handler("GET"), "POST /slow": handler("POST") };
    serveCalls(fresh, slow, both, options);
    let heard = 0;
    fresh.addHook("preHandler", async () => void heard++);
    const { port } = new URL(await fresh.listen({ host: "127.0.0.1", port: 0 }));
    const cookie = `__Host-${SESSION_COOKIE}=${COOKIE}`;
    const headers = { host: "perya.test", authorization: `Bearer ${STORAGE}`, cookie };
    const send = (method: string) => {
      const sent = request({ host: "127.0.0.1", port, path: "/slow", method, headers });
      return sent.on("error", () => undefined).end();
    };
    for (let n = 0; n < 8; n++) send("GET");
    await expect.poll(() => done).toHaveLength(8);
    const leaving = [send("GET"), send("POST")];
    await expect.poll(() => heard).toBe(10);
    for (const one of leaving) one.destroy();
    const open = () => new Promise((told) => fresh.server.getConnections((_, n) => told(n)));
    await expect.poll(open).toBe(8);
    letGo();
    await fresh.close();
    expect(done.slice(8)).toEqual(["POST"]);
  });

  it("of all sessions of a member together are ten", async () => {
    clock.advance(MINUTE_MS);
    let release = () => {};
    held = new Promise((done) => {
      release = done;
    });
    const flood = [STORAGE, ELSEWHERE].flatMap((storage) =>
      Array.from({ length: 8 }, () => by(storage, "/held")),
    );
    const late = by(`${ELSEWHERE}-3`, "/mine");
    expect(await Promise.race([late, sleep(300)])).toBeUndefined();
    release();
    expect(await late).toBe(200);
    await Promise.all(flood);
  });
});

describe("the rates of calls", () => {
  /** The status of a call with a session of Maria's, or none. */
  async function bearing(storage: string | null, url: string, remoteAddress = "10.0.0.77") {
    const cookie = `__Host-${SESSION_COOKIE}=${COOKIE}`;
    const bearer = storage === null ? {} : { authorization: `Bearer ${storage}`, cookie };
    const headers = { host: "perya.test", ...bearer };
    return (await app.inject({ url, headers, remoteAddress })).statusCode;
  }

  it("are counted by address: the third call of two is told when to come back", async () => {
    const from = (remoteAddress: string) =>
      app.inject({ url: "/rare", headers: { host: "perya.test" }, remoteAddress });
    const first = clock.now();
    expect((await from("10.0.0.1")).statusCode).toBe(200);
    clock.advance(20_000);
    expect((await from("10.0.0.1")).statusCode).toBe(200);
    const third = await from("10.0.0.1");
    expect(third.statusCode).toBe(429);
    expect(third.json()).toMatchObject({ code: "rate_limited", retryAt: first + MINUTE_MS });
    expect(Date.parse(String(third.headers["retry-after"]))).toBe(first + MINUTE_MS);
    expect((await from("10.0.0.2")).statusCode).toBe(200);
    clock.set(first + MINUTE_MS);
    expect((await from("10.0.0.1")).statusCode).toBe(200);
  });

  it("count an IPv6 /64 as one caller, and a /48 as sixteen", async () => {
    const from = async (remoteAddress: string) =>
      (await app.inject({ url: "/rare", headers: { host: "perya.test" }, remoteAddress }))
        .statusCode;
    const all = [];
    for (const last of ["1", "2", "ffff"]) all.push(await from(`2001:db8:1:1::${last}`));
    expect(all).toEqual([200, 200, 429]);
    expect(await from("2001:db8:1:2::1")).toBe(200);
    expect([await from("10.0.0.44"), await from("::ffff:10.0.0.44")]).toEqual([200, 200]);
    expect(await from("10.0.0.44")).toBe(429);
    const wide = [];
    for (let block = 0; block < 40; block++) wide.push(await from(`2001:db8:2:${block}::1`));
    expect(wide.filter((status) => status === 200)).toHaveLength(32);
  });

  it("of one session of a member are not another's: a person who holds one does not shut the owner out", async () => {
    clock.advance(MINUTE_MS);
    for (let i = 0; i < 2; i++) expect(await bearing(ELSEWHERE, "/rare/mine")).toBe(200);
    for (let i = 0; i < 9; i++) expect(await bearing(ELSEWHERE, "/rare/mine")).toBe(429);
    expect(await bearing(STORAGE, "/rare/mine")).toBe(200);
  });

  it("of all sessions of a member together are four sessions', however many she opens", async () => {
    clock.advance(MINUTE_MS);
    const answers = [];
    for (let i = 0; i < 6; i++) {
      for (let n = 0; n < 2; n++) answers.push(await bearing(`${ELSEWHERE}-${i}`, "/rare/mine"));
    }
    expect(answers.filter((status) => status === 200)).toHaveLength(8);
    clock.advance(MINUTE_MS);
    expect(await bearing(STORAGE, "/rare/mine")).toBe(200);
  });

  it("of a call that is open to visitors are an address's, whatever sessions it carries", async () => {
    clock.advance(MINUTE_MS);
    expect(await bearing(STORAGE, "/rare")).toBe(200);
    expect(await bearing(`${ELSEWHERE}-1`, "/rare")).toBe(200);
    expect(await bearing(`${ELSEWHERE}-2`, "/rare")).toBe(429);
    expect(await bearing(null, "/rare")).toBe(429);
    expect(await bearing(STORAGE, "/rare", "10.0.0.78")).toBe(200);
  });

  it("of an open call without a rate of its own are also a player's: visitors at the address shut no player out", async () => {
    clock.advance(MINUTE_MS);
    for (let i = 0; i < 1_200; i++) await bearing(null, "/prepared");
    expect(await bearing(null, "/prepared")).toBe(429);
    for (let i = 0; i < 1_200; i++) await bearing(STORAGE, "/prepared");
    expect(await bearing(STORAGE, "/prepared")).toBe(429);
    expect(await bearing(ELSEWHERE, "/prepared")).toBe(200);
  });

  it("of one brand are not another's", async () => {
    const of = async (host: string) =>
      (await app.inject({ url: "/rare", headers: { host }, remoteAddress: "10.0.0.55" }))
        .statusCode;
    for (let i = 0; i < 2; i++) await of("perya.test");
    expect(await of("perya.test")).toBe(429);
    expect(await of("second.test")).toBe(200);
  });

  it("ignore an address that the caller wrote into a header", async () => {
    const codes = [];
    for (let i = 0; i < 3; i++) {
      const headers = { host: "perya.test", "x-forwarded-for": `1.2.3.${i}` };
      const answer = await app.inject({ url: "/rare", headers, remoteAddress: "10.0.0.9" });
      codes.push(answer.statusCode);
    }
    expect(codes).toEqual([200, 200, 429]);
  });
});

describe("the sessions of callers", () => {
  it("need both halves, and a caller of the right kind", async () => {
    const as = async (storage: string | null, cookie: string | null) => {
      const answer = await get("/mine", {
        ...(storage === null ? {} : { authorization: `Bearer ${storage}` }),
        ...(cookie === null ? {} : { cookie: `__Host-${SESSION_COOKIE}=${cookie}` }),
      });
      return answer.statusCode === 200 ? answer.json().value.memberId : answer.json().code;
    };
    expect(await as(STORAGE, COOKIE)).toBe("mem_maria");
    expect(await as(null, null)).toBe("not_logged_in");
    expect(await as(null, COOKIE)).toBe("not_logged_in");
    expect(await as(STORAGE, null)).toBe("session_ended");
    expect(await as("storage-half-of-nobody", COOKIE)).toBe("session_ended");
    expect(await as("storage-half-of-a-trial", null)).toBe("real_account_needed");
    expect(await as("short", COOKIE)).toBe("not_logged_in");
  });

  it("[A8-05] are demanded in the document's words, by a call that needs one and comes without", async () => {
    for (const bearer of [{}, { authorization: "Bearer short" }]) {
      const answer = await get("/mine", { ...bearer, "x-language": "EN" });
      const detail = "You are not logged in, please login first.";
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toMatchObject({ code: "not_logged_in", detail });
    }
  });

  it("that ended do not close what is open to visitors", async () => {
    const answer = await get("/prepared", { authorization: `Bearer ${STORAGE}` });
    expect(answer.statusCode).toBe(200);
  });
});

describe("sealed bodies", () => {
  it("are opened, and taken in no other form", async () => {
    const post = async (payload: unknown, encryption?: string) => {
      const answer = await app.inject({
        method: "POST",
        url: "/sealed",
        headers: {
          host: "perya.test",
          "content-type": "application/json",
          ...(encryption === undefined ? {} : { "x-encryption": encryption }),
        },
        payload: JSON.stringify(payload),
      });
      return answer.statusCode === 200 ? answer.json().value.pin : answer.json().code;
    };
    expect(await post({ data: "sealed.1234" }, "jwe; kid=1")).toBe("1234");
    expect(await post({ data: "sealed.9" }, "jwe; kid=1")).toBe("stale_payload");
    expect(await post({ data: "sealed.1234" })).toBe("invalid_input");
    expect(await post({ pin: "1234" }, "jwe; kid=1")).toBe("invalid_input");
    expect(await post({ pin: "1234" })).toBe("invalid_input");
    expect(await post({ data: "x".repeat(17_000) }, "jwe; kid=1")).toBe("invalid_input");
    expect(await post(null, "jwe; kid=1")).toBe("invalid_input");
  });
});

describe("every reply", () => {
  it("carries the security headers, also refusals and defects", async () => {
    for (const path of ["/prepared", "/no", "/broken", "/mine"]) {
      const { headers } = await get(path);
      expect(headers["content-security-policy"]).toContain("script-src 'self'");
      expect(headers["content-security-policy"]).not.toContain("unsafe-eval");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["x-frame-options"]).toBe("DENY");
      expect(headers["referrer-policy"]).toBe("strict-origin-when-cross-origin");
    }
  });

  it("names each request by an id of the server's own, whatever the caller calls it", async () => {
    for (const given of ["client-id_1234", "short", "x".repeat(65), "<script>alert(1)"]) {
      const answer = await get("/no", { "x-request-id": given });
      expect(answer.headers["x-request-id"]).toMatch(/^req_[0-9a-z]{26}$/);
      expect(answer.json().requestId).toBe(answer.headers["x-request-id"]);
    }
  });
});

function get(url: string, headers: Record<string, string> = {}) {
  return app.inject({ url, headers: { host: "perya.test", ...headers } });
}

function echo(payload: unknown, query = "", headers: Record<string, string> = {}) {
  return app.inject({
    method: "POST",
    url: `/echo/perya${query}`,
    headers: { host: "perya.test", "content-type": "application/json", ...headers },
    payload: JSON.stringify(payload),
  });
}
