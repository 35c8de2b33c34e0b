import type { Call, Caller } from "@perya/contract/call";
import { calls } from "@perya/contract/calls";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { DAY_MS, type Instant } from "@perya/kernel/instant";
import { ok, refuse } from "@perya/kernel/result";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { manualClock, seededEntropy } from "../../../../../tests/server/fixtures.ts";

import { createLogger } from "../log.ts";
import { createHttpServer, serveCalls } from "./call-server.ts";
import { SESSION_COOKIE } from "./cookies.ts";
import { takeFreePlay, takePicture, takeUnpaid, type Writer } from "./free-play.ts";
import { type Bound, localRateLimiter, type RateLimiter } from "./rate-limit.ts";

/** Calls of free play that change something and store little, however often they are made. */
const LITTLE_IS_KEPT = [
  "DELETE /api/v1/auth/logout",
  // One row per game.
  "POST /api/v1/member/favourites",
  "DELETE /api/v1/member/favourites",
  // They end a bet, once.
  "POST /api/v1/saranggola/cash-outs",
  "POST /api/v1/sports/cash-outs",
];
const FREE_PLAY_CALLS = Object.entries(calls).filter(
  ([key, { callers }]) =>
    !key.startsWith("GET ") && (callers as readonly Caller[]).includes("trial"),
);
/** Those that are no stake, which are limited per day in real play too. */
const UNPAID = Object.entries(calls).flatMap(([key, { kept }]: [string, Call]) =>
  kept === "row" || kept === "once" ? [key] : [],
);
const KEYS = FREE_PLAY_CALLS.map(([key]) => key).filter((key) => !LITTLE_IS_KEPT.includes(key));

const clock = manualClock();
let rates: RateLimiter;

beforeEach(() => {
  rates = localRateLimiter(clock);
});

describe("free play", () => {
  it("stakes five thousand times a day, from any address", async () => {
    const began = clock.now();
    expect(await refusedAt(4_999, { memberId: "ana" })).toBeNull();
    expect(await take({ memberId: "ana", address: "198.51.100.7" })).toBeNull();
    expect(await take({ memberId: "ana", address: "198.51.100.8" })).toBe(began + DAY_MS);
    clock.set(began + DAY_MS);
    expect(await take({ memberId: "ana" })).toBeNull();
  });

  it("stakes thirty thousand times a day at one address of a brand, however many accounts it has", async () => {
    for (let n = 0; n < 6; n++) expect(await refusedAt(5_000, { memberId: `mem_${n}` })).toBeNull();
    expect(await take({ memberId: "one more" })).toBe(clock.now() + DAY_MS);
    expect(await take({ memberId: "one more", address: "203.0.113.8" })).toBeNull();
    expect(await take({ memberId: "of another brand", merchantId: "second" })).toBeNull();
  });

  it("stakes as often in a /48 as at sixteen addresses", async () => {
    let taken = 0;
    for (let n = 0; n < 200; n++) {
      const address = `2001:db8:1:${n.toString(16)}::1`;
      for (let i = 0; i < 2_500; i++) {
        if ((await take({ memberId: `mem_${n}`, address })) === null) taken++;
      }
    }
    expect(taken).toBe(16 * 30_000);
  });

  it("is not shut out behind an unknown proxy", async () => {
    const address = "127.0.0.1";
    for (let n = 0; n < 7; n++) {
      expect(await refusedAt(5_000, { memberId: `mem_${n}`, address })).toBeNull();
    }
  });
});

describe("what a member writes without a stake", () => {
  it("is limited to a thousand rows a day, half of them by one session, from any address, and free play's count apart", async () => {
    const began = clock.now();
    expect(await refusedAt(5_000, { memberId: "ana" })).toBeNull();
    const write = (sessionId: string, address: string) =>
      takeUnpaid(rates, writer({ memberId: "ana", sessionId, address }));
    for (let i = 0; i < 500; i++) expect(await write("stolen", `198.51.100.${i % 250}`)).toBeNull();
    expect(await write("stolen", "203.0.113.9")).toBe(began + DAY_MS);
    for (let i = 0; i < 500; i++) expect(await write("own", `198.51.100.${i % 250}`)).toBeNull();
    expect(await write("third", "203.0.113.9")).toBe(began + DAY_MS);
    clock.set(began + DAY_MS);
    expect(await write("third", "203.0.113.9")).toBeNull();
  });

  it("is limited to a hundred thousand rows a day by those at one address of a brand who never paid in, which shuts out nobody who has", async () => {
    const at = (memberId: string, more: Partial<Writer> = {}) =>
      takeUnpaid(rates, writer({ memberId, sessionId: `${memberId} n`, ...more }));
    for (let n = 0; n < 100_000; n++) {
      expect(await at(`mem_${n % 200}`)).toBeNull();
    }
    expect(await at("one more")).toBe(clock.now() + DAY_MS);
    expect(await at("one who paid", { hasPaidIn: async () => true })).toBeNull();
    expect(await at("one more", { address: "203.0.113.8" })).toBeNull();
    expect(await at("one more", { merchantId: "second" })).toBeNull();
  });

  it("is limited to two hundred megabytes of pictures a day by those at one address who never paid in, which shuts out nobody who has", async () => {
    const send = (memberId: string, more: Partial<Writer> = {}) =>
      takePicture(rates, writer({ memberId, ...more }), 2 * 1024 * 1024);
    for (let n = 0; n < 100; n++) {
      expect(await send(`mem_${n}`, { sessionId: `ses_${n}` })).toBeNull();
    }
    expect(await send("one more")).toBe(clock.now() + DAY_MS);
    expect(await send("one who paid", { hasPaidIn: async () => true })).toBeNull();
    expect(await send("one more", { address: "203.0.113.8" })).toBeNull();
  });

  it("is limited to twenty megabytes of pictures a day by one session, which leaves its owner's others as much", async () => {
    const hasPaidIn = async () => true;
    const send = (sessionId: string) =>
      takePicture(rates, writer({ memberId: "ana", sessionId, hasPaidIn }), 2 * 1024 * 1024);
    for (let n = 0; n < 10; n++) expect(await send("stolen")).toBeNull();
    expect(await send("stolen")).toBe(clock.now() + DAY_MS);
    expect(await send("own")).toBeNull();
  });
});

describe("a refused picture", () => {
  const [TWO_MB, THREE_MB] = [2 * 1024 * 1024, 3 * 1024 * 1024];

  it("for its size uses up nothing of the day: a smaller one that fits is taken", async () => {
    const send = (bytes: number) => takePicture(rates, writer({ memberId: "ana" }), bytes);
    for (let n = 0; n < 9; n++) expect(await send(TWO_MB)).toBeNull();
    expect(await send(THREE_MB)).toBe(clock.now() + DAY_MS);
    expect(await send(300 * 1024)).toBeNull();
  });

  it("at its address leaves the session its share, and others there what is left", async () => {
    const send = (n: number, bytes: number, more: Partial<Writer> = {}) =>
      takePicture(rates, writer({ memberId: `mem_${n}`, sessionId: `ses_${n}`, ...more }), bytes);
    for (let n = 0; n < 99; n++) expect(await send(n, TWO_MB)).toBeNull();
    for (let n = 0; n < 9; n++) expect(await send(100, THREE_MB)).not.toBeNull();
    expect(await send(100, TWO_MB)).toBeNull();
    const paid = { hasPaidIn: async () => true };
    for (let n = 0; n < 6; n++) expect(await send(100, THREE_MB, paid)).toBeNull();
  });
});

describe("the calls of free play", () => {
  let app: FastifyInstance;
  /** Of free play's counts or members' writes; every other rate has room. */
  let retryAt: Instant | null;
  let counted: "free play " | "unpaid ";
  /** Calls whose work a handler did. */
  let written: number;

  beforeAll(async () => {
    const options = {
      log: createLogger({ level: "silent" }),
      clock,
      entropy: seededEntropy("free play"),
      trustProxy: false as const,
      secure: true,
      checkReplies: true,
      rateLimiter: {
        take: async (bounds: readonly Bound[]) =>
          bounds.some(({ subject }) => subject.startsWith(counted)) ? retryAt : null,
      },
      metrics: { observe: () => undefined },
      regions: null,
      isAtRest: async () => true,
      hasPaidIn: async () => false,
      operatorOf: async () => null,
      merchantOf: async () => ({ id: "mer_1", defaultLanguage: "TY" }),
      underMaintenance: () => false,
      isOn: () => true,
      sessionOf: async (_: unknown, { storage }: { storage: string }) => {
        const caller = storage.startsWith("trial") ? ("trial" as const) : ("member" as const);
        const type = caller === "trial" ? 4 : 0;
        return ok({ id: storage, merchantId: "mer_1", memberId: storage, caller, type });
      },
      openBody: async () => refuse(refusal("stale_payload")),
    };
    app = await createHttpServer(options);
    const bodyless = Object.fromEntries(
      KEYS.map((key) => {
        const { body: _, ...call }: Call = calls[key as keyof typeof calls];
        return [key, call];
      }),
    );
    const closed = Object.fromEntries(
      KEYS.map((key) => [
        key,
        async ({ full }: { full: Refusal | null }) => {
          if (full !== null) return refuse(full);
          written += 1;
          return refuse(refusal("busy"));
        },
      ]),
    );
    serveCalls(app, bodyless, closed, options);
  });

  afterAll(() => app?.close());

  it.each(KEYS)(
    "%s refuses more of it per day, says when to come again, and still takes real play",
    async (key) => {
      retryAt = clock.now() + 7 * 3_600_000;
      counted = "free play ";
      const free = await ask(key, "trial", "EN");
      expect(free).toMatchObject({ code: "rate_limited", retryAt });
      const inTagalog = await ask(key, "trial", "TY");
      expect(inTagalog).toMatchObject({ code: "rate_limited", retryAt });
      expect(inTagalog.detail).not.toBe(free.detail);
      expect((await ask(key, "member", "EN")).code).not.toBe("rate_limited");
      retryAt = null;
      expect((await ask(key, "trial", "EN")).code).not.toBe("rate_limited");
    },
  );

  it("include the calls by which members write without a stake", () => {
    expect(UNPAID).toEqual([
      "POST /api/v1/games/launch",
      "PUT /api/v1/feedback",
      "POST /api/v1/fairness/seed",
    ]);
    expect(KEYS).toEqual(expect.arrayContaining(UNPAID));
  });

  it.each(KEYS)(
    "%s writes nothing of a member without a stake beyond the day's limit",
    async (key) => {
      counted = "unpaid ";
      written = 0;
      retryAt = clock.now() + 7 * 3_600_000;
      const unpaid = UNPAID.includes(key);
      const answer = await ask(key, "member", "EN");
      expect([answer.code, written]).toEqual(unpaid ? ["rate_limited", 0] : ["busy", 1]);
      if (unpaid) expect(answer.retryAt).toBe(retryAt);
      // Free play has its own limit.
      expect((await ask(key, "trial", "EN")).code).toBe("busy");
    },
  );

  async function ask(key: string, who: string, language: string) {
    const [method = "", path = ""] = key.split(" ");
    const answer = await app.inject({
      method: method as "POST",
      url: path,
      headers: {
        host: "perya.test",
        authorization: `Bearer ${who}-storage-half-of-a-session`,
        cookie: `__Host-${SESSION_COOKIE}=cookie`,
        "x-language": language,
      },
    });
    return answer.json();
  }
});

/** When there is room again, if it was refused; null if all had room. */
async function refusedAt(
  count: number,
  player: { memberId: string; address?: string },
): Promise<Instant | null> {
  for (let i = 0; i < count; i++) {
    const retryAt = await take(player);
    if (retryAt !== null) return retryAt;
  }
  return null;
}

function take(player: { memberId: string; merchantId?: string; address?: string }) {
  return takeFreePlay(rates, { merchantId: "first", address: "203.0.113.7", ...player });
}

function writer(given: Partial<Writer> & { memberId: string }): Writer {
  const from = { merchantId: "first", address: "203.0.113.7", sessionId: "one" };
  return { ...from, hasPaidIn: async () => false, ...given };
}
