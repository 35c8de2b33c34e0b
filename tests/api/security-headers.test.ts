import { request } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import { callerOf, sealed, startServer } from "./running-server.ts";

// TLS ends at the proxy: players use https, the proxy uses http.
const { url, ...rest } = await startServer({ publicUrl: "https://localhost:0" });
/** The security headers of every reply behind https, and methods that reveal nothing. */
const server = { ...rest, url: url.replace("https:", "http:") };

afterAll(() => server.stop());

describe("every reply", () => {
  it.each(["/livez", "/readyz", "/version", "/api/v1/status", "/api/nothing", "/docs/json"])(
    "of %s tells browsers how to treat it, and a text its charset",
    async (path) => {
      const { headers } = await fetch(server.url + path);
      expect(headers.get("strict-transport-security")).toBe("max-age=31536000; includeSubDomains");
      expect(headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("content-type")).toMatch(
        /^(text\/plain|application\/(problem\+)?json); charset=utf-8$/,
      );
    },
  );

  it("over plain http sends no header about https", async () => {
    const plain = await startServer();
    const { headers } = await fetch(`${plain.url}/livez`);
    await plain.stop();
    expect(headers.get("strict-transport-security")).toBeNull();
    expect(headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
  }, 60_000);
});

describe("picture hosts that an installation names", () => {
  const HOST = "https://i1.example.ph";

  it("may supply the pictures of the brand's pages, and of no other reply", async () => {
    const { url, stop } = await startServer({ imageCdns: [HOST] });
    const policyOf = async (path: string) =>
      (await fetch(url + path)).headers.get("content-security-policy") ?? "";
    const [page, call] = [await policyOf("/m/home"), await policyOf("/api/v1/status")];
    await stop();
    expect(page).toContain(`img-src 'self' data: blob: ${HOST};`);
    expect(call).toContain("img-src 'self' data: blob:;");
  }, 60_000);
});

describe("vendors whose pages are at another origin", () => {
  it("may be framed by the pages of their own games, and by no other", async () => {
    const vendors = "https://games.example.com";
    const { url, stop, database } = await startServer({ simulatorOrigin: vendors });
    const policyOf = async (path: string) =>
      (await fetch(url + path)).headers.get("content-security-policy") ?? "";
    const nodeOf = async (vendor: string) => {
      const { rows } = await database.pool.query<{ node_id: number }>(
        "SELECT node_id FROM games WHERE merchant_id = 'mer_demo' AND vendor = $1 LIMIT 1",
        [vendor],
      );
      return rows[0]?.node_id;
    };
    const [theirs, ours] = [await nodeOf("PGE"), await nodeOf("BGS")];
    const framed = await policyOf(`/m/launch/${theirs}`);
    const others = await Promise.all(
      [`/m/launch/${ours}`, "/m/launch/999999", "/m/launch", "/m/home"].map(policyOf),
    );
    const call = await policyOf("/api/v1/status");
    await stop();
    expect(framed).toContain(`frame-src 'self' ${vendors};`);
    for (const policy of others) expect(policy).toContain("frame-src 'self';");
    expect(call).toContain("frame-src 'none';");
  }, 60_000);
});

describe("a session's cookie behind https", () => {
  const LOGIN = { type: "username", username: "bea", password: "Fiesta2026" };

  it("has a name that no other host and no plain http can set, and is accepted under no other name", async () => {
    const answer = await sealed(server, "POST", "/api/v1/auth/login", LOGIN);
    const cookies = answer.headers.getSetCookie();
    expect(cookies.map((line) => line.split("=")[0]).sort()).toEqual([
      "__Host-perya_device",
      "__Host-perya_session",
    ]);
    for (const line of cookies) {
      expect(line).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
      expect(line).not.toMatch(/domain/i);
    }
    const { headers } = await callerOf(answer);
    const info = (cookie: string) =>
      fetch(`${server.url}/api/v1/member/info`, { headers: { ...headers, cookie } });
    expect((await info(headers.cookie ?? "")).status).toBe(200);
    expect((await info((headers.cookie ?? "").replace("__Host-", ""))).status).toBe(401);
  });
});

describe("a method that no route accepts", () => {
  it.each([
    ["TRACE", "/"],
    ["TRACE", "/api/v1/status"],
    ["PATCH", "/api/v1/auth/login"],
    ["DELETE", "/livez"],
    ["PROPFIND", "/api/v1/status"],
    ["OPTIONS", "/api/v1/status"],
    ["BREW", "/coffee"],
  ])("%s %s is refused, and nothing of the request comes back", async (method, path) => {
    const answer = await raw(method, path);
    expect([400, 404, 405]).toContain(answer.status);
    expect(answer.text).not.toContain("a-secret-of-the-caller");
  });
});

/** `fetch` sends no TRACE. */
function raw(method: string, path: string): Promise<{ status: number; text: string }> {
  const headers = { "x-mine": "a-secret-of-the-caller" };
  return new Promise((done, fail) => {
    const sent = request(server.url + path, { method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => done({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", fail);
    sent.end();
  });
}
