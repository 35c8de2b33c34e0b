import type { AddressInfo } from "node:net";
import { present } from "@perya/kernel/assert";
import { DAY_MS } from "@perya/kernel/instant";
import { money } from "@perya/kernel/money";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { openVendorHarness } from "../../../../../tests/server/vendor-harness.ts";
import { createHttpServer } from "../../platform/http/call-server.ts";
import { createLogger } from "../../platform/log.ts";
import {
  type ConnectionTerms,
  type Launch,
  launchAddress,
  secretsAt,
} from "./vendor-connection.ts";
import { VendorConnections } from "./vendor-connections.ts";
import { serveProtocols, type VendorProtocol } from "./vendor-protocol.ts";
import { VENDOR_PROTOCOLS } from "./vendor-protocols.ts";
import { isSignedByVendor, signAsVendor } from "./vendor-signature.ts";

const harness = await openVendorHarness("vendor connections");
const logged: string[] = [];

const LARO: ConnectionTerms = {
  vendor: "LRO",
  protocol: "perya",
  launchUrl: "https://games.laro.example/open",
  secret: "between Laro and the house",
};

const LAUNCH: Launch = { token: "t", gameId: "g", language: "EN", currency: "PHP" };

afterEach(async () => {
  logged.length = 0;
  await connectionsOf("of the house").remove(LARO.vendor);
  expect(await harness.ledger.verify()).toEqual([]);
});

describe("a vendor's connection", () => {
  it("is known to another process once that reads again, and until it is removed", async () => {
    const [one, other] = [connectionsOf("of the house"), connectionsOf("of the house")];
    await one.put(LARO);
    expect(other.find("LRO")).toBeNull();
    await other.refresh();
    expect(other.find("LRO")).toEqual({ ...LARO, former: null });
    await one.put({ ...LARO, secret: "another", launchUrl: "https://laro.example/2" });
    await other.refresh();
    expect(other.find("LRO")).toMatchObject({ secret: "another" });
    expect(await other.playUrl("LRO", LAUNCH)).toBe("https://laro.example/2?token=t&game=g");
    expect(await one.remove("LRO")).toBe(true);
    expect(await one.remove("LRO")).toBe(false);
    await other.refresh();
    expect(other.find("LRO")).toBeNull();
  });

  it("accepts the secret that was replaced for a day, in every process, and a replaced one that others may know at once no longer", async () => {
    const [one, other] = [connectionsOf("of the house"), connectionsOf("of the house")];
    const from = harness.clock.now();
    const accepted = async (secret: string, at = from) => {
      await other.refresh();
      const call = { path: "/bet", body: Buffer.from("{}") };
      const signature = signAsVendor(secret, call.path, call.body, at);
      const secrets = secretsAt(present(other.find("LRO"), "Laro"), at);
      return isSignedByVendor(secrets, { ...call, signature }, at);
    };
    await one.put(LARO);
    await one.put({ ...LARO, secret: "a second one" });
    expect([await accepted(LARO.secret), await accepted("a second one")]).toEqual([true, true]);
    expect(await accepted(LARO.secret, from + DAY_MS)).toBe(false);
    expect(await accepted("a second one", from + DAY_MS)).toBe(true);
    // Another address replaces no secret.
    await one.put({ ...LARO, secret: "a second one", launchUrl: "https://laro.example/2" });
    expect([await accepted(LARO.secret), await accepted("a second one")]).toEqual([true, true]);
    await one.replace({ ...LARO, secret: "a third one" });
    expect([await accepted("a second one"), await accepted("a third one")]).toEqual([false, true]);
  });

  it("is not written again as it is", async () => {
    const connections = connectionsOf("of the house");
    await connections.put(LARO);
    harness.clock.advance(1_000);
    await connections.put(LARO);
    expect(connections.find("LRO")).toEqual({ ...LARO, former: null });
    const { rows } = await harness.db.pool.query(
      "SELECT changed_at FROM vendor_connections WHERE vendor = 'LRO'",
    );
    expect(rows[0].changed_at.getTime()).toBe(harness.clock.now() - 1_000);
  });

  it("no longer stores a secret whose day is over", async () => {
    const connections = connectionsOf("of the house");
    await connections.put(LARO);
    await connections.put({ ...LARO, secret: "a second one" });
    await connections.sweep();
    await connections.refresh();
    expect(connections.find("LRO")?.former?.secret).toBe(LARO.secret);
    harness.clock.advance(DAY_MS);
    await connections.sweep();
    const stored =
      "SELECT sealed_former_secret, former_until FROM vendor_connections WHERE vendor = 'LRO'";
    expect((await harness.db.pool.query(stored)).rows).toEqual([
      { sealed_former_secret: null, former_until: null },
    ]);
  });

  it("that is gone opens no launch, and one whose address has a query keeps it", async () => {
    const connections = connectionsOf("of the house");
    expect(await connections.playUrl("LRO", LAUNCH)).toBeNull();
    await connections.put({ ...LARO, launchUrl: "https://laro.example/open?brand=1" });
    expect(await connections.playUrl("LRO", LAUNCH)).toBe(
      "https://laro.example/open?brand=1&token=t&game=g",
    );
  });

  it.each([
    ["HTTPS://Games.Laro.Example/open", "https://games.laro.example/open"],
    ["https:/games.laro.example", "https://games.laro.example/"],
    [" https://games.laro.example/o\npen?brand=1\n", "https://games.laro.example/open?brand=1"],
    ["https://games.laro.example:8443/", "https://games.laro.example:8443/"],
    ["https://[2001:db8::1]/open", "https://[2001:db8::1]/open"],
    ["http://games.laro.example/open", null],
    ["//games.laro.example/open", null],
    ["https://games.laro.example/open#x", null],
    ["https://games.laro.example/open#", null],
    ["https://u:p@games.laro.example/", null],
    ["https://*.laro.example/", null],
    ["https://games.laro.example;script-src/", null],
    ["javascript:alert(1)", null],
    ["", null],
  ])("opens at an address of one host as browsers read it: %j is %j", (given, address) => {
    expect(launchAddress(given)).toBe(address);
  });

  it("keeps its secret sealed, and is unknown to a house with another key, which logs that once", async () => {
    await connectionsOf("of the house").put(LARO);
    const { rows } = await harness.db.pool.query("SELECT c::text AS row FROM vendor_connections c");
    expect(rows.map(({ row }) => row).join()).not.toContain("between Laro");
    const stranger = connectionsOf("of another house");
    await stranger.refresh();
    await stranger.refresh();
    expect(stranger.find("LRO")).toBeNull();
    expect(logged.filter((line) => line.includes('"LRO"'))).toHaveLength(1);
  });

  it.each(["", "garbage", "a.b.c.d.e", '{"alg":"none"}'])(
    "with a secret that nobody sealed (%j) is unknown, keeps no other vendor out, and can be removed",
    async (secret) => {
      const connections = connectionsOf("of the house");
      await connections.put(LARO, { ...LARO, vendor: "ANI" });
      await harness.db.pool.query(
        "UPDATE vendor_connections SET sealed_secret = $1 WHERE vendor = 'ANI'",
        [secret],
      );
      const other = connectionsOf("of the house");
      await other.refresh();
      expect([other.find("LRO")?.secret, other.find("ANI")]).toEqual([LARO.secret, null]);
      expect(other.list().map(({ vendor, opens }) => [vendor, opens])).toEqual(
        expect.arrayContaining([
          ["ANI", false],
          ["LRO", true],
        ]),
      );
      expect(await other.remove("ANI")).toBe(true);
    },
  );

  it("by a protocol that nobody speaks here is unknown, and the log says so", async () => {
    const connections = connectionsOf("of the house");
    await connections.put({ ...LARO, protocol: "telegraph" });
    expect(connections.find("LRO")).toBeNull();
    expect(logged.join()).toContain("telegraph");
  });

  it("stays known while the database does not answer", async () => {
    const connections = connectionsOf("of the house");
    await connections.put(LARO);
    await harness.db.pool.query("ALTER TABLE vendor_connections RENAME TO away");
    try {
      await expect(connections.refresh()).rejects.toThrow("vendor_connections");
      expect(connections.find("LRO")).toMatchObject(LARO);
    } finally {
      await harness.db.pool.query("ALTER TABLE away RENAME TO vendor_connections");
    }
  });
});

/**
 * A foreign protocol: one path for all calls, forms instead of JSON, a password instead of a
 * signature, amounts in pesos, and numbers for answers.
 */
const FORMS: VendorProtocol = {
  name: "forms",
  playUrl: ({ launchUrl }, { token, gameId }) => `${launchUrl}/${gameId}#${token}`,
  pages: (scope, { connection, sessions }) => {
    readForms(scope);
    scope.post<{ Params: { vendor: string }; Body: Record<string, string> }>(
      "/vendor-forms/:vendor",
      async ({ params, body }) => {
        const known = connection(params.vendor);
        if (known?.secrets.includes(body.password ?? "") !== true) return "error=9";
        if (body.action === "start") {
          const opened = await sessions.open(known.vendor, body.session ?? "");
          return opened.ok ? `error=0&player=${opened.value.play}` : "error=1";
        }
        const common = {
          play: body.player ?? "",
          roundId: body.hand ?? "",
          transactionId: body.ref ?? "",
          amount: money(BigInt(body.pesos ?? "0") * 100n, "PHP"),
        };
        const moved =
          body.action === "debit"
            ? await sessions.bet(known.vendor, { ...common, gameId: "game-1", closesRound: false })
            : await sessions.win(known.vendor, {
                ...{ ...common, betTransactionId: body.of ?? "" },
                closesRound: true,
              });
        if (moved.ok) return `error=0&pesos=${moved.value.balance.minor / 100n}`;
        return moved.error.code === "insufficient_funds" ? "error=2" : "error=3";
      },
    );
  },
};

/** In the scope of one protocol, forms come as objects. */
function readForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
}

describe("a foreign protocol", () => {
  it("is spoken by an adapter beside others on our server: paths, bodies, credentials and words of its own, money of ours, and no vendor of another protocol", async () => {
    const connections = connectionsOf("of the house", [...VENDOR_PROTOCOLS, FORMS]);
    await connections.put({ ...LARO, vendor: "PGE", protocol: "forms" });
    const session = await harness.player(50_000n);
    const token = harness.tokenOf(await harness.launch(session));
    expect(await connections.playUrl("PGE", { ...LAUNCH, token, gameId: "game-1" })).toBe(
      `${LARO.launchUrl}/game-1#${token}`,
    );
    const app = await createHttpServer(harness.options);
    // Two protocols may read the same type of body, each in its own way.
    const twice = {
      ...FORMS,
      name: "other forms",
      pages: (scope: FastifyInstance) => readForms(scope),
    };
    const { plays: sessions, clock } = harness;
    serveProtocols(app, [...VENDOR_PROTOCOLS, FORMS, twice], { connections, sessions, clock });
    await app.listen({ host: "127.0.0.1", port: 0 });
    // A server that listens on TCP has an address of this kind.
    const { port } = app.server.address() as AddressInfo;
    const say = async (words: Record<string, string>, vendor = "PGE") => {
      const body = new URLSearchParams({ password: LARO.secret, ...words });
      const answer = await fetch(`http://127.0.0.1:${port}/vendor-forms/${vendor}`, {
        method: "POST",
        body,
      });
      return answer.text();
    };
    try {
      expect(await say({ action: "start", session: token, password: "guessed" })).toBe("error=9");
      const player = (await say({ action: "start", session: token })).split("player=")[1] ?? "";
      const hand = { player, hand: "h1" };
      expect(await say({ action: "debit", ...hand, ref: "d1", pesos: "120" })).toBe(
        "error=0&pesos=380",
      );
      expect(await say({ action: "debit", ...hand, ref: "d1", pesos: "120" })).toBe(
        "error=0&pesos=380",
      );
      expect(await say({ action: "debit", ...hand, ref: "d2", pesos: "999" })).toBe("error=2");
      expect(await say({ action: "credit", ...hand, ref: "c1", of: "d1", pesos: "200" })).toBe(
        "error=0&pesos=580",
      );
      await connections.put(LARO);
      expect(await say({ action: "start" }, "LRO")).toBe("error=9");
      await connections.put({ ...LARO, vendor: "PGE", protocol: "forms", secret: "a second one" });
      expect(await say({ action: "start" })).toBe("error=1");
      expect(await say({ action: "start", password: "a second one" })).toBe("error=1");
      clock.advance(DAY_MS);
      expect(await say({ action: "start" })).toBe("error=9");
    } finally {
      await app.close();
      const [perya] = harness.simulator.connections();
      await connectionsOf("of the house").put(present(perya, "the simulator's connection"));
    }
  });
});

function connectionsOf(secret: string, protocols?: readonly VendorProtocol[]): VendorConnections {
  const { db, clock } = harness;
  const log = createLogger({
    level: "info",
    destination: { write: (line: string) => logged.push(line) },
  });
  const given = protocols === undefined ? {} : { protocols };
  return new VendorConnections({ pool: db.pool, clock, log, secret, ...given });
}
