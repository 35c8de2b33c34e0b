import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { demoBrand } from "../../apps/server/src/demo/demo-brand.ts";
import { signAsVendor } from "../../apps/server/src/modules/vendors/vendors.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { loadConfig } from "../../apps/server/src/platform/config.ts";
import { SIGNATURE_HEADER, sign } from "../../apps/server/src/platform/http/signature.ts";
import type { Reply } from "../../packages/client/src/api.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { refusalsOf } from "../../packages/contract/src/call-refusals.ts";
import {
  isOperators,
  OPERATOR_PERMISSIONS,
  permissionsOf,
} from "../../packages/contract/src/operator.ts";
import { present } from "../../packages/kernel/src/assert.ts";
import { COMMANDS, type Sender } from "../server/commands.ts";
import { simulatedVendorSecret } from "../setup/simulated-vendor.ts";
import {
  declared,
  HERE,
  type Input,
  KINDS,
  type Kind,
  openAuthorizationHarness,
  type Player,
  THERE,
} from "./authorization-harness.ts";
import { type JsonSchema, valid } from "./input-arbitrary.ts";
import { employ } from "./operator-harness.ts";
import { freshId } from "./running-server.ts";

/**
 * Every declared call × every kind of caller: whom it admits, and what it tells the others. A table
 * has the kinds of callers, the contract has the callers of each call, so no call lacks a row.
 * authorization.test.ts and operator-calls.test.ts test whose objects a call may name;
 * maintenance.test.ts and permission-keys.test.ts test for every call whether maintenance, or a key
 * that is off, closes it.
 */
const SEED = 20_261_123;
const VENDOR = "PGE";

const OTHERS = [
  "visitor",
  "blocked member",
  "blocked agent",
  "member of another brand",
  "session that has ended",
  "operator with every permission",
  "operator with every other permission",
  "operator of another brand",
  "operator who was revoked",
] as const;
type Role = Kind | (typeof OTHERS)[number];
const ROLES: readonly Role[] = [...(Object.keys(KINDS) as Kind[]), ...OTHERS];

/** Refusals that keep a caller out of any call. */
const KEPT_OUT = [
  ...["not_logged_in", "session_ended", "permission_denied", "real_account_needed"],
  "bad_signature",
];
const others = new Map<Role, Player>();
/** Operators without the permissions that a call requires, by those permissions. */
const withoutThem = new Map<string, Player>();

const harness = await openAuthorizationHarness();
const { pool } = harness;
// The demo has cockfights off; their calls must be reachable here.
await pool.query(
  "UPDATE merchants SET settings = jsonb_set(settings, '{flags,COCKFIGHT}', 'true')",
);
const running = { database: { pool } } as Parameters<typeof employ>[0]; // it reads only this
const there = await pool.query<{ id: string }>(
  "SELECT merchant_id AS id FROM merchant_hosts WHERE host = $1",
  [THERE],
);
const everything = await employ(running, OPERATOR_PERMISSIONS);
const elsewhere = await employ(running, OPERATOR_PERMISSIONS, there.rows[0]?.id);
const revoked = await employ(running, OPERATOR_PERMISSIONS);
await pool.query("UPDATE operators SET revoked_at = now() WHERE name = $1", [revoked.name]);
const here = (headers: Player["headers"]): Player => ({ ...harness.players.member, headers });
others.set("operator with every permission", here(everything.headers));
others.set("operator of another brand", here(elsewhere.headers));
others.set("operator who was revoked", here(revoked.headers));
others.set("member of another brand", { ...harness.foreign, host: HERE });
for (const role of ["blocked member", "blocked agent", "session that has ended"] as const) {
  others.set(role, await makeCaller(role));
}
const asked = new Map(declared.map(([, call]) => [`${permissionsOf(call)}`, permissionsOf(call)]));
for (const [key, permissions] of asked) {
  const without = OPERATOR_PERMISSIONS.filter((one) => !permissions.includes(one));
  withoutThem.set(key, here((await employ(running, without)).headers));
}

afterAll(harness.close);

describe("a call", () => {
  it.each(declared)(
    "[A1-01 A6-03] %s admits the callers it is for, and tells all others why not",
    async (key, call) => {
      const expected: Partial<Record<Role, string>> = {};
      const got: Partial<Record<Role, string>> = {};
      const sample = sampleOf(call);
      const ask = async (role: Role) => {
        const { status, json } = await harness.send(key, await callerOf(role, key, call), sample);
        got[role] = KEPT_OUT.includes(json.code) ? json.code : "admitted";
        expected[role] = verdict(call, role);
        const note = `${role}: ${JSON.stringify(json)}`;
        expect(status, note).toBeLessThan(500);
        if (json.code !== undefined) expect(refusalsOf(key, call), note).toContain(json.code);
      };
      await Promise.all(ROLES.map(ask));
      expect(got).toEqual(expected);
    },
    30_000,
  );
});

const signedCalls = declared.filter(([, { callers }]) => callers.includes("signed"));

describe("a signed call", () => {
  it.each(signedCalls)(
    "%s accepts only a fresh signature of its own service, for this path and body",
    async (key, call) => {
      const sample = sampleOf(call);
      const codeOf = async (signature: string) => {
        const caller = { ...harness.players.member, headers: { [SIGNATURE_HEADER]: signature } };
        return (await harness.send(key, caller, sample)).json.code;
      };
      const path = pathOf(key, sample);
      const body = JSON.stringify(sample.body);
      const now = systemClock.now();
      const [own, others] = [secretOf(key, VENDOR), secretOf(key, "AV")];
      expect(await codeOf(signatureOf(key, own, path, body, now))).not.toBe("bad_signature");
      expect(await codeOf(signatureOf(key, others, path, body, now))).toBe("bad_signature");
      expect(await codeOf(signatureOf(key, own, path, `${body} `, now))).toBe("bad_signature");
      const old = now - 6 * 60_000;
      expect(await codeOf(signatureOf(key, own, path, body, old))).toBe("bad_signature");
      if (!key.includes("callbacks")) {
        const elsewhere = signatureOf(key, own, path.replace(/\w+$/, "other"), body, now);
        expect(await codeOf(elsewhere)).toBe("bad_signature");
      }
    },
  );

  it.each(signedCalls.filter(([key]) => /\/(balance|bet|win|rollback)$/.test(key)))(
    "%s finds no play of another vendor, and none that does not exist",
    async (key, call) => {
      const { id: play } = await somePlay();
      for (const [vendor, named] of [
        ["AV", play],
        [VENDOR, freshId("play")],
      ] as const) {
        const sample = sampleOf(call);
        const input = { params: { vendor }, body: { ...Object(sample.body), play: named } };
        const body = JSON.stringify(input.body);
        const path = pathOf(key, input);
        const signature = signatureOf(key, secretOf(key, vendor), path, body, systemClock.now());
        const caller = { ...harness.players.member, headers: { [SIGNATURE_HEADER]: signature } };
        const { status, json } = await harness.send(key, caller, input);
        expect([status, json.code]).toEqual([404, "not_found"]);
      }
    },
  );
});

/** Calls that are tried with a body that the server accepts. */
const TRIED = { ...COMMANDS, "POST /api/v1/games/launch": { body: launchAtVendor } };

describe("a blocked account", () => {
  const refusing = declared
    .filter(
      ([, call]) =>
        call.refusals?.includes("member_blocked") === true &&
        !call.callers.includes("signed") &&
        !isOperators(call),
    )
    .map(([key]) => key as keyof typeof TRIED); // checked below

  it("cannot stake, pay in, pay out or get gifts: the next test tries every call that may refuse it", () => {
    expect(refusing.filter((key) => !(key in TRIED))).toEqual([]);
    expect(refusing.length).toBeGreaterThan(0);
  });

  it.each(refusing)(
    "is refused by %s, which accepts an open account, and no money moves",
    async (key) => {
      const player = await harness.newPlayer(HERE, KINDS.member.type);
      // Blocked before its first call, since the server caches a session for a second.
      await setBlocked(player, true);
      const entries = () =>
        harness.pool.query(
          "SELECT count(*)::int AS n FROM ledger_entries WHERE account_id LIKE $1",
          [`${player.id}.%`],
        );
      const before = (await entries()).rows;
      const refused = await harness.send(key, player, { body: await bodyOf(key, player) });
      expect([refused.status, refused.json.code]).toEqual([403, "member_blocked"]);
      expect((await entries()).rows).toEqual(before);
      const { member } = harness.players;
      const taken = await harness.send(key, member, { body: await bodyOf(key, member) });
      expect(taken.status, JSON.stringify(taken.json)).toBe(200);
    },
    90_000,
  );
});

it("leaves a ledger that verifies", async () => {
  expect(await harness.ledger.verify()).toEqual([]);
});

/** The answer that the contract and the specification require for a caller of a call. */
function verdict(call: Call, role: Role): string {
  const { callers } = call;
  if (callers.includes("signed")) return "bad_signature";
  if (isOperators(call)) {
    if (role === "operator with every permission") return "admitted";
    return role === "operator with every other permission" ? "permission_denied" : "not_logged_in";
  }
  if (callers.includes("visitor")) return "admitted";
  if (role === "visitor") return "not_logged_in";
  const kind = kindOf(role);
  // A token of another brand counts as the token of an ended session.
  if (kind === null) return "session_ended";
  const { caller, real } = KINDS[kind];
  if (!callers.includes(caller)) {
    return caller === "trial" ? "real_account_needed" : "permission_denied";
  }
  return call.realAccount === true && !real ? "real_account_needed" : "admitted";
}

function kindOf(role: Role): Kind | null {
  if (role === "blocked member") return "member";
  if (role === "blocked agent") return "agent";
  return Object.keys(KINDS).includes(role) ? (role as Kind) : null;
}

/** Calls that end sessions; a new session also replaces the browser's earlier one. */
const ENDS_SESSIONS: ReadonlySet<string> = new Set([
  "DELETE /api/v1/auth/logout",
  "DELETE /api/v1/member/sessions",
  "POST /api/v1/auth/test-play",
  "GET /api/v1/auth/trial-account",
]);

async function callerOf(role: Role, key: string, call: Call): Promise<Player | null> {
  if (role === "visitor") return null;
  if (role === "operator with every other permission") {
    return withoutThem.get(`${permissionsOf(call)}`) ?? null;
  }
  // A call that ends its session gets a new caller.
  if (ENDS_SESSIONS.has(key) && kindOf(role) !== null) return makeCaller(role);
  return others.get(role) ?? harness.players[kindOf(role) ?? "member"];
}

async function makeCaller(role: Role): Promise<Player> {
  const kind = kindOf(role);
  const player = await harness.newPlayer(HERE, KINDS[kind ?? "member"].type);
  if (kind === null) await harness.send("DELETE /api/v1/auth/logout", player, {});
  else if (kind !== role) await setBlocked(player, true);
  return player;
}

/** A body that the server accepts from an admitted caller. */
function bodyOf(key: keyof typeof TRIED, player: Player): Promise<object> {
  const send: Sender["send"] = (before, body) => harness.send(before, player, { body });
  return TRIED[key].body({ ...player, pool: harness.pool, send });
}

/** A game of an outside vendor, which opens at the vendor and not on our page. */
async function launchAtVendor(): Promise<object> {
  const wanted = { query: { vassalage: "PGE", pageSize: "50" } };
  const { json } = await harness.send("GET /api/v1/games", harness.players.member, wanted);
  const games: Reply<"GET /api/v1/games">["games"] = json.value.games;
  const game = present(
    games.find(({ status, supportPlay }) => status === "up" && supportPlay),
    "a game of the vendor's",
  );
  const { nodeId, gameId, gameType: gameCategory } = game;
  return { vendor: "PGE", gameCategory, gameId, nodeId, supportFreePlay: true };
}

function setBlocked({ id }: Player, blocked: boolean) {
  return harness.pool.query("UPDATE members SET blocked = $2 WHERE id = $1", [id, blocked]);
}

function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
}

function sampleOf(call: Call): Input {
  const one = (schema: z.ZodType | undefined) =>
    schema === undefined
      ? undefined
      : fc.sample(valid(schemaOf(schema)), { numRuns: 1, seed: SEED })[0];
  // Made from the schemas of these parts.
  const [params, query] = [one(call.params), one(call.query)] as Input["params"][];
  // The server checks no signature for a vendor that does not exist.
  const named = call.callers.includes("signed") ? { vendor: VENDOR, provider: "sandbox" } : {};
  const worded = call.body instanceof z.ZodObject && "reason" in call.body.shape;
  const body = one(call.body);
  return {
    params: params === undefined ? undefined : { ...params, ...named },
    query,
    body: worded ? { ...Object(body), reason: "A reason" } : body,
  };
}

function pathOf(key: string, { params }: Input): string {
  return (key.split(" ")[1] ?? "").replace(/\{(\w+)\}/g, (_, name: string) =>
    String(params?.[name]),
  );
}

/** The secret that the demo's outside services share with the product. */
function secretOf(key: string, vendor: string): string {
  const config = loadConfig({ NODE_ENV: "test" });
  if (!config.ok) throw new Error(config.error.join("; "));
  const { sessionSecret, sandboxPaymentSecret } = config.value;
  if (key.includes("callbacks")) return vendor === VENDOR ? sandboxPaymentSecret : "another's";
  return simulatedVendorSecret(sessionSecret, vendor);
}

function signatureOf(key: string, secret: string, path: string, body: string, at: number): string {
  return key.includes("callbacks") ? sign(secret, body, at) : signAsVendor(secret, path, body, at);
}

/** A play of the member at the vendor under test. */
async function somePlay(): Promise<{ id: string }> {
  const { id: memberId } = harness.players.member;
  const id = freshId("play");
  await harness.pool.query(
    `INSERT INTO vendor_plays (id, token_hash, merchant_id, member_id, session_id, vendor, game_id,
       currency, language, created_at, opened_at)
     SELECT $1::text, sha256(convert_to($1::text, 'UTF8')), $4, $2, s.id, $3, 'game', 'PHP', 'EN', now(), now()
     FROM sessions s WHERE s.member_id = $2 LIMIT 1`,
    [id, memberId, VENDOR, demoBrand.id],
  );
  return { id };
}
