import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BOOKS } from "../../apps/server/src/books.ts";
import { Ledger } from "../../apps/server/src/modules/ledger/ledger.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import { isOperators, OPERATOR_PERMISSIONS } from "../../packages/contract/src/operator.ts";
import { REFUSALS } from "../../packages/contract/src/refusal.ts";
import { fieldsOf, invalid, type JsonSchema, valid, withValue } from "./input-arbitrary.ts";
import { employ } from "./operator-harness.ts";
import { type Caller, logIn, sealed, serverOfFile, startTrial, VISITOR } from "./running-server.ts";

/**
 * Sends every call that the contract declares inputs made from its own schemas: valid, boundary and
 * broken ones. No reply is 5xx, every reply matches its schema, every refusal is a problem that
 * names its code and its field, and a refused call writes nothing.
 */
const SEED = Number(process.env.FC_SEED ?? 20_261_120);
const SAMPLES = 12;
const declared = Object.entries(calls) as [string, Call][];

let callers: Record<"visitor" | "member" | "trial" | "agent" | "operator", Caller>;

const server = await serverOfFile();
callers = {
  visitor: VISITOR,
  member: await logIn(server, "bea"),
  trial: await startTrial(server),
  agent: await logIn(server, "linda"),
  operator: await employ(server, OPERATOR_PERMISSIONS),
};

describe("every call", () => {
  it.each(declared)("%s answers valid input by its schema and never 5xx", async (key, call) => {
    const given = fc.record({
      params: inputOf(call.params),
      query: inputOf(call.query),
      body: inputOf(call.body),
    });
    for (const input of fc.sample(given, { numRuns: SAMPLES, seed: SEED })) {
      await checkAnswer(call, await send(key, call, callerFor(call), input), input);
      if (endsSession(key)) break;
    }
    if (endsSession(key)) callers = { ...callers, member: await logIn(server, "bea") };
  });

  it.each(declared.filter(([, call]) => call.body !== undefined && !isSigned(call)))(
    "%s refuses broken bodies, names the field and writes nothing",
    async (key, call) => {
      const schema = schemaOf(call.body);
      const [sample] = fc.sample(valid(schema), { numRuns: 1, seed: SEED });
      const [params] = fc.sample(inputOf(call.params), { numRuns: 1, seed: SEED });
      const before = await written();
      const broken: [field: string, body: unknown][] = fieldsOf(schema).flatMap(
        ({ path, schema: field }) => [
          ...invalid(field).map((value): [string, unknown] => [
            path.join("."),
            withValue(sample, path, value),
          ]),
          ...(isRequired(schema, path)
            ? [[path.join("."), withValue(sample, path, undefined)] as [string, unknown]]
            : []),
        ],
      );
      broken.push(["unknown", withValue(sample, ["__unknown"], 1)]);
      for (const body of [null, [], "x", 1, true]) broken.push(["body", body]);
      for (const [field, body] of broken) {
        if (z.safeParse(call.body as z.ZodType, body).success) continue;
        const answer = await send(key, call, callerFor(call), { params, query: undefined, body });
        const note = `${field}: ${JSON.stringify(body)?.slice(0, 200)} → ${answer.text}`;
        expect(answer.status, note).toBeGreaterThanOrEqual(400);
        expect(answer.status, note).toBeLessThan(500);
        const problem = JSON.parse(answer.text);
        if (problem.code === "invalid_input") {
          expect(problem.fields.length, note).toBeGreaterThan(0);
          expect(problem.fields[0].message, note).not.toBe("");
        } else expect(["body_too_large", "malformed_body"], note).toContain(problem.code);
      }
      expect(await written()).toEqual(before);
    },
    60_000,
  );

  it.each(declared.filter(([, call]) => call.query !== undefined))(
    "%s refuses broken queries and names the field",
    async (key, call) => {
      const fields = fieldsOf(schemaOf(call.query));
      const [params] = fc.sample(inputOf(call.params), { numRuns: 1, seed: SEED });
      for (const { path } of fields) {
        for (const value of ["\u0000", "-1", "1.5", "x".repeat(3_000), "💥", "null", "[]"]) {
          const query = { [path[0] ?? ""]: value };
          if (z.safeParse(call.query as z.ZodType, query).success) continue;
          const input = { params, query, body: undefined };
          const answer = await send(key, call, callerFor(call), input);
          const note = `${path}: ${value.slice(0, 20)} → ${answer.text}`;
          expect(answer.status, note).toBe(400);
          const problem = JSON.parse(answer.text);
          expect(problem.code, note).toBe("invalid_input");
        }
      }
    },
  );

  it.each(declared)("%s refuses callers it is not for", async (key, call) => {
    if (isSigned(call)) {
      const answer = await send(key, call, callers.member, sampleOf(call));
      expect([400, 401, 404]).toContain(answer.status);
      return;
    }
    for (const [role, caller] of Object.entries(callers)) {
      const operators = isOperators(call);
      const allowed = call.callers.some((one) => one === "visitor" || one === role);
      if (allowed || (operators && role === "operator")) continue;
      const answer = await send(key, call, caller, sampleOf(call));
      const code = JSON.parse(answer.text).code;
      // A player's token logs no operator in, and an operator's token no player.
      const expected =
        operators || role === "visitor"
          ? "not_logged_in"
          : role === "operator"
            ? "session_ended"
            : role === "trial"
              ? "real_account_needed"
              : "permission_denied";
      expect(code, `${role}: ${answer.text}`).toBe(expected);
    }
  });

  it("leaves a ledger that verifies", async () => {
    const ledger = new Ledger({
      books: BOOKS,
      databaseUrl: server.database.url,
      pool: server.database.pool,
      writers: 0,
      onTrouble: () => undefined,
    });
    expect(await ledger.verify()).toEqual([]);
  });
});

interface Input {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type: string;
}

async function send(key: string, call: Call, caller: Caller, input: Input): Promise<Answer> {
  const [method = "", template = ""] = key.split(" ");
  const params = (input.params ?? {}) as Record<string, unknown>;
  const path = template.replace(/\{(\w+)\}/g, (_all, name) =>
    encodeURIComponent(String(params[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((input.query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const address = query.size === 0 ? path : `${path}?${query}`;
  const response =
    call.encrypted === true
      ? await sealed(server, method, address, input.body, caller)
      : await fetch(server.url + address, {
          method,
          headers:
            call.body === undefined
              ? caller.headers
              : { ...caller.headers, "content-type": "application/json" },
          ...(call.body === undefined ? {} : { body: JSON.stringify(input.body ?? null) }),
        });
  return {
    status: response.status,
    text: await response.text(),
    type: response.headers.get("content-type") ?? "",
  };
}

async function checkAnswer(call: Call, answer: Answer, input: Input): Promise<void> {
  const note = `${JSON.stringify(input)?.slice(0, 300)} → ${answer.text.slice(0, 300)}`;
  expect(answer.status, note).toBeLessThan(500);
  const json = JSON.parse(answer.text);
  if (answer.status === 200) {
    expect(z.safeParse(call.reply as z.ZodType, json.value).error, note).toBeUndefined();
    return;
  }
  expect(answer.type, note).toContain("application/problem+json");
  expect(Object.keys(REFUSALS), note).toContain(json.code);
  expect(REFUSALS[json.code as keyof typeof REFUSALS], note).toBe(answer.status);
  expect(json.title.length * json.detail.length, note).toBeGreaterThan(0);
}

function callerFor(call: Call): Caller {
  if (isOperators(call)) return callers.operator;
  const known = (["member", "trial", "agent"] as const).find((one) => call.callers.includes(one));
  return callers[known ?? "visitor"];
}

function isSigned(call: Call): boolean {
  return call.callers.includes("signed");
}

function endsSession(key: string): boolean {
  return key === "DELETE /api/v1/auth/logout";
}

function schemaOf(schema: z.ZodType | undefined): JsonSchema {
  if (schema === undefined) return {};
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
}

function inputOf(schema: z.ZodType | undefined): fc.Arbitrary<unknown> {
  return schema === undefined ? fc.constant(undefined) : valid(schemaOf(schema));
}

function sampleOf(call: Call): Input {
  const one = (schema: z.ZodType | undefined) =>
    fc.sample(inputOf(schema), { numRuns: 1, seed: SEED })[0];
  return { params: one(call.params), query: one(call.query), body: one(call.body) };
}

function isRequired(schema: JsonSchema, path: readonly string[]): boolean {
  const [name = "", ...rest] = path;
  if (!(schema.required ?? []).includes(name)) return false;
  const field = schema.properties?.[name];
  return rest.length === 0 || (field !== undefined && isRequired(field, rest));
}

/** The rows of every table that a command could write to: all that name a wallet, and these. */
async function written(): Promise<unknown> {
  const { pool } = server.database;
  const { rows: wallets } = await pool.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.column_name = 'account_id'
       AND t.table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const tables = [
    ...wallets.map(({ name }) => name),
    ...["members", "sms_codes", "payment_events", "feedback"],
    ...["promotion_applications", "agent_contracts", "operator_actions"],
  ];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(", ");
  const { rows } = await pool.query(`SELECT ${counts}`);
  return rows[0];
}
