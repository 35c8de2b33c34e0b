import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Call, call } from "@perya/contract/call";
import { MINUTE_MS } from "@perya/kernel/instant";
import { ok } from "@perya/kernel/result";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  COOKIE,
  ELSEWHERE,
  openTinyServer,
  STORAGE,
} from "../../../../../tests/server/tiny-server.ts";
import { createHttpServer, serveCalls } from "./call-server.ts";
import { SESSION_COOKIE } from "./cookies.ts";

const world = await openTinyServer();
const { app, clock, logged, observed, options } = world;

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
    world.now.held = new Promise((done) => {
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
    world.now.held = new Promise((done) => {
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
    world.now.held = new Promise((done) => {
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
