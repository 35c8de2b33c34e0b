import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import {
  type Caller,
  freshId,
  type Received,
  type RunningServer,
  sealBody,
  sendTo,
  startServer,
  VISITOR,
} from "../api/running-server.ts";
import { makeBrand } from "./fixtures.ts";

/**
 * Two brands on one installation and one database. Maria plays with the demo brand and has all
 * kinds of rows there; Tess plays with the other one. Neither's session reads the other's.
 */
const HERE = "localhost";
const THERE = "fiesta.test";
const MEMBER_READS = Object.entries<Call>(calls).filter(
  ([key, { callers }]) => key.startsWith("GET ") && callers.includes("member"),
);

let server: RunningServer;
let maria: Caller;
let tess: Caller;

beforeAll(async () => {
  server = await startServer();
  await makeBrand(server.database.pool, systemClock, { hosts: [THERE] });
  maria = await logIn(HERE, "maria", "Fiesta2026");
  const registered = await sealed(THERE, "PUT", "/api/v1/auth/register", {
    username: "tess_there",
    password: "Fiesta2026",
    confirmPassword: "Fiesta2026",
    registerMethod: "H5",
    type: 0,
    agreed: true,
  });
  expect(registered.status).toBe(200);
  tess = await logIn(THERE, "tess_there", "Fiesta2026");
  const amount = { minor: "10000", currency: "PHP" };
  const paid = { method: "gwallet", amount };
  const rows: [path: string, body: unknown][] = [
    ["cashier/deposits", { id: freshId("deposit"), ...paid }],
    ["cashier/withdrawals", { id: freshId("withdrawal"), destination: "09171234567", ...paid }],
    ["rounds", { id: freshId("round"), gameId: "color-game", choices: { bets: { red: "100" } } }],
  ];
  for (const [path, body] of rows) {
    expect((await send(HERE, "POST", `/api/v1/${path}`, maria, body)).status, path).toBe(200);
  }
}, 120_000);

afterAll(() => server?.stop());

describe("two brands on one database", () => {
  it("open their own members' sessions, and none of the other's", async () => {
    for (const [key] of MEMBER_READS) {
      const path = key.slice(4).replace("{id}", freshId("round"));
      for (const [host, caller] of [
        [THERE, maria],
        [HERE, tess],
      ] as const) {
        const answer = await send(host, "GET", path, caller);
        expect([answer.status, answer.json.code], `${key} at ${host}`).toEqual([
          401,
          "session_ended",
        ]);
      }
    }
    expect((await send(HERE, "GET", "/api/v1/member/info", maria)).json.value.account).toBe(
      "maria",
    );
    expect((await send(THERE, "GET", "/api/v1/member/info", tess)).json.value.account).toBe(
      "tess_there",
    );
  });

  it("know no member of the other by name, and take no password of theirs", async () => {
    const free = "/api/v1/auth/username-availability?username=maria";
    expect((await send(HERE, "GET", free)).json.value.available).toBe(false);
    expect((await send(THERE, "GET", free)).json.value.available).toBe(true);
    const stranger = await sealed(THERE, "POST", "/api/v1/auth/login", {
      type: "username",
      username: "maria",
      password: "Fiesta2026",
    });
    expect([stranger.status, stranger.json.code]).toEqual([401, "login_failed"]);
  });

  it("open no body that was sealed for the other, or for another call", async () => {
    const login = { type: "username", username: "maria", password: "Fiesta2026" };
    const path = "/api/v1/auth/login";
    const call = `POST ${path}`;
    const post = async (sealedFor: { readonly host: string; readonly call: string }) => {
      const { headers, data } = await sealBody(server, { ...sealedFor, body: login });
      return sendTo(server, "POST", path, { host: HERE, headers, body: { data } });
    };
    const refused = [
      await post({ host: THERE, call }),
      await post({ host: HERE, call: "POST /api/v1/auth/fresh" }),
    ];
    expect(refused.map(({ status, json }) => [status, json.code])).toEqual(
      Array(2).fill([400, "stale_payload"]),
    );
    expect((await post({ host: HERE, call })).status).toBe(200);
  });

  it("list games, vendors, notices and winners of their own alone", async () => {
    const counts = async (host: string) => {
      const [games, vendors, notices, winners] = await Promise.all(
        ["games", "vendors", "announcements", "winners"].map(
          async (what) => (await send(host, "GET", `/api/v1/${what}`)).json.value,
        ),
      );
      return [
        games.totalCount,
        vendors.content.length,
        notices.banners.length,
        winners.list.length,
      ];
    };
    for (const count of await counts(HERE)) expect(count).toBeGreaterThan(0);
    expect(await counts(THERE)).toEqual([0, 0, 0, 0]);
    const { games } = (await send(HERE, "GET", "/api/v1/games")).json.value;
    const one = `/api/v1/games/${games[0].nodeId}`;
    expect((await send(HERE, "GET", one)).status).toBe(200);
    expect((await send(THERE, "GET", one)).status).toBe(404);
  });

  it("list a member's own records, and answer none of the other's by its id", async () => {
    const lists = ["game-records", "transactions", "cashier/deposits", "cashier/withdrawals"];
    for (const list of lists) {
      const mine = (await send(HERE, "GET", `/api/v1/${list}`, maria)).json.value.items;
      expect(mine.length, list).toBeGreaterThan(0);
      const theirs = (await send(THERE, "GET", `/api/v1/${list}`, tess)).json.value.items;
      expect(theirs, list).toEqual([]);
    }
    const { rows } = await server.database.pool.query<{ path: string }>(
      `SELECT path FROM members m CROSS JOIN LATERAL (
         (SELECT 'cashier/deposits/' || id AS path FROM deposits WHERE member_id = m.id LIMIT 1)
         UNION ALL (SELECT 'cashier/withdrawals/' || id FROM withdrawals
                    WHERE member_id = m.id LIMIT 1)
         UNION ALL (SELECT 'rounds/' || round_id FROM house_rounds WHERE member_id = m.id LIMIT 1)
       ) own WHERE m.username = 'maria'`,
    );
    expect(rows).toHaveLength(3);
    for (const { path } of rows) {
      expect((await send(HERE, "GET", `/api/v1/${path}`, maria)).status, path).toBe(200);
      expect((await send(THERE, "GET", `/api/v1/${path}`, tess)).status, path).toBe(404);
    }
  });

  it("keep a deposit's id to whom it belongs", async () => {
    const amount = { minor: "50000", currency: "PHP" };
    const body = { id: freshId("deposit"), method: "gwallet", amount };
    const path = "/api/v1/cashier/deposits";
    expect((await send(HERE, "POST", path, maria, body)).status).toBe(200);
    const taken = await send(THERE, "POST", path, tess, body);
    expect([taken.status, taken.json.code]).toEqual([409, "id_reused"]);
  });

  it("answer nothing on a path of records that no row could have", async () => {
    const cursor = (position: unknown) =>
      Buffer.from(JSON.stringify(position)).toString("base64url");
    const impossible = [
      `game-records?cursor=${cursor({ at: -9e15, roundId: "a" })}`,
      `game-records?cursor=${cursor({ at: 1, roundId: "\0" })}`,
      "game-records?gameId=%00",
      `cashier/deposits?cursor=${cursor({ at: -8.6e15, id: "a" })}`,
      `cashier/withdrawals?cursor=${cursor({ at: 1, id: "\0" })}`,
      `transactions?cursor=${cursor({ seq: 1.5 })}`,
      "auth/username-availability?username=%00",
    ];
    for (const path of impossible) {
      const answer = await send(HERE, "GET", `/api/v1/${path}`, maria);
      expect([answer.status, answer.json.code], path).toEqual([400, "invalid_input"]);
    }
  });
});

function send(
  host: string,
  method: string,
  path: string,
  caller: Caller = VISITOR,
  body?: unknown,
): Promise<Received> {
  return sendTo(server, method, path, { host, headers: caller.headers, body });
}

async function logIn(host: string, username: string, password: string): Promise<Caller> {
  const answer = await sealed(host, "POST", "/api/v1/auth/login", {
    type: "username",
    username,
    password,
  });
  expect(answer.status).toBe(200);
  const authorization = `Bearer ${answer.json.value.token}`;
  return { headers: { authorization, cookie: answer.cookie } };
}

async function sealed(host: string, method: string, path: string, body: unknown) {
  const { headers, data } = await sealBody(server, { host, call: `${method} ${path}`, body });
  return sendTo(server, method, path, { host, headers, body: { data } });
}
