import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { isOperators } from "../../packages/contract/src/operator.ts";
import {
  declared,
  HERE,
  KINDS,
  openAuthorizationHarness,
  type Player,
} from "./authorization-harness.ts";
import { fieldsOf, type JsonSchema } from "./input-arbitrary.ts";
import { granted, OWNERLESS, RECIPES, SAID } from "./own-objects.ts";
import { freshId, type Received } from "./running-server.ts";

/**
 * Every declared call of players × {own, another player's, another brand's, unknown} object: an
 * object of somebody else must answer exactly like one that does not exist.
 * authorization-matrix.test.ts tests who may call at all.
 */

/** Calls of players; operator-calls.test.ts tests those of operators. */
const unsigned = declared.filter(
  ([, call]) => !call.callers.includes("signed") && !isOperators(call),
);
/** A command's own id, at the top of its body: its caller mints it, within their own rows. */
const COMMAND_ID = "id";
/** Lists of the caller's own objects; lists that any visitor may read are public. */
const paged = unsigned.filter(
  ([, { query, callers }]) =>
    query !== undefined && "cursor" in query.shape && !callers.includes("visitor"),
);

const harness = await openAuthorizationHarness();

afterAll(harness.close);

describe("an id that the server handed out", () => {
  it("has a recipe here for each call that takes it, or a reason why it has no owner", () => {
    const fields = unsigned.flatMap(([key, { params, query, body }]) =>
      [...namingFields(params), ...namingFields(query), ...namingFields(body, COMMAND_ID)].map(
        (field) => [key, field] as const,
      ),
    );
    const named = fields.filter(([, field]) => !SAID.has(field));
    const missing = named
      .filter(([, field]) => !(field in OWNERLESS))
      .map(([key, field]) => `${key} ${field}`)
      .filter((one) => !(one in RECIPES || one in OWNERLESS));
    expect(missing, "fields whose object nobody checks").toEqual([]);
    const known = new Set(named.flatMap(([key, field]) => [field, `${key} ${field}`]));
    const stale = [...Object.keys(RECIPES), ...Object.keys(OWNERLESS)].filter(
      (name) => !known.has(name),
    );
    expect(stale, "recipes for nothing").toEqual([]);
    const spoken = new Set(fields.map(([, field]) => field));
    const unsaid = [...SAID].filter((field) => !spoken.has(field));
    expect(unsaid, "fields that no call has").toEqual([]);
  });

  it.each(Object.entries(RECIPES))("is unknown to other players: %s", async (name, recipe) => {
    const key = name.slice(0, name.lastIndexOf(" "));
    const as = (player: Player) =>
      recipe.loggedOut === true ? { ...player, headers: {} } : player;
    const owner = harness.players[recipe.owner ?? "member"];
    const own = await recipe.own(harness, owner);
    const before = await rowsOf(owner);
    const strangers = (await recipe.strangers?.(harness, own)) ?? [
      [harness.other, own],
      [harness.foreign, own],
    ];
    for (const [stranger, input] of strangers) {
      const unknown = { ...recipe.unknown(), cookie: input.cookie };
      const none = await harness.send(key, as(stranger), unknown);
      expect(none.status).toBeGreaterThanOrEqual(recipe.neverRefused === true ? 200 : 400);
      expect(none.status).toBeLessThan(500);
      const taken = await harness.send(key, as(stranger), input);
      expect(await rowsOf(owner), "the owner's rows").toEqual(before);
      expect([taken.status, withoutRequest(taken.json)]).toEqual([
        none.status,
        withoutRequest(none.json),
      ]);
    }
    // It works for its owner as if nobody else had tried it.
    const answered = await harness.send(key, as(owner), own);
    if (recipe.ownIsAnsweredAlike === true) {
      expect(await rowsOf(owner), "the owner's rows").not.toEqual(before);
    } else {
      const unknown = await harness.send(key, as(owner), recipe.unknown());
      expect(answer(answered), JSON.stringify(answered.json)).not.toEqual(answer(unknown));
    }
  });

  it("leads only through the caller's own list when it is another player's cursor", async () => {
    const owner = await harness.newPlayer(HERE, KINDS.member.type);
    const bets = { gameId: "color-game", choices: { bets: { red: "100" } } };
    const paid = { method: "gwallet", amount: { minor: "10000", currency: "PHP" } };
    const { list } = await granted(harness, owner, "GET /api/v1/lottery/list");
    const { next } = list.find(({ kind }: { kind: string }) => kind === "3d");
    const ticket = {
      drawId: next.id,
      lines: [{ play: "straight", numbers: [1, 2, 3] }],
      lineStake: { minor: "100", currency: "PHP" },
    };
    const { fixtures } = await granted(harness, owner, "GET /api/v1/sports/board");
    const fixture = fixtures.find(({ phase }: { phase: string }) => phase === "next");
    const match = {
      legs: [{ fixtureId: fixture.id, market: "result", selection: "home", odds: 1_010 }],
      stake: { minor: "100", currency: "PHP" },
    };
    for (const _time of ["once", "again"]) {
      await harness.logIn(owner.host, owner.username);
      const commands: [key: string, body: object][] = [
        ["POST /api/v1/rounds", { id: freshId("round"), ...bets }],
        ["POST /api/v1/lottery/tickets", { id: freshId("bet"), ...ticket }],
        ["POST /api/v1/sports/bets", { id: freshId("bet"), ...match }],
        ["POST /api/v1/cashier/deposits", { id: freshId("deposit"), ...paid }],
        [
          "POST /api/v1/cashier/withdrawals",
          { id: freshId("withdrawal"), destination: "09171234567", ...paid },
        ],
      ];
      for (const [key, body] of commands) await granted(harness, owner, key, { body });
    }
    for (const [key] of paged) {
      const first = await granted(harness, owner, key, { query: { limit: 1 } });
      const query = { cursor: first.nextCursor, limit: 50 };
      const rest = await granted(harness, owner, key, { query });
      const all = await granted(harness, owner, key, { query: { limit: 50 } });
      expect([first.items.length, rest.items.length], key).toEqual([1, all.items.length - 1]);
      const owners = new Set([...first.items, ...rest.items].map((item) => JSON.stringify(item)));
      expect(owners.size, key).toBeGreaterThan(1);
      for (const stranger of [harness.other, harness.foreign]) {
        const { items } = await granted(harness, stranger, key, { query });
        const seen = items.filter((item: unknown) => owners.has(JSON.stringify(item)));
        expect(seen, key).toEqual([]);
      }
    }
  });

  it.each(["deposits", "withdrawals"] as const)(
    "is refused as reused when it is the id of another player's command in %s, and nothing is revealed",
    async (what) => {
      const key = `POST /api/v1/cashier/${what}`;
      const id = freshId(what === "deposits" ? "deposit" : "withdrawal");
      const destination = what === "deposits" ? {} : { destination: "09171234567" };
      const amount = { minor: "10000", currency: "PHP" };
      const body = { id, method: "gwallet", amount, ...destination };
      expect((await harness.send(key, harness.players.member, { body })).status).toBe(200);
      for (const stranger of [harness.other, harness.foreign]) {
        const { status, json } = await harness.send(key, stranger, { body });
        expect([status, json.code, json.value]).toEqual([409, "id_reused", undefined]);
      }
    },
  );
});

it("leaves a ledger that verifies", async () => {
  expect(await harness.ledger.verify()).toEqual([]);
});

/** A digest of all rows of the player, by table. */
async function rowsOf({ id }: Player): Promise<Record<string, string | null>> {
  const { rows: tables } = await harness.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'member_id' ORDER BY 1`,
  );
  const digests: Record<string, string | null> = {};
  for (const { name } of tables) {
    const { rows } = await harness.pool.query<{ digest: string | null }>(
      `SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) AS digest
       FROM "${name}" t WHERE member_id = $1`,
      [id],
    );
    digests[name] = rows[0]?.digest ?? null;
  }
  return digests;
}

/** A problem without the fields that differ between requests. */
function withoutRequest({ instance: _instance, requestId: _id, ...json }: Record<string, unknown>) {
  return json;
}

/** Names of the fields that may hold an id: enumerations and booleans are left out. */
function namingFields(schema: z.ZodType | undefined, except?: string): string[] {
  return fieldsOf(schemaOf(schema))
    .filter(({ path }) => path.length > 1 || path[0] !== except)
    .filter(
      ({ schema: { properties, type, ...field } }) =>
        [properties, field.enum, field.const].every((one) => one === undefined) &&
        type !== "boolean",
    )
    .map(({ path }) => path.at(-1) ?? "");
}

/** What a caller learns: the refusal's code, or the value. */
function answer({ json }: Received): unknown {
  return json.code ?? json.value;
}

function schemaOf(schema: z.ZodType | undefined): JsonSchema {
  if (schema === undefined) return {};
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
}
