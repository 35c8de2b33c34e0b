import { type Call, call } from "@perya/contract/call";
import { refusal } from "@perya/contract/refusal";
import { MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { afterAll } from "vitest";
import { z } from "zod";
import { createHttpServer, serveCalls } from "../../apps/server/src/platform/http/call-server.ts";
import {
  type CallServerOptions,
  type Handlers,
  PreparedReply,
} from "../../apps/server/src/platform/http/handlers.ts";
import { localRateLimiter } from "../../apps/server/src/platform/http/rate-limit.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { NoTurn } from "../../apps/server/src/platform/turns.ts";
import { Unavailable } from "../../apps/server/src/platform/unavailable.ts";
import { manualClock, seededEntropy } from "./fixtures.ts";

/** A contract of its own, as small as the platform allows, without any module of the product. */
export const tiny = {
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
  "GET /busy": call({ summary: "Finds no ledger", callers: ["visitor"], reply: z.object({}) }),
  "GET /full": call({ summary: "Has no room", callers: ["visitor"], reply: z.object({}) }),
  "GET /lost": call({ summary: "Loses its database", callers: ["visitor"], reply: z.object({}) }),
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

export interface Brand {
  readonly id: string;
  readonly defaultLanguage: string;
}

export interface Who {
  readonly id: string;
  readonly merchantId: string;
  readonly memberId: string;
  readonly caller: "member" | "trial" | "agent";
  readonly type: number;
}

export const STORAGE = "storage-half-of-maria";

export const COOKIE = "cookie-half-of-maria";

/** Begins the names of her other sessions. */
export const ELSEWHERE = "storage-half-in-a-wrong-hand";

const BRANDS = new Map([
  ["perya.test", "mer_1"],
  ["second.test", "mer_2"],
]);

/** A server of the tiny contract, closed after the tests of the file that opens it. */
export async function openTinyServer() {
  const clock = manualClock();
  const logged: string[] = [];
  const observed: object[] = [];

  const now = {
    /** What `GET /held` waits for. */
    held: Promise.resolve(),
    /** Whether Maria's account is at rest. */
    look: async () => true,
  };

  const prepared = new PreparedReply({ list: ["one"] });
  const handlers: Handlers<typeof tiny, Brand, Who> = {
    "POST /echo/{place}": async ({ params, query, body }) =>
      ok({ said: `${body.name} at ${params.place}`.repeat(query.times) }),
    "GET /mine": async ({ session }) => ok({ memberId: session.memberId }),
    "GET /held": async () => {
      await now.held;
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

  const options: CallServerOptions<Brand, Who> = {
    log: createLogger({ level: "error", destination: { write: (line) => void logged.push(line) } }),
    clock,
    entropy: seededEntropy("http"),
    trustProxy: false,
    secure: true,
    checkReplies: true,
    rateLimiter: localRateLimiter(clock),
    metrics: { observe: (answered) => void observed.push(answered) },
    regions: null,
    hasPaidIn: async () => false,
    isAtRest: async ({ memberId }) => memberId !== "mem_maria" || now.look(),
    operatorOf: async () => null,
    merchantOf: async (host) =>
      BRANDS.has(host) ? { id: BRANDS.get(host) ?? "", defaultLanguage: "TY" } : null,
    underMaintenance: () => false,
    isOn: () => true,
    sessionOf: async (
      _merchant,
      halves,
    ): Promise<Result<Who, ReturnType<typeof refusal>> | null> => {
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

  const app = await createHttpServer(options);
  app.get("/page/:name", async () => "a page");
  app.post("/page/:name", async () => "a page");
  app.get("/lost-page", () => Promise.reject(new Unavailable("no database")));
  serveCalls(app, tiny, handlers, options);
  await app.ready();

  afterAll(() => app.close());

  return { app, clock, handlers, logged, now, observed, options, prepared };
}
