import { describe, expect, it } from "vitest";
import {
  type Caller,
  callerOf,
  freshId,
  type RunningServer,
  sealed,
  serverOfFile,
  startServer,
  VISITOR,
} from "./running-server.ts";

/** A brand for the Philippines only, behind a proxy that tells its callers' country. */
const LOGIN = { type: "username", username: "bea", password: "Fiesta2026" };

const server = await serverOfFile({
  trustProxy: ["127.0.0.1", "::1"],
  countryHeader: "cf-ipcountry",
});
await allowPhilippines(server);
const bea = await enter("bea");

describe("a brand that is closed to a country", () => {
  it("[A2.13-04] says so in its status to callers there, and to no others", async () => {
    expect(await status(from("US"))).toMatchObject({ regionRestriction: true });
    expect(await status(from("ph"))).toMatchObject({
      regionRestriction: false,
      maintenance: false,
    });
  });

  it("refuses registrations, log-ins and play from there before any other check", async () => {
    const closed = from("US", bea);
    const round = { id: freshId("round"), gameId: "color-game", choices: { bets: { red: "100" } } };
    const tries = [
      await sealed(server, "POST", "/api/v1/auth/login", LOGIN, from("US")),
      await sealed(server, "PUT", "/api/v1/auth/register", {}, from("US")),
      await sealed(server, "POST", "/api/v1/auth/second-factor", {}, from("US")),
      await send("POST", "auth/test-play", from("US"), {}),
      await send("POST", "auth/passkey", from("US"), {}),
      await send("POST", "auth/external", from("US"), { provider: "google" }),
      await send("POST", "auth/sms-code", from("US"), {}),
      await send("POST", "games/launch", closed, {}),
      await send("POST", "rounds", closed, round),
      await send("POST", "saranggola/bets", closed, {}),
    ];
    for (const answer of tries) {
      const { code, status: given } = await answer.json();
      expect([answer.status, given, code], answer.url).toEqual([403, 403, "region_restricted"]);
    }
    expect((await send("POST", "rounds", from("PH", bea), round)).status).toBe(200);
  });

  it("leaves a player who travels there their account, their money and the sign-out", async () => {
    for (const path of ["member/info", "member/wallet", "cashier/withdrawals"]) {
      expect((await send("GET", path, from("US", bea))).status, path).toBe(200);
    }
    const away = await enter("maria");
    expect((await send("DELETE", "auth/logout", from("US", away))).status).toBe(200);
  });

  it("believes only the proxy, and no caller's own header", async () => {
    // No proxy spoke for this caller, so the header is the caller's own.
    const direct = { headers: { "cf-ipcountry": "PH" } };
    expect(await status(direct)).toMatchObject({ regionRestriction: true });
    for (const odd of ["", "XX", "Philippines", "PH, US"]) {
      expect(await status(from(odd)), odd).toMatchObject({ regionRestriction: true });
    }
  });
});

describe("an installation that does not learn its callers' country", () => {
  it("closes no call to any country", async () => {
    const open = await startServer({ trustProxy: ["127.0.0.1", "::1"] });
    await allowPhilippines(open);
    const { headers } = from("US");
    const answer = await fetch(`${open.url}/api/v1/status`, { headers });
    expect((await answer.json()).value.regionRestriction).toBe(false);
    await open.stop();
  }, 60_000);
});

/** Runs before any request for the brand, whose settings the server caches. */
async function allowPhilippines({ database }: RunningServer): Promise<void> {
  await database.pool.query(
    `UPDATE merchants SET settings = settings || '{"regions": {"allowed": ["PH"], "blocked": []}}'`,
  );
}

async function enter(username: string): Promise<Caller> {
  const form = { ...LOGIN, username };
  return callerOf(await sealed(server, "POST", "/api/v1/auth/login", form, from("PH")));
}

/** A caller's headers as the proxy passes them on. */
function from(country: string, { headers }: Caller = VISITOR): Caller {
  return { headers: { ...headers, "x-forwarded-for": "203.0.113.9", "cf-ipcountry": country } };
}

async function status({ headers }: Caller) {
  const answer = await fetch(`${server.url}/api/v1/status`, { headers });
  return (await answer.json()).value;
}

function send(method: string, path: string, { headers }: Caller, body?: unknown) {
  return fetch(`${server.url}/api/v1/${path}`, {
    method,
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
