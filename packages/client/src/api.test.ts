import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import { type Api, createApi } from "./api.ts";
import { freshId } from "./ids.ts";
import {
  ApiRefusal,
  EmptyAddress,
  NetworkFailure,
  NotSent,
  SessionChanged,
  StrangeAnswer,
} from "./refused.ts";

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

type Reply = { status?: number; body: unknown } | "no network";
type Answer = (request: Sent) => Reply | Promise<Reply>;

/** How long a command waits for the server's clock. */
const CLOCK_WITHIN_MS = 4_000;

function createWorld(answer: Answer, isStandalone = true) {
  const sent: Sent[] = [];
  const ended: string[] = [];
  let token: string | null = "storage-half";
  let nowMs = 1_000_000;
  const limits: (() => void)[] = [];
  const api: Api = createApi({
    getSessionToken: () => token,
    getLanguage: () => "TY",
    isStandalone: () => isStandalone,
    onSessionEnded: (which) => {
      ended.push(which);
      token = null;
    },
    seal: async (plaintext, key) => `sealed to ${key.kid}: ${plaintext}`,
    now: () => nowMs,
    // A pause is over at once, a limit when the test lets it pass.
    wait: (ms) =>
      new Promise((over) => {
        if (ms < CLOCK_WITHIN_MS) over();
        else limits.push(over);
      }),
    fetch: async (input, init) => {
      const request: Sent = {
        method: init?.method ?? "GET",
        url: String(input),
        headers: new Headers(init?.headers),
        body: init?.body === null ? null : bodyOf(String(init?.body)),
      };
      sent.push(request);
      const reply = await answer(request);
      if (reply === "no network") throw new TypeError("fetch failed");
      return new Response(JSON.stringify(reply.body), { status: reply.status ?? 200 });
    },
  });
  const logIn = (half: string | null) => {
    token = half;
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  const passLimit = () => {
    nowMs += CLOCK_WITHIN_MS;
    for (const over of limits.splice(0)) over();
  };
  return { api, sent, ended, logIn, pass, passLimit };
}

/** What a server receives by HTTP, with the platform's own `fetch` and clock. */
async function received(
  {
    token = "storage-half",
    isStandalone = true,
  }: { token?: string | null; isStandalone?: boolean },
  ask: (api: Api) => Promise<unknown>,
) {
  const got: { method?: string; url?: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    got.push({ method, url, headers, body: await text(request) });
    response.end('{"value":{}}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const at = server.address();
  if (at === null || typeof at === "string") throw new Error("no port");
  try {
    await ask(
      createApi({
        baseUrl: `http://127.0.0.1:${at.port}`,
        getSessionToken: () => token,
        getLanguage: () => "TY",
        isStandalone: () => isStandalone,
        onSessionEnded: () => undefined,
        seal: async (plaintext) => plaintext,
      }),
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return got;
}

/** Calls a server that never answers, until the call is given up. */
function waiting(ask: (api: Api) => Promise<unknown>): Promise<unknown> {
  const api = createApi({
    getSessionToken: () => null,
    getLanguage: () => "TY",
    isStandalone: () => true,
    onSessionEnded: () => undefined,
    seal: async (plaintext) => plaintext,
    fetch: (_, init) =>
      new Promise((_answer, fail) => {
        init?.signal?.addEventListener("abort", () => fail(init.signal?.reason));
      }),
  });
  return ask(api);
}

/** A form stays the text that is sent. */
function bodyOf(text: string): unknown {
  return text.startsWith("{") ? JSON.parse(text) : text;
}

const problem = (code: string, status: number) => ({
  status,
  body: { type: `/problems/${code}`, code, status, title: code, detail: "Hindi.", requestId: "r" },
});
const deposit = () => ({
  id: freshId("deposit"),
  method: "perya-pay",
  amount: { minor: "50000", currency: "PHP" as const },
});

const JWK = { kty: "EC", crv: "P-256", x: "x", y: "y" };
const key = (kid: string) => ({
  body: { value: { kid, jwk: JWK, aud: "perya", now: 5_000_000 } },
});

describe("calls", () => {
  it("carry the session, the language and the device", async () => {
    const { api, sent } = createWorld(() => ({ body: { value: { games: [] } } }));
    await api.call("GET /api/v1/games", { query: { gameName: "a&b", pageNo: 2, vassalage: "" } });
    expect(sent[0]?.url).toBe("/api/v1/games?gameName=a%26b&pageNo=2&vassalage=");
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer storage-half");
    expect(sent[0]?.headers.get("x-language")).toBe("TY");
  });

  it.each([
    [true, "OTHERS"],
    [false, null],
  ])(
    "[A3-11] carry the header device only in standalone mode (%s), a log-in and every other",
    async (isStandalone, device) => {
      const answer: Answer = ({ url }) =>
        url.endsWith("-key") ? key("k1") : { body: { value: {} } };
      const { api, sent } = createWorld(answer, isStandalone);
      const body = { type: "username" as const, username: "maria", password: "lihim123" };
      await api.call("POST /api/v1/auth/login", { body });
      await api.call("GET /api/v1/games", { query: { gameName: "", vassalage: "" } });
      await api.command("POST /api/v1/cashier/deposits", deposit());
      expect(sent.map(({ url }) => url.split("?")[0])).toEqual([
        "/api/v1/encryption-key",
        "/api/v1/auth/login",
        "/api/v1/games",
        "/api/v1/cashier/deposits",
      ]);
      expect(new Set(sent.map(({ headers }) => headers.get("device")))).toEqual(new Set([device]));
    },
  );

  // The calls of games §7; the ping is not a call but a file, and its whole address is given.
  it.each([
    ["GET /api/v1/games", "games"],
    ["GET /api/v1/games/types", "games"],
    ["GET /api/v1/games/hot", "games"],
    ["POST /api/v1/games/launch", "games"],
    ["GET /api/v1/member/favourites", "member"],
    ["GET /api/v1/member/favourite-ids", "member"],
    ["POST /api/v1/member/favourites", "member"],
    ["DELETE /api/v1/member/favourites", "member"],
    ["GET /api/v1/member/recent-games", "member"],
    ["GET /api/v1/member/recent-games/add", "member"],
    ["GET /api/v1/member/wallet", "member"],
    ["GET /api/v1/lottery/menus", "lottery"],
    ["GET /api/v1/lottery/list", "lottery"],
    ["GET /api/v1/lottery/vietnam", "lottery"],
    ["GET /api/v1/lottery/numero", "lottery"],
    ["GET /api/v1/lottery/popular-games", "lottery"],
    ["GET /api/v1/lottery/popular-numbers", "lottery"],
    ["GET /api/v1/lottery/winners", "lottery"],
    ["GET /api/v1/vendors", "vendors"],
    ["GET /api/v1/announcements", "announcements"],
    ["POST /api/v1/announcements/read", "announcements"],
    ["GET /api/v1/agent/announcements", "agent"],
    ["GET /api/v1/agent/team-kpi", "agent"],
    ["GET /api/v1/agent/contract-info", "agent"],
    ["GET /api/v1/agent/contract-requests/daily-salary", "agent"],
    ["GET /api/v1/agent/contract-requests/dividend", "agent"],
    ["GET /api/v1/inbox/unread", "inbox"],
    ["GET /api/v1/status", "status"],
    ["GET /api/v1/service-link", "service-link"],
    ["GET /api/v1/live-models", "live-models"],
    ["GET /api/v1/domain-routes", "domain-routes"],
    ["DELETE /api/v1/auth/logout", "auth"],
  ] as const)("[G7-01] %s carries its module's id", async (key, id) => {
    const { api, sent } = createWorld(() => ({ body: { value: {} } }));
    // The call's other parts do not matter here.
    await (api.call as (key: string) => Promise<unknown>)(key);
    expect(sent.map(({ headers }) => headers.get("x-module-id"))).toEqual([id]);
  });

  it("put path parameters in their place", async () => {
    const { api, sent } = createWorld(() => ({ body: { value: {} } }));
    await api.call("GET /api/v1/games/{nodeId}", { params: { nodeId: 7 } });
    expect(sent[0]?.url).toBe("/api/v1/games/7");
  });

  it("[A8-02] without their whole address are not sent, because a shorter one may be another call", async () => {
    const { api, sent } = createWorld(() => ({ body: { value: {} } }));
    const params = { id: "" };
    const ended = api.call("DELETE /api/v1/member/sessions/{id}", { params });
    await expect(ended).rejects.toBeInstanceOf(EmptyAddress);
    expect(sent).toEqual([]);
  });

  it("travel as a form where the contract says so", async () => {
    const { api, sent } = createWorld(() => ({ body: { value: { sent: true } } }));
    const body = { username: "maria", email: "maria+1@example.com" };
    await api.call("POST /api/v1/auth/forgot-password", { body });
    expect(sent[0]?.headers.get("content-type")).toBe("application/x-www-form-urlencoded");
    expect(sent[0]?.body).toBe("username=maria&email=maria%2B1%40example.com");
  });

  it("turn a refusal into ApiRefusal with the problem", async () => {
    const { api } = createWorld(() => problem("insufficient_funds", 409));
    const refused = await api.call("GET /api/v1/member/wallet").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiRefusal);
    expect(refused).toMatchObject({ problem: { code: "insufficient_funds" }, message: "Hindi." });
  });

  it.each(["session_ended", "not_logged_in"])(
    "report once that the session has ended, with the token that ended (%s)",
    async (code) => {
      const { api, ended } = createWorld(() => problem(code, 401));
      await expect(api.call("GET /api/v1/member/wallet")).rejects.toBeInstanceOf(ApiRefusal);
      await expect(api.call("GET /api/v1/member/wallet")).rejects.toBeInstanceOf(ApiRefusal);
      expect(ended).toEqual(["storage-half"]);
    },
  );

  it("report no session's end where none existed, or after another refusal", async () => {
    const { api, ended, logIn } = createWorld(() =>
      problem(sent.length > 0 ? "session_ended" : "maintenance", 401),
    );
    const sent: string[] = [];
    await expect(api.call("GET /api/v1/member/wallet")).rejects.toBeInstanceOf(ApiRefusal);
    sent.push("once");
    logIn(null);
    await expect(api.call("GET /api/v1/member/wallet")).rejects.toBeInstanceOf(ApiRefusal);
    expect(ended).toEqual([]);
  });

  it("are read again once when the network fails, then give up", async () => {
    const { api, sent } = createWorld(() => "no network");
    await expect(api.call("GET /api/v1/status")).rejects.toBeInstanceOf(NetworkFailure);
    expect(sent).toHaveLength(2);
  });

  it("are not repeated under another session than the asking one", async () => {
    const { api, sent, logIn } = createWorld(() => {
      logIn("boyet's");
      return "no network";
    });
    await expect(api.call("GET /api/v1/member/wallet")).rejects.toBeInstanceOf(SessionChanged);
    expect(sent).toHaveLength(1);
  });

  it("of a visitor are repeated even if a session began meanwhile", async () => {
    const { api, sent, logIn } = createWorld(() => {
      if (sent.length > 1) return { body: { value: {} } };
      logIn("maria's");
      return "no network";
    });
    logIn(null);
    await api.call("GET /api/v1/status");
    expect(sent).toHaveLength(2);
  });

  it.each([
    [502, "<html>Bad gateway</html>"],
    [200, "Welcome to this hotel's network"],
    [200, null],
    [200, {}],
    [500, { value: {} }],
    [403, { code: 1, detail: "Blocked." }],
    [403, { code: "blocked", detail: null }],
    [403, { code: "blocked" }],
    [403, { detail: "Blocked." }],
  ])(
    "treat an answer that is not ours as a failure of the network in between (%i %j)",
    async (status, body) => {
      const { api } = createWorld(() => ({ status, body }));
      const failed = api.call("DELETE /api/v1/auth/logout");
      await expect(failed).rejects.toBeInstanceOf(StrangeAnswer);
      await expect(failed).rejects.toMatchObject({ slow: false });
    },
  );

  it("carry no session, device or body where none exists", async () => {
    const sent = await received({ token: null, isStandalone: false }, (api) =>
      api.call("GET /api/v1/status"),
    );
    expect(sent.map(({ method, body }) => [method, body])).toEqual([["GET", ""]]);
    const { headers } = sent[0] ?? {};
    const named = ["authorization", "device", "content-type", "x-encryption", "x-sent-at"];
    expect(named.filter((name) => headers?.[name] !== undefined)).toEqual([]);
  });

  it("carry a body as JSON, a file as its bytes, and no absent part of a query", async () => {
    const type = "image/png";
    const sent = await received({}, async (api) => {
      await api.call("POST /api/v1/games/launch", { body: { vendor: "BGS", nodeId: 1 } });
      const file = new Blob(["bytes"], { type });
      await api.call("PUT /api/v1/promotions/uploads/{id}", { params: { id: "upl_1" }, file });
      await api.call("GET /api/v1/games", { query: { gameName: "a", merchant: undefined } });
    });
    expect(sent.map(({ headers, body, url }) => [url, headers["content-type"], body])).toEqual([
      ["/api/v1/games/launch", "application/json", '{"vendor":"BGS","nodeId":1}'],
      ["/api/v1/promotions/uploads/upl_1", "application/octet-stream", "bytes"],
      ["/api/v1/games?gameName=a", undefined, ""],
    ]);
  });

  it("end at their caller's signal, which is no failure of the network", async () => {
    const stop = new AbortController();
    const { api, sent } = createWorld(() => {
      stop.abort();
      return "no network";
    });
    const ended = api.call("GET /api/v1/status", { signal: stop.signal });
    await expect(ended).rejects.not.toBeInstanceOf(NetworkFailure);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ["a call", 15_000, (api: Api) => api.call("DELETE /api/v1/auth/logout")],
    [
      "a file",
      30_000,
      (api: Api) => {
        const file = new Blob(["bytes"]);
        return api.call("PUT /api/v1/promotions/uploads/{id}", { params: { id: "upl_1" }, file });
      },
    ],
  ])("are given up as slow when %s has no answer for %i ms", async (_, limitMs, ask) => {
    const limits: { ms: number; end: () => void }[] = [];
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      const stop = new AbortController();
      limits.push({ ms, end: () => stop.abort(new DOMException("late", "TimeoutError")) });
      return stop.signal;
    });
    try {
      const failed = waiting(ask);
      await vi.waitFor(() => expect(limits.map(({ ms }) => ms)).toEqual([limitMs]), 20_000);
      limits[0]?.end();
      await expect(failed).rejects.toBeInstanceOf(NetworkFailure);
      await expect(failed).rejects.toMatchObject({ slow: true });
    } finally {
      vi.restoreAllMocks();
    }
  });
});

describe("commands", () => {
  it("with an id of the caller's are sent once, because the caller knows when to send again", async () => {
    const { api, sent } = createWorld(() => "no network");
    api.alignClock(5_000_000);
    const lost = api.command("POST /api/v1/cashier/deposits", deposit());
    await expect(lost).rejects.toBeInstanceOf(NetworkFailure);
    // It may have arrived.
    await expect(lost).rejects.not.toBeInstanceOf(NotSent);
    expect(sent).toHaveLength(1);
  });

  it("without an id are never repeated silently", async () => {
    const { api, sent } = createWorld(() => "no network");
    const launch = api.call("POST /api/v1/games/launch", { body: { vendor: "BGS", nodeId: 1 } });
    await expect(launch).rejects.toBeInstanceOf(NetworkFailure);
    expect(sent).toHaveLength(1);
  });

  it("are not repeated after a refusal", async () => {
    const { api, sent } = createWorld(() => problem("too_many_open", 409));
    api.alignClock(5_000_000);
    const refused = api.command("POST /api/v1/cashier/deposits", deposit());
    await expect(refused).rejects.toBeInstanceOf(ApiRefusal);
    expect(sent).toHaveLength(1);
  });

  it("carry their send time by the server's clock, which is read first where it is unknown", async () => {
    const { api, sent } = createWorld(({ url }) =>
      url.endsWith("-key") ? key("k") : { body: { value: {} } },
    );
    await api.command("POST /api/v1/cashier/deposits", deposit());
    await api.command("POST /api/v1/cashier/deposits", deposit());
    expect(sent.map(({ url }) => url)).toEqual([
      "/api/v1/encryption-key",
      "/api/v1/cashier/deposits",
      "/api/v1/cashier/deposits",
    ]);
    const sentAt = sent.map(({ headers }) => headers.get("x-sent-at"));
    expect(sentAt).toEqual([null, "5000000", "5000000"]);
  });

  it("are not sent where the server's clock cannot be read, or is read late", async () => {
    let isLate = false;
    const { api, sent, pass } = createWorld(({ url }) => {
      if (!url.endsWith("-key")) return { body: { value: {} } };
      if (!isLate) return "no network";
      pass(6_000);
      return key("k");
    });
    const commands = () => sent.filter(({ url }) => url.endsWith("/deposits"));
    const ask = () => api.command("POST /api/v1/cashier/deposits", deposit());
    await expect(ask()).rejects.toBeInstanceOf(NotSent);
    isLate = true;
    // The server would see it as younger than the page's own record of it.
    await expect(ask()).rejects.toMatchObject({ name: "NotSent", slow: true });
    expect(commands()).toEqual([]);
    await ask();
    expect(commands()).toHaveLength(1);
  });

  it("are sent by a clock that was read within its time limit, and not a moment later", async () => {
    for (const [tookMs, isSent] of [
      [CLOCK_WITHIN_MS, true],
      [CLOCK_WITHIN_MS + 1, false],
    ] as const) {
      const { api, sent, pass } = createWorld(({ url }) => {
        if (url.endsWith("-key")) pass(tookMs);
        return url.endsWith("-key") ? key("k") : { body: { value: {} } };
      });
      await api.command("POST /api/v1/cashier/deposits", deposit()).catch(() => undefined);
      expect(sent.some(({ url }) => url.endsWith("/deposits"))).toBe(isSent);
    }
  });

  it("are given up when the server's clock is not read in time, and use it once it is", async () => {
    let arrive: (reply: Reply) => void = () => undefined;
    const late = new Promise<Reply>((arrives) => {
      arrive = arrives;
    });
    const { api, sent, passLimit } = createWorld(({ url }) =>
      url.endsWith("-key") ? late : { body: { value: {} } },
    );
    const ask = () => api.command("POST /api/v1/cashier/deposits", deposit());
    const given = ask();
    passLimit();
    await expect(given).rejects.toMatchObject({ name: "NotSent", slow: true });
    arrive(key("k"));
    await expect.poll(() => api.serverNow()).toBe(5_000_000);
    await ask();
    expect(sent.map(({ url }) => url)).toEqual([
      "/api/v1/encryption-key",
      "/api/v1/cashier/deposits",
    ]);
  });

  it("from a phone with a wrong clock are sent once more by the server's current clock", async () => {
    const { api, sent } = createWorld(({ url, headers }) => {
      if (url.endsWith("-key")) return key("k");
      const inTime = headers.get("x-sent-at") === "5000000";
      return inTime ? { body: { value: {} } } : problem("stale_payload", 400);
    });
    api.alignClock(1_000);
    await api.command("POST /api/v1/cashier/deposits", deposit());
    const [first, , second] = sent;
    expect(sent).toHaveLength(3);
    expect(second?.body).toEqual(first?.body);
  });

  it.each([
    ["the clock ran off", 5_000_000, ["/api/v1/cashier/deposits", "/api/v1/encryption-key"]],
    ["the clock is not known", null, ["/api/v1/encryption-key"]],
  ])("of one session are never sent under another that began while %s", async (_, at, urls) => {
    const { api, sent, logIn } = createWorld(({ url }) => {
      if (!url.endsWith("-key")) return problem("stale_payload", 400);
      logIn("boyet's");
      return key("k");
    });
    if (at !== null) api.alignClock(at);
    const ended = api.command("POST /api/v1/cashier/deposits", deposit());
    await expect(ended).rejects.toBeInstanceOf(SessionChanged);
    expect(sent.map(({ url }) => url)).toEqual(urls);
  });
});

describe("sealed bodies", () => {
  const login = { type: "username" as const, username: "maria", password: "lihim123" };
  const session = { body: { value: { token: "t", userName: "maria" } } };

  it("hold a fresh nonce, the server's time, the brand and the call, and nothing in the clear", async () => {
    const { api, sent } = createWorld(({ url }) => (url.endsWith("-key") ? key("k1") : session));
    await api.call("POST /api/v1/auth/login", { body: login });
    await api.call("POST /api/v1/auth/login", { body: login });
    const logins = sent.filter(({ url }) => url.endsWith("/login"));
    expect(logins).toHaveLength(2);
    expect(logins[0]?.headers.get("x-encryption")).toBe("jwe; kid=k1");
    const plain = logins.map(({ body }) => {
      const { data } = body as { data: string };
      expect(Object.keys(body as object)).toEqual(["data"]);
      return JSON.parse(data.replace("sealed to k1: ", ""));
    });
    expect(plain[0]).toEqual({
      nonce: expect.stringMatching(/^[A-Za-z0-9_-]{22,}$/),
      at: 5_000_000,
      aud: "perya",
      call: "POST /api/v1/auth/login",
      body: login,
    });
    expect(plain[0].nonce).not.toBe(plain[1].nonce);
  });

  it("are sealed again, once, when the key or the clock was stale", async () => {
    let keys = 0;
    const { api, sent } = createWorld(({ url }) => {
      if (url.endsWith("-key")) return key(`k${++keys}`);
      return keys === 1 ? problem("stale_payload", 400) : session;
    });
    await api.call("POST /api/v1/auth/login", { body: login });
    expect(sent.map(({ headers }) => headers.get("x-encryption"))).toEqual([
      null,
      "jwe; kid=k1",
      null,
      "jwe; kid=k2",
    ]);
  });

  it("of one session, or of a visitor, are never sent under another that began meanwhile", async () => {
    const proof = { paymentPassword: "lihim123" };
    for (const [half, keysBefore] of [
      ["maria's", 0],
      ["maria's", 1],
      [null, 0],
    ] as const) {
      let keys = 0;
      const { api, sent, logIn } = createWorld(({ url }) => {
        if (!url.endsWith("-key")) return problem("stale_payload", 400);
        if (keys++ === keysBefore) logIn("boyet's");
        return key("k");
      });
      logIn(half);
      const ended = api.call("POST /api/v1/member/payment-proof", { body: proof as never });
      await expect(ended).rejects.toBeInstanceOf(SessionChanged);
      const proofs = sent.filter(({ url }) => url.endsWith("/payment-proof"));
      expect(proofs).toHaveLength(keysBefore);
    }
  });

  it("fail after the second stale answer", async () => {
    const { api, sent } = createWorld(({ url }) =>
      url.endsWith("-key") ? key("k") : problem("stale_payload", 400),
    );
    const refused = api.call("POST /api/v1/auth/login", { body: login });
    await expect(refused).rejects.toMatchObject({ problem: { code: "stale_payload" } });
    expect(sent).toHaveLength(4);
  });
});
