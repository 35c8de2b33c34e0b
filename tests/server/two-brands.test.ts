import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import {
  type Caller,
  freshId,
  type Received,
  sealBody,
  sendTo,
  startServer,
  VISITOR,
} from "../api/running-server.ts";
import { makeBrand } from "./fixtures.ts";
import { startOpenIdProvider } from "./openid-provider.ts";

/**
 * Two brands on one installation and one database. Maria plays with the demo brand and has all
 * kinds of rows there; Tess plays with the other one. Neither session reads the other's rows.
 */
const HERE = "localhost";
const THERE = "fiesta.test";
const THEIR_AGENTS = "agents.fiesta.test";
const MEMBER_READS = Object.entries<Call>(calls).filter(
  ([key, { callers }]) => key.startsWith("GET ") && callers.includes("member"),
);

/** Each brand with one of its members; their addresses do not contain these servers' port. */
const PLACES = () => [
  { host: HERE, origin: "http://localhost:0", elsewhere: THERE, caller: maria, ...BEA },
  { host: THERE, origin: "http://fiesta.test:0", elsewhere: HERE, caller: tess, ...TESS },
];
const BEA = { username: "bea", email: "bea@example.com" };
const TESS = { username: "tess_there", email: "tess@example.com" };

const google = await startOpenIdProvider({});
google.register([`http://${HERE}/auth/callback/google`]);
const server = await startServer({ google: google.client });
await makeBrand(server.database.pool, systemClock, {
  ...{ hosts: [THERE, THEIR_AGENTS], settings: { agentHosts: [THEIR_AGENTS] } },
});
const maria = await logIn(HERE, "maria", "Fiesta2026");
const registered = await sealed(THERE, "PUT", "/api/v1/auth/register", {
  ...TESS,
  password: "Fiesta2026",
  confirmPassword: "Fiesta2026",
  registerMethod: "H5",
  type: 0,
  agreed: true,
});
expect(registered.status).toBe(200);
const tess = await logIn(THERE, "tess_there", "Fiesta2026");
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

afterAll(async () => {
  await server.stop();
  await google.close();
});

describe("two brands on one database", () => {
  it("accept their own members' sessions, and none of the other's", async () => {
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

  it("know no member of the other by name, and accept none of their passwords", async () => {
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

  it("list only their own games, vendors, notices and winners", async () => {
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

  it("list a member's own records, and do not answer another's record by its id", async () => {
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

  it("accept a deposit's id only from its owner", async () => {
    const amount = { minor: "50000", currency: "PHP" };
    const body = { id: freshId("deposit"), method: "gwallet", amount };
    const path = "/api/v1/cashier/deposits";
    expect((await send(HERE, "POST", path, maria, body)).status).toBe(200);
    const taken = await send(THERE, "POST", path, tess, body);
    expect([taken.status, taken.json.code]).toEqual([409, "id_reused"]);
  });

  it("invite to their own address, by codes that the other does not know", async () => {
    for (const { host, origin, elsewhere, caller } of PLACES()) {
      const invitation = (await send(host, "GET", "/api/v1/member/invitation", caller)).json.value;
      expect(invitation.url).toBe(`${origin}/m/register?id=${invitation.code}`);
      const path = `/api/v1/auth/invitation-code?code=${invitation.code}`;
      expect((await send(host, "GET", path)).json.value.success).toBe(true);
      expect((await send(elsewhere, "GET", path)).json.value.success).toBe(false);
      const crossed = await register(elsewhere, "friend_crossed", invitation.code);
      expect(crossed.json.code).toBe("invitation_wrong");
      const joined = await register(host, `friend_${host.slice(0, 5)}`, invitation.code);
      expect(joined.status, JSON.stringify(joined.json)).toBe(200);
    }
  });

  it("accept payments, name their servers and send players to Google at their own address", async () => {
    for (const { host, origin, caller } of PLACES()) {
      const amount = { minor: "50000", currency: "PHP" };
      const body = { id: freshId("deposit"), method: "gwallet", amount };
      const paid = await send(host, "POST", "/api/v1/cashier/deposits", caller, body);
      expect(new URL(paid.json.value.payUrl).origin).toBe(origin);
      const status = (await send(host, "GET", "/api/v1/status")).json.value.info;
      expect(status.domainRoute).toBe(origin);
      const provider = { provider: "google" };
      const begun = await send(host, "POST", "/api/v1/auth/external", VISITOR, provider);
      const redirect = new URL(begun.json.value.url).searchParams.get("redirect_uri");
      expect(redirect).toBe(`http://${host}/auth/callback/google`);
    }
  });

  it("refuse as invalid a path of records with a cursor or filter that no row could have", async () => {
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

  it("log no member in at a host of agents, in any spelling of its name and port", async () => {
    const given = { type: "username", username: "tess_there", password: "Fiesta2026" };
    for (const end of ["", ":", ":80", ":8080"]) {
      for (const name of [THEIR_AGENTS, THEIR_AGENTS.toUpperCase()]) {
        const answer = await sealed(`${name}${end}`, "POST", "/api/v1/auth/login", given);
        const refused = [answer.status, answer.json.code];
        expect(refused, `${name}${end}`).toEqual([403, "not_agent_account"]);
      }
    }
  });

  it("mail links that lead to their own address, and are valid only there", async () => {
    for (const { host, origin, elsewhere, ...member } of PLACES()) {
      const { username, email } = member;
      const asked = { username, email };
      expect(
        (await send(host, "POST", "/api/v1/auth/forgot-password", VISITOR, asked)).status,
      ).toBe(200);
      const reset = await linkMailedTo(email, "reset");
      expect(reset.origin, username).toBe(origin);
      const look = { token: reset.searchParams.get("token") };
      const crossed = await send(elsewhere, "POST", "/api/v1/auth/reset-link", VISITOR, look);
      expect([crossed.status, crossed.json.code], username).toEqual([410, "link_spent"]);
      const newPassword = "Sampaguita77";
      const given = { ...look, newPassword, confirmNewPassword: newPassword };
      const path = "/api/v1/auth/password-by-link";
      const refused = await sealed(elsewhere, "POST", path, given);
      expect([refused.status, refused.json.code], username).toEqual([410, "link_spent"]);
      expect((await sealed(host, "POST", path, given)).status, username).toBe(200);
      const caller = await logIn(host, username, newPassword);

      const proof = { password: newPassword };
      const proven = await sealed(host, "POST", "/api/v1/auth/fresh", proof, caller);
      expect(proven.status, username).toBe(200);
      const fresh = `new_${email}`;
      const mailed = await send(host, "POST", "/api/v1/member/email", caller, { email: fresh });
      expect(mailed.status, username).toBe(200);
      const verify = await linkMailedTo(fresh, "verifyEmail");
      expect(verify.origin, username).toBe(origin);
      const token = verify.searchParams.get("token");
      const open = (at: string) => send(at, "POST", "/api/v1/auth/email-link", VISITOR, { token });
      expect((await open(elsewhere)).json.code, username).toBe("link_spent");
      expect((await open(host)).json.value, username).toEqual({ email: fresh });
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

async function sealed(
  host: string,
  method: string,
  path: string,
  body: unknown,
  caller: Caller = VISITOR,
) {
  const { headers: own, data } = await sealBody(server, { host, call: `${method} ${path}`, body });
  const headers = { ...caller.headers, ...own };
  return sendTo(server, method, path, { host, headers, body: { data } });
}

function register(host: string, username: string, affiliateCode: string): Promise<Received> {
  return sealed(host, "PUT", "/api/v1/auth/register", {
    ...{ username, affiliateCode, password: "Fiesta2026", confirmPassword: "Fiesta2026" },
    ...{ registerMethod: "H5", type: 0, agreed: true },
  });
}

/** The newest link to a screen that was mailed to an address; mails are sent after the reply. */
async function linkMailedTo(to: string, screen: string): Promise<URL> {
  let link = "";
  await expect
    .poll(
      async () => {
        const page = await (await fetch(`${server.url}/outbox`)).text();
        const mails = page.split("<li>").filter((mail) => mail.includes(`>${to}<`));
        const url = new RegExp(`https?://[^"<\\s]*/m/${screen}\\?token=[\\w-]{43}`);
        link = mails.map((mail) => url.exec(mail)?.[0]).find((found) => found !== undefined) ?? "";
        return link;
      },
      { timeout: 10_000 },
    )
    .not.toBe("");
  return new URL(link);
}
