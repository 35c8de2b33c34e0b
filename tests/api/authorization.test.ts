import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { accountOf, type Ledger } from "../../apps/server/src/modules/ledger/ledger.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import { ID_PREFIXES, type IdKind, idPattern } from "../../packages/kernel/src/ids.ts";
import { makeBrand, makeLedger } from "../server/fixtures.ts";
import { type JsonSchema, valid } from "./input-arbitrary.ts";
import {
  freshId,
  type Received,
  type RunningServer,
  sealBody,
  sendTo,
  startServer,
} from "./running-server.ts";

/**
 * Every declared call × every kind of user × {own, another's, another brand's} object. Who may
 * call is read from the contract; what a kind of user is, from the table here (accounts §6). An
 * object of somebody else must answer exactly as one that does not exist.
 */
const SEED = 20_261_121;
const HERE = "localhost";
const THERE = "fiesta.test";
const PASSWORD = "Fiesta2026";

/** Session types as the specification has them, and the caller that each counts as. */
const KINDS = {
  member: { type: 0, caller: "member", real: true },
  agent: { type: 1, caller: "agent", real: true },
  "sub-agent": { type: 2, caller: "agent", real: true },
  trial: { type: 4, caller: "trial", real: false },
  "internal 40": { type: 40, caller: "member", real: false },
  "internal 41": { type: 41, caller: "agent", real: false },
  "internal 42": { type: 42, caller: "agent", real: false },
} as const;
type Kind = keyof typeof KINDS;

const declared = Object.entries<Call>(calls);
/** As the schemas of ids carry them. */
const ID_PATTERNS = (Object.keys(ID_PREFIXES) as IdKind[]).map((kind) => idPattern(kind).source);
const unsigned = declared.filter(([, { callers }]) => !callers.includes("signed"));

interface Player {
  readonly id: string;
  readonly host: string;
  readonly username: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Input {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

let server: RunningServer;
let ledger: Ledger;
let players: Record<Kind, Player>;
/** A second member of the same brand, and one of another. */
let other: Player;
let foreign: Player;

beforeAll(async () => {
  server = await startServer();
  ledger = makeLedger(server.database);
  await makeBrand(server.database.pool, systemClock, { hosts: [THERE] });
  const made: Partial<Record<Kind, Player>> = {};
  for (const kind of Object.keys(KINDS) as Kind[]) {
    made[kind] = await newPlayer(HERE, KINDS[kind].type);
  }
  players = made as Record<Kind, Player>;
  other = await newPlayer(HERE, 0);
  foreign = await newPlayer(THERE, 0);
}, 120_000);

afterAll(async () => {
  await ledger?.close();
  await server?.stop();
});

describe("a call", () => {
  it.each(unsigned)(
    "[A1-01 A6-03] %s admits whom it is for, and tells the others why not",
    async (key, call) => {
      const expected: Record<string, string> = {};
      const got: Record<string, string> = {};
      for (const kind of ["visitor", ...Object.keys(KINDS)] as ("visitor" | Kind)[]) {
        expected[kind] = verdict(call, kind);
        // A session that the call ends is one of its own.
        const caller =
          kind === "visitor"
            ? null
            : ENDS_SESSIONS.has(key)
              ? await newPlayer(HERE, KINDS[kind].type)
              : players[kind];
        const { status, json } = await send(key, caller, sampleOf(call));
        const refused = ["not_logged_in", "real_account_needed", "permission_denied"];
        got[kind] = refused.includes(json.code ?? "") ? (json.code ?? "") : "admitted";
        expect(status, `${kind}: ${JSON.stringify(json)}`).toBeLessThan(500);
      }
      expect(got).toEqual(expected);
    },
  );

  it.each(unsigned.filter(([, { callers }]) => !callers.includes("visitor")))(
    "%s knows no session of another brand",
    async (key, call) => {
      const sample = sampleOf(call);
      for (const [host, player] of [
        [THERE, players.member],
        [HERE, foreign],
      ] as const) {
        const answer = await send(key, { ...player, host }, sample);
        expect([answer.status, answer.json.code]).toEqual([401, "session_ended"]);
      }
    },
  );
});

/** Makes an object of the player's own, and the input that names one. */
interface Recipe {
  own(player: Player): Promise<string>;
  unknown(): string;
  input(id: string): Input;
  /** What is one's own is told apart only by more than the id. */
  ownIsRefusedAlike?: true;
}

const byParam = (id: string): Input => ({ params: { id } });
const PESOS = { minor: "10000", currency: "PHP" };

/** Calls that name an object of one player. */
const RECIPES: Readonly<Record<string, Recipe>> = {
  "GET /api/v1/cashier/deposits/{id}": {
    own: (player) =>
      made(player, "POST /api/v1/cashier/deposits", freshId("deposit"), {
        method: "gwallet",
        amount: PESOS,
      }),
    unknown: () => freshId("deposit"),
    input: byParam,
  },
  "GET /api/v1/cashier/withdrawals/{id}": {
    own: async (player) => {
      const key = "POST /api/v1/cashier/withdrawals";
      const id = await made(player, key, freshId("withdrawal"), {
        method: "gwallet",
        destination: "09171234567",
        amount: PESOS,
      });
      // The rule approves it and the provider pays it by themselves; then it stands still.
      const one = "GET /api/v1/cashier/withdrawals/{id}";
      const state = async () => (await send(one, player, byParam(id))).json.value.state;
      await expect.poll(state, { timeout: 15_000 }).toBe("paid");
      return id;
    },
    unknown: () => freshId("withdrawal"),
    input: byParam,
  },
  "GET /api/v1/rounds/{id}": {
    own: (player) =>
      made(player, "POST /api/v1/rounds", freshId("round"), {
        gameId: "color-game",
        choices: { bets: { red: "100" } },
      }),
    unknown: () => freshId("round"),
    input: byParam,
  },
  "POST /api/v1/saranggola/cash-outs": {
    own: lostKiteBet,
    unknown: () => freshId("bet"),
    input: (betId) => ({ body: { betId } }),
  },
  "POST /api/v1/fairness/seed": {
    own: async (player) => {
      const { json } = await send("GET /api/v1/fairness/seed", player, {});
      return json.value.seedId;
    },
    unknown: () => freshId("seed"),
    input: (replaces) => ({ body: { clientSeed: "mine", replaces } }),
  },
  "DELETE /api/v1/member/sessions/{id}": {
    own: async (player) => {
      await logIn(player.host, player.username);
      const { json } = await send("GET /api/v1/member/sessions", player, {});
      const sessions: { id: string; current: boolean }[] = json.value.sessions;
      return sessions.find(({ current }) => !current)?.id ?? "none";
    },
    unknown: () => freshId("session"),
    input: byParam,
  },
  "DELETE /api/v1/member/passkeys/{id}": {
    own: async (player) => {
      const id = freshId("passkey");
      await server.database.pool.query(
        `INSERT INTO passkeys (id, merchant_id, member_id, credential_id, public_key, counter,
           transports, name, created_at)
         SELECT $1, merchant_id, id, $1, '', 0, '{}', 'a phone', now()
         FROM members WHERE id = $2`,
        [id, player.id],
      );
      return id;
    },
    unknown: () => freshId("passkey"),
    input: byParam,
  },
  "POST /api/v1/member/passkeys": {
    own: async (player) => {
      const { json } = await send("POST /api/v1/member/passkeys/options", player, { body: {} });
      return json.value.challengeId;
    },
    unknown: () => freshId("challenge"),
    input: (challengeId) => ({ body: { challengeId, name: "a phone", response: { id: "none" } } }),
    // No authenticator signed it.
    ownIsRefusedAlike: true,
  },
};

/** Ids that no player owns: minted by the caller, public, or good for whoever was given them. */
const OWNERLESS: Readonly<Record<string, string>> = {
  "POST /api/v1/auth/login captchaId": "given with a picture to whoever asks",
  "PUT /api/v1/auth/register captchaId": "given with a picture to whoever asks",
  "POST /api/v1/auth/passkey challengeId": "given to whoever is about to log in",
  "PUT /api/v1/feedback captchaId": "given with a picture to whoever asks",
  "PUT /api/v1/feedback id": "minted by the caller, within their own messages",
  "POST /api/v1/cashier/deposits id": "minted by the caller; see the ids of commands",
  "POST /api/v1/cashier/withdrawals id": "minted by the caller; see the ids of commands",
  "POST /api/v1/rounds id": "minted by the caller, within their own wallet",
  "POST /api/v1/saranggola/bets id": "minted by the caller, within their own wallet",
  "POST /api/v1/saranggola/bets roundId": "the one flight that everybody sees",
  "GET /api/v1/saranggola/rounds/{id} id": "a finished flight is everybody's to verify",
};

describe("an object", () => {
  it("is of one player wherever a call names it by an id, and this test has a recipe for each", () => {
    const named = declared.flatMap(([key, call]) =>
      [call.params, call.query, call.body].flatMap((schema) =>
        Object.entries(schemaOf(schema).properties ?? {})
          .filter(([, field]) => ID_PATTERNS.some((pattern) => field.pattern === pattern))
          .map(([field]) => [key, field] as const),
      ),
    );
    const missing = named
      .filter(([key, field]) => !(key in RECIPES) && !(`${key} ${field}` in OWNERLESS))
      .map(([key, field]) => `${key} ${field}`);
    expect(missing, "calls whose object nobody checks").toEqual([]);
    const known = new Set(named.flatMap(([key, field]) => [key, `${key} ${field}`]));
    const stale = [...Object.keys(RECIPES), ...Object.keys(OWNERLESS)].filter(
      (key) => !known.has(key),
    );
    expect(stale, "recipes for nothing").toEqual([]);
  });

  it.each(Object.entries(RECIPES))("of another, of any brand, is none: %s", async (key, recipe) => {
    const owner = players.member;
    for (const stranger of [other, foreign]) {
      const none = await send(key, stranger, recipe.input(recipe.unknown()));
      expect(none.status).toBeGreaterThanOrEqual(400);
      expect(none.status).toBeLessThan(500);
      const id = await recipe.own(owner);
      const before = await rowsOf(owner);
      const taken = await send(key, stranger, recipe.input(id));
      expect(await rowsOf(owner), "the owner's rows").toEqual(before);
      expect([taken.status, withoutRequest(taken.json)]).toEqual([
        none.status,
        withoutRequest(none.json),
      ]);
    }
    const own = await send(key, owner, recipe.input(await recipe.own(owner)));
    const unknown = await send(key, owner, recipe.input(recipe.unknown()));
    if (recipe.ownIsRefusedAlike !== true) {
      expect(own.json.code ?? "done", JSON.stringify(own.json)).not.toBe(unknown.json.code);
    }
  });

  it.each(["deposits", "withdrawals"] as const)(
    "the id of another's command in %s is taken, and tells nothing of it",
    async (what) => {
      const key = `POST /api/v1/cashier/${what}`;
      const id = freshId(what === "deposits" ? "deposit" : "withdrawal");
      const destination = what === "deposits" ? {} : { destination: "09171234567" };
      const body = { id, method: "gwallet", amount: PESOS, ...destination };
      expect((await send(key, players.member, { body })).status).toBe(200);
      for (const stranger of [other, foreign]) {
        const { status, json } = await send(key, stranger, { body });
        expect([status, json.code, json.value]).toEqual([409, "id_reused", undefined]);
      }
    },
  );
});

it("leaves a ledger that verifies", async () => {
  expect(await ledger.verify()).toEqual([]);
});

/** What the contract and the specification want of a kind of user at a call. */
function verdict(call: Call, kind: "visitor" | Kind): string {
  if (call.callers.includes("visitor")) return "admitted";
  if (kind === "visitor") return "not_logged_in";
  const { caller, real } = KINDS[kind];
  if (!call.callers.includes(caller)) {
    return caller === "trial" ? "real_account_needed" : "permission_denied";
  }
  return call.realAccount === true && !real ? "real_account_needed" : "admitted";
}

/** A command of the player's own, under the id that it is then known by. */
async function made(player: Player, key: string, id: string, body: object): Promise<string> {
  const { status, json } = await send(key, player, { body: { id, ...body } });
  expect(status, JSON.stringify(json)).toBe(200);
  return id;
}

/** A bet on a flight that is over: what it was placed on is of no matter here. */
async function lostKiteBet(player: Player): Promise<string> {
  const { lane, id: account } = accountOf(player.id, "PHP");
  const id = freshId("bet");
  await server.database.pool.query(
    `INSERT INTO saranggola_bets (lane, account_id, id, round_id, member_id, masked_account,
       currency, stake_minor, state, placed_at)
     VALUES ($1, $2, $3, $4, $5, 'p***r', 'PHP', 100, 'lost', now())`,
    [lane, account, id, freshId("round"), player.id],
  );
  return id;
}

/** Registers, is made what is wanted, is given money, and logs in. */
async function newPlayer(host: string, type: number): Promise<Player> {
  const username = `p${freshId("member").slice(-12)}`;
  if (type === KINDS.trial.type) {
    const { json, cookie } = await sendTo(server, "POST", "/api/v1/auth/test-play", {
      host,
      body: {},
    });
    const headers = { authorization: `Bearer ${json.value.token}`, cookie };
    return { id: "", host, username: json.value.userName, headers };
  }
  const registered = await send(
    "PUT /api/v1/auth/register",
    { id: "", host, username, headers: {} },
    {
      body: {
        username,
        password: PASSWORD,
        confirmPassword: PASSWORD,
        registerMethod: "H5",
        type: 0,
        agreed: true,
      },
    },
  );
  expect(registered.status, JSON.stringify(registered.json)).toBe(200);
  const { rows } = await server.database.pool.query<{ id: string }>(
    "UPDATE members SET type = $2 WHERE username = $1 RETURNING id",
    [username, type],
  );
  const id = rows[0]?.id ?? "";
  const paid = await ledger.credit({
    account: accountOf(id, "PHP"),
    key: "opening",
    amount: 10_000_00n,
    counterAccount: "payment:test",
    kind: "deposit",
    ref: null,
    at: systemClock.now(),
  });
  expect(paid.ok).toBe(true);
  return { id, host, username, headers: await logIn(host, username) };
}

async function logIn(host: string, username: string): Promise<Player["headers"]> {
  const visitor = { id: "", host, username, headers: {} };
  const body = { type: "username", username, password: PASSWORD };
  const { status, json, cookie } = await send("POST /api/v1/auth/login", visitor, { body });
  expect(status, JSON.stringify(json)).toBe(200);
  return { authorization: `Bearer ${json.value.token}`, cookie };
}

async function send(key: string, player: Player | null, input: Input): Promise<Received> {
  const [method = "", template = ""] = key.split(" ");
  const call = declared.find(([name]) => name === key)?.[1];
  const path = template.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(input.params?.[name])),
  );
  const given = Object.entries(input.query ?? {}).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const address = query.size === 0 ? path : `${path}?${query}`;
  const { host, headers } = player ?? { host: HERE, headers: {} };
  if (call?.encrypted === true) {
    const body = await sealBody(server, { host, call: key, body: input.body });
    const sealed = { ...headers, ...body.headers };
    return sendTo(server, method, address, { host, headers: sealed, body: { data: body.data } });
  }
  const body = call?.body === undefined ? undefined : (input.body ?? null);
  return sendTo(server, method, address, { host, headers, body });
}

/** A digest of everything that is the player's own, by table. */
async function rowsOf({ id }: Player): Promise<Record<string, string | null>> {
  const { rows: tables } = await server.database.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'member_id' ORDER BY 1`,
  );
  const digests: Record<string, string | null> = {};
  for (const { name } of tables) {
    const { rows } = await server.database.pool.query<{ digest: string | null }>(
      `SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) AS digest
       FROM "${name}" t WHERE member_id = $1`,
      [id],
    );
    digests[name] = rows[0]?.digest ?? null;
  }
  return digests;
}

/** A problem without what differs from one request to the next. */
function withoutRequest({ instance: _instance, requestId: _id, ...json }: Record<string, unknown>) {
  return json;
}

/** A new session takes the place of the one that its browser held. */
const ENDS_SESSIONS: ReadonlySet<string> = new Set([
  "DELETE /api/v1/auth/logout",
  "DELETE /api/v1/member/sessions",
  "POST /api/v1/auth/test-play",
]);

function schemaOf(schema: z.ZodType | undefined): JsonSchema {
  if (schema === undefined) return {};
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
}

function sampleOf(call: Call): Input {
  const one = (schema: z.ZodType | undefined) =>
    schema === undefined
      ? undefined
      : fc.sample(valid(schemaOf(schema)), { numRuns: 1, seed: SEED })[0];
  // Made from the schemas of the very parts.
  const [params, query] = [one(call.params), one(call.query)] as Input["params"][];
  return { params, query, body: one(call.body) };
}
