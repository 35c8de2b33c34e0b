import { fork } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import fc from "fast-check";
import { z } from "zod";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { migrate } from "../../apps/server/src/platform/postgres/migrate.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import { fieldsOf, invalid, type JsonSchema, valid, withValue } from "../api/input-arbitrary.ts";
import {
  type CallerKind,
  type Callers,
  openCallers,
  SANDBOX_SECRET,
  SESSION_SECRET,
} from "./callers.ts";
import { type Chance, seededChance } from "./chance.ts";
import { FaultDatabase } from "./fault-database.ts";
import { peopleOf } from "./world.ts";

/**
 * `npm run faults -- --malformed N`: so many requests made from the contract's schemas, by admitted
 * callers, and then broken: values that no schema accepts, bytes flipped and cut off, meaningless
 * paths, headers and methods, callers who are not admitted, lines that are no HTTP. None may get a
 * 5xx or no answer, none may take long, and the heap may not grow with their number. Every call
 * must be reached by a caller it is for.
 */
const { values: options } = parseArgs({
  options: {
    malformed: { type: "string", default: "20000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    record: { type: "string" },
    counts: { type: "string" },
  },
});

const AT_ONCE = 16;
/** Samples per call. */
const SAMPLES = 20;
/** No caller should wait longer; a machine with other work gets more time. */
const HANG_MS = 2_000;
const NO_ANSWER_MS = 30_000;
/** The possible difference between two heap readings of the same state. */
const HEAP_NOISE_BYTES = 24 * 1024 * 1024;
/** Intended 5xx answers: the outside services do not exist in this run. */
const MEANT = ["provider_unavailable", "message_unavailable"];
/** Refusals that come before the server reads a request's input. */
const STOPPED = [
  ...["not_logged_in", "session_ended", "permission_denied", "real_account_needed"],
  ...["bad_signature", "stale_payload", "unsupported_media_type", "method_not_allowed"],
  ...["body_too_large", "malformed_body"],
];
/** So many requests certainly reach every call; fewer may not. */
const REACHES_ALL = 5_000;
/** The product's limit for a body; a call with a file has its own. */
const BODY_MAX_BYTES = 64 * 1024;

/** A valid call, or one with an invalid field, without a caller yet. */
interface Blank {
  readonly key: string;
  readonly call: Call;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer | null;
}

interface Shot {
  readonly blank: Blank;
  /** The caller, and how the request travels; `wrong` for a caller who is not admitted. */
  readonly caller: CallerKind | "wrong" | `${CallerKind}, ${"sealed" | "a file"}`;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
}

interface Tally {
  sent: number;
  /** How many of them were broken before they were sent. */
  broken: number;
  slow: number;
  longestMs: number;
  readonly statuses: Map<number, number>;
  /** The same per kind of caller; `input` counts refusals of the input itself. */
  readonly ofCallers: Map<string, Map<number | "input", number>>;
  /** Calls whose input the server read. */
  readonly reached: Set<string>;
  readonly found: Map<string, number>;
}

const ODD_PARTS = ["%00", "%", "%zz", "..%2f", "%ff%fe", "//", ";", "?", "%F0%9F", "~", "[]", "'"];
const ODD_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ...([
    ["content-type", "text/html"],
    ["content-type", "application/json; charset=nothing"],
    ["content-type", ""],
    ["authorization", "Bearer"],
    ["authorization", `Basic ${"x".repeat(3_000)}`],
    ["cookie", "perya_session=;;;=;%00"],
    ["cookie", `perya_session=${"y".repeat(6_000)}`],
    ["x-encryption", "jwe; kid=../../etc"],
    ["x-language", "xx-\u00ff"],
    ["x-forwarded-for", "999.1.1.1, ::g, ,"],
    ["host", "nobody.test"],
    ["origin", "null"],
    ["accept-encoding", "zstd;q=9, *"],
    ["content-encoding", "gzip"],
    ["range", "bytes=9-1"],
    ["if-none-match", '"'.repeat(99)],
    ["x-module-id", "x".repeat(500)],
    ["x-perya-signature", "t=1,v1=zz"],
    ["expect", "200-ok"],
  ] as const),
];

const FILE = "application/octet-stream";
const FORM = "application/x-www-form-urlencoded";
/** A PNG of one pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

const wanted = Number(options.malformed);
const folder = mkdtempSync(join(tmpdir(), `perya-faults-${process.pid}-`));
chmodSync(folder, 0o755);
const database = new FaultDatabase(folder);
try {
  await database.start();
  await migrate(database.url, { log: createLogger({ level: "silent" }) });
  await flood();
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function flood(): Promise<void> {
  const server = fork(fileURLToPath(new URL("unlimited-server.ts", import.meta.url)), [], {
    execArgv: ["--import", "tsx", "--expose-gc"],
    env: {
      ...{ ...process.env, DATABASE_URL: database.url, SESSION_SECRET },
      SANDBOX_PAYMENT_SECRET: SANDBOX_SECRET,
    },
  });
  let ended = false;
  server.once("exit", () => {
    ended = true;
  });
  const [{ url }] = await once(server, "message");
  const people = await peopleOf(database.url);
  const pool = createPool(database.url, { max: 1, log: createLogger({ level: "silent" }) });
  const callers = await openCallers(url, pool, people);
  await pool.end();
  const blanks = ammunition(callers);
  const tally: Tally = {
    ...{ sent: 0, broken: 0, slow: 0, longestMs: 0, statuses: new Map(), found: new Map() },
    ...{ ofCallers: new Map(), reached: new Set() },
  };
  // Caches and compiled code are filled once, and do not count as growth.
  await fire(url, { blanks, callers }, tally, Math.ceil(wanted / 5), "warm");
  const before = await heapOf();
  await fire(url, { blanks, callers }, tally, wanted, "flood");
  const after = await heapOf();
  const stands = !ended && (await fetch(`${url}/readyz`)).status === 200;
  if (!stands) found(tally, "the server does not stand any more");
  if (after - before > HEAP_NOISE_BYTES) found(tally, `the heap grew from ${before} to ${after}`);
  if (tally.slow > 0) found(tally, `${tally.slow} took longer than ${HANG_MS} ms`);
  for (const one of stands ? await callers.lost() : []) found(tally, one);
  for (const key of wanted < REACHES_ALL ? [] : Object.keys(calls)) {
    if (!tally.reached.has(key)) found(tally, `nothing that was sent to ${key} was looked at`);
  }
  server.kill("SIGKILL");
  report(tally, { before, after, shots: blanks.length });

  async function heapOf(): Promise<number> {
    const answer = once(server, "message");
    server.send("heap");
    const [{ heapBytes }] = await answer;
    return heapBytes;
  }
}

async function fire(
  url: string,
  { blanks, callers }: { readonly blanks: readonly Blank[]; readonly callers: Callers },
  tally: Tally,
  until: number,
  part: string,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const ofCalls = Object.keys(calls).map((key) => blanks.filter((blank) => blank.key === key));
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, worker) => {
      const chance = seededChance(`${options.seed} ${part} ${worker}`);
      while (tally.sent < until) {
        tally.sent += 1;
        // Half of them are drawn by call, since few calls with long schemas have most blanks.
        const from = chance.below(2) === 0 ? blanks : chance.pick(ofCalls);
        const whole = await made(chance.pick(from), callers, chance);
        const shot = broken(whole, chance);
        if (!isDeepStrictEqual(shot, whole)) tally.broken += 1;
        const isRaw = chance.below(50) === 0;
        const startedAt = performance.now();
        const answer = isRaw ? await sendRaw(url, shot, chance) : await send(url, shot, agent);
        const tookMs = performance.now() - startedAt;
        tally.longestMs = Math.max(tally.longestMs, tookMs);
        if (tookMs > HANG_MS) tally.slow += 1;
        judge(tally, shot, answer, isRaw);
      }
    }),
  );
  agent.destroy();
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function judge(tally: Tally, shot: Shot, { status, text }: Answer, isRaw: boolean): void {
  const { blank, caller, method, path, body } = shot;
  const own = tally.ofCallers.get(caller) ?? new Map<number | "input", number>();
  tally.ofCallers.set(caller, own);
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? "";
  const counted = code === "invalid_input" ? (["input", status] as const) : [status];
  for (const one of counted) own.set(one, (own.get(one) ?? 0) + 1);
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
  const isCall = shot.method === blank.method && shot.path === blank.path && caller !== "wrong";
  if (isCall && status > 0 && status < 500 && !STOPPED.includes(code)) tally.reached.add(blank.key);
  const short = path.replace(/_[0-9a-z]{26}/g, "_…").slice(0, 80);
  const what = `${method} ${short} ${body?.toString("latin1").slice(0, 120) ?? ""}`;
  if (status === 0 && !isRaw && !isTooLarge(shot)) found(tally, `no answer to ${what}`);
  if (status < 500 || MEANT.some((one) => one === code)) return;
  found(tally, `${status} of ${what}`);
}

/** Whether the connection may be closed before its caller has read the refusal. */
function isTooLarge({ blank, body }: Shot): boolean {
  return (body?.length ?? 0) > (blank.call.upload?.maxBytes ?? BODY_MAX_BYTES);
}

function found(tally: Tally, what: string): void {
  tally.found.set(what, (tally.found.get(what) ?? 0) + 1);
}

/** Valid requests, and requests with each field made invalid. */
function ammunition(callers: Callers): Blank[] {
  const seed = Number(options.seed);
  return Object.entries(calls as Record<string, Call>).flatMap(([key, call]) => {
    const [method = "", template = ""] = key.split(" ");
    const given = fc.record({
      params: inputOf(call.params),
      query: inputOf(call.query),
      body: inputOf(call.body),
    });
    const schema = call.body === undefined ? null : schemaOf(call.body);
    return fc
      .sample(given, { numRuns: SAMPLES, seed })
      .flatMap(({ params, query, body }, nth): Blank[] => {
        const known = callers.known(call, key, nth);
        const path = addressOf(template, { ...Object(params), ...known.params }, query);
        const blank = { key, call, method, path };
        if (call.upload !== undefined) return [{ ...blank, body: PICTURE }];
        if (schema === null) return [{ ...blank, body: null }];
        const whole = named(body, known.body);
        return [whole, ...wrong(schema, whole)].map((one) => ({
          ...blank,
          body: Buffer.from(JSON.stringify(one) ?? "null"),
        }));
      });
  });
}

function named(body: unknown, known: object): unknown {
  return Object.keys(known).length === 0 ? body : { ...Object(body), ...known };
}

/** A request by its caller, with session or token, sealed or signed; one in eight by another. */
async function made(blank: Blank, callers: Callers, chance: Chance): Promise<Shot> {
  const { key, call, method, path } = blank;
  const isWrong = chance.below(8) === 0;
  const { kind, headers } = isWrong
    ? callers.wrongFor(key, call, chance)
    : callers.rightFor(key, call, chance);
  const travels = call.encrypted ? "sealed" : call.upload ? "a file" : null;
  const caller = isWrong ? "wrong" : travels === null ? kind : (`${kind}, ${travels}` as const);
  // A body that is broken before it is sealed or signed gets past both checks.
  const inside = blank.body !== null && chance.below(3) === 0;
  const body = inside && blank.body !== null ? bytesOf(blank.body, chance) : blank.body;
  const shot = { blank, caller, method, path } as const;
  if (body === null) return { ...shot, headers: { ...headers }, body };
  if (call.upload !== undefined) {
    return { ...shot, headers: { ...headers, "content-type": FILE }, body };
  }
  const json = { ...headers, "content-type": "application/json" };
  if (call.encrypted === true) {
    const sealed = await callers.seal(key, parsed(body));
    const data = Buffer.from(JSON.stringify({ data: sealed.data }));
    return { ...shot, headers: { ...json, ...sealed.headers }, body: data };
  }
  if (call.form === true && chance.below(2) === 0) {
    const form = new URLSearchParams(Object.entries(Object(parsed(body))).map(textOf));
    return { ...shot, headers: { ...headers, "content-type": FORM }, body: Buffer.from(`${form}`) };
  }
  return { ...shot, headers: { ...json, ...callers.signature(kind, path, body) }, body };
}

function textOf([name, value]: [string, unknown]): [string, string] {
  return [name, String(value)];
}

/** A body that is no JSON is sealed as a text. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return body.toString("latin1");
  }
}

/** A few of the many, otherwise most requests would come from the longest schema. */
function wrong(schema: JsonSchema, body: unknown): unknown[] {
  const chance = seededChance(JSON.stringify(body) ?? "");
  const all = fieldsOf(schema).flatMap(({ path, schema: field }) =>
    [...invalid(field), undefined].map((value) => [path, value] as const),
  );
  if (all.length === 0) return [];
  return Array.from({ length: 8 }, () => {
    const [path, value] = chance.pick(all);
    return withValue(body, path, value);
  });
}

function addressOf(template: string, params: unknown, query: unknown): string {
  const of = (params ?? {}) as Record<string, unknown>; // fields of the schema's own samples
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(of[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? path : `${path}?${search}`;
}

/** Breaks some part of the request; many stay as they were. */
function broken(shot: Shot, chance: Chance): Shot {
  switch (chance.below(10)) {
    case 0:
    case 1:
      return shot;
    case 2:
      return {
        ...shot,
        method: chance.pick(["PATCH", "DELETE", "OPTIONS", "HEAD", "PUT", "POST"]),
      };
    case 3: {
      const at = chance.below(shot.path.length + 1);
      const part = chance.pick(ODD_PARTS);
      return {
        ...shot,
        path: `/${(shot.path.slice(0, at) + part + shot.path.slice(at)).slice(1)}`,
      };
    }
    case 4: {
      const [name, value] = chance.pick(ODD_HEADERS);
      return { ...shot, headers: { ...shot.headers, [name]: value } };
    }
    case 5: {
      if (shot.body === null || chance.below(8) > 0) return shot;
      const tooMuch = 1 + (shot.blank.call.upload?.maxBytes ?? BODY_MAX_BYTES);
      return { ...shot, body: Buffer.concat([shot.body, Buffer.alloc(tooMuch, " ")]) };
    }
    default: {
      // Sealed or signed bodies are broken only seldom: the server then reads nothing else of them.
      const { encrypted, callers } = shot.blank.call;
      const isShut = encrypted === true || callers.includes("signed");
      if (shot.body === null || (isShut && chance.below(4) > 0)) return shot;
      return { ...shot, body: bytesOf(shot.body, chance) };
    }
  }
}

function bytesOf(body: Buffer, chance: Chance): Buffer {
  const at = chance.below(body.length + 1);
  switch (chance.below(6)) {
    case 0:
      return body.subarray(0, at);
    case 1: {
      const copy = Buffer.from(body);
      if (copy.length > 0) copy[at % copy.length] = chance.below(256);
      return copy;
    }
    case 2:
      return Buffer.concat([body.subarray(0, at), body.subarray(chance.below(at + 1))]);
    case 3:
      return Buffer.from(`${"[".repeat(chance.below(3_000))}${body}`);
    case 4:
      return Buffer.from(
        body.toString().replace(/\d+/, (n) => `${n}${"0".repeat(chance.below(400))}`),
      );
    default:
      return Buffer.from(body.toString().replace(/"(\w+)":/, '"__proto__":'));
  }
}

function send(url: string, shot: Shot, agent: Agent): Promise<Answer> {
  return new Promise((done) => {
    const failed = (error: unknown) => done({ status: 599, text: `no answer: ${error}` });
    const { hostname, port } = new URL(url);
    const length = shot.body === null ? {} : { "content-length": String(shot.body.length) };
    const sent = request({
      ...{ hostname, port, agent, method: shot.method, path: escaped(shot.path) },
      headers: { ...shot.headers, ...length },
      timeout: NO_ANSWER_MS,
    });
    sent.on("error", (error: Error & { code?: string }) =>
      // The server refused by closing the connection, as for a body that is too large.
      error.code === "ECONNRESET" || error.code === "EPIPE"
        ? done({ status: 0, text: "" })
        : failed(error),
    );
    sent.on("timeout", () => sent.destroy(new Error("time-out")));
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", failed);
      response.on("end", () =>
        done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    sent.end(shot.body ?? undefined);
  });
}

/** Node sends no path with spaces or characters beyond Latin 1. */
function escaped(path: string): string {
  return path.replace(/[^\x21-\x7e]/g, (sign) => encodeURIComponent(sign));
}

/** Sends bytes that are almost HTTP, or not HTTP at all. */
function sendRaw(url: string, shot: Shot, chance: Chance): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const lines = [
    `${shot.method} ${escaped(shot.path)} HTTP/1.1`,
    ...["host: localhost", "connection: close"],
    ...Object.entries(shot.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const at = chance.below(lines.length);
  const odd = [
    "",
    "\u0000",
    `x: ${"z".repeat(20_000)}`,
    "content-length: -1",
    "transfer-encoding: x",
  ];
  lines.splice(at, chance.below(2), chance.pick(odd));
  const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return new Promise((done) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.setTimeout(NO_ANSWER_MS, () => done({ status: 599, text: "no answer" }));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      done({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text });
    });
    // Bytes after the last line would be the next request, so the stream ends here.
    socket.end(bytes);
  });
}

function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
}

function inputOf(schema: z.ZodType | undefined): fc.Arbitrary<unknown> {
  return schema === undefined ? fc.constant(undefined) : valid(schemaOf(schema));
}

function report(
  tally: Tally,
  { before, after, shots }: { before: number; after: number; shots: number },
): void {
  const statuses = [...tally.statuses].sort(([a], [b]) => a - b);
  const lines = [
    "# Malformed requests",
    "",
    `Seed ${options.seed}: ${tally.sent} requests out of ${shots}, of which ${tally.broken} were broken on their way.`,
    `Longest answer ${Math.round(tally.longestMs)} ms. The server's heap after a collection: ` +
      `${before} bytes after a fifth of them, ${after} after all.`,
    "",
    "| Status | Answers |",
    "|---|---:|",
    ...statuses.map(
      ([status, times]) => `| ${status === 0 ? "connection ended" : status} | ${times} |`,
    ),
    "",
    `Calls that were looked at: ${tally.reached.size} of ${Object.keys(calls).length}.`,
    "",
    "| Caller | 200 | refused for their input | other 4xx | 5xx | connection ended |",
    "|---|---:|---:|---:|---:|---:|",
    ...[...tally.ofCallers].map(([caller, own]) => {
      const sum = (from: number, to: number) =>
        [...own].reduce(
          (all, [status, times]) =>
            typeof status === "number" && status >= from && status < to ? all + times : all,
          0,
        );
      const input = own.get("input") ?? 0;
      const refused = sum(300, 500) - input;
      return `| ${caller} | ${sum(200, 300)} | ${input} | ${refused} | ${sum(500, 600)} | ${sum(0, 1)} |`;
    }),
    "",
    ...[...tally.found].map(([what, times]) => `- ${times} × ${what}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (options.record !== undefined) writeFileSync(options.record, lines.join("\n"));
  const counts = {
    passed: tally.found.size === 0 ? 1 : 0,
    failed: tally.found.size,
    failures: [...tally.found].map(([what, times]) => `${times} × ${what}`),
  };
  if (options.counts !== undefined) writeFileSync(options.counts, JSON.stringify(counts));
  process.exitCode = counts.failed === 0 ? 0 : 1;
}
