import { request } from "node:http";
import { type Call, call } from "@perya/contract/call";
import { ok } from "@perya/kernel/result";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  type Brand,
  COOKIE,
  openTinyServer,
  STORAGE,
  tiny,
  type Who,
} from "../../../../../tests/server/tiny-server.ts";
import { createLogger } from "../log.ts";
import { createHttpServer, serveCalls } from "./call-server.ts";
import { SESSION_COOKIE } from "./cookies.ts";
import type { Handlers, Operator } from "./handlers.ts";
import { createMetrics } from "./metrics.ts";
import { openApiDocument } from "./openapi.ts";
import { localRateLimiter } from "./rate-limit.ts";

const world = await openTinyServer();
const { app, clock, handlers, options } = world;

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
    world.now.look = async () => true;
  });

  it("is answered busy while something of its player's may be written and not visible yet", async () => {
    const sent = { "x-sent-at": `${clock.now()}` };
    expect(await refusalOf(sent)).toEqual([409, "odds_changed"]);
    world.now.look = async () => false;
    expect(await refusalOf(sent)).toEqual([503, "busy"]);
  });

  it("is checked in its player's turn, so that refusals delay nobody else's calls", async () => {
    let looks = 0;
    let most = 0;
    world.now.look = async () => {
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
    world.now.look = async () => false;
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
