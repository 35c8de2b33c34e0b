import { fork } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { z } from "zod";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { migrate } from "../../apps/server/src/platform/postgres/migrate.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import { fieldsOf, invalid, type JsonSchema, valid, withValue } from "../api/input-arbitrary.ts";
import { type Chance, seededChance } from "./chance.ts";
import { FaultDatabase } from "./fault-database.ts";
import { peopleOf, type Seat } from "./world.ts";

/**
 * `npm run faults -- --malformed N`: so many requests made from the contract's schemas and then
 * broken: values that no schema takes, bytes flipped and cut off, paths, headers and methods that
 * mean nothing, lines that are no HTTP. None may be answered by a five-hundred or not at all, none
 * may take long, and the heap may not grow with their number.
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
/** Of each call. */
const SAMPLES = 20;
/** What nobody should have to wait for; a machine that does other things beside gets more. */
const HANG_MS = 2_000;
const NO_ANSWER_MS = 30_000;
/** What the heap may differ by between two readings of one and the same state. */
const HEAP_NOISE_BYTES = 24 * 1024 * 1024;
/** Answers of 5xx that are meant: what stands outside is not there in this run. */
const MEANT = ["provider_unavailable", "message_unavailable"];
const ENDS_SESSIONS = /logout|sessions/;

interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
}

interface Tally {
  sent: number;
  slow: number;
  longestMs: number;
  readonly statuses: Map<number, number>;
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
    env: { ...process.env, DATABASE_URL: database.url },
  });
  let ended = false;
  server.once("exit", () => {
    ended = true;
  });
  const [{ url }] = await once(server, "message");
  const { seats } = await peopleOf(database.url);
  const shots = ammunition(seats);
  const tally: Tally = {
    ...{ sent: 0, slow: 0, longestMs: 0, statuses: new Map(), found: new Map() },
  };
  // What is filled once, caches and compiled code, is no growth.
  await fire(url, shots, tally, Math.ceil(wanted / 5), "warm");
  const before = await heapOf();
  await fire(url, shots, tally, wanted, "flood");
  const after = await heapOf();
  const stands = !ended && (await fetch(`${url}/readyz`)).status === 200;
  if (!stands) found(tally, "the server does not stand any more");
  if (after - before > HEAP_NOISE_BYTES) found(tally, `the heap grew from ${before} to ${after}`);
  if (tally.slow > 0) found(tally, `${tally.slow} took longer than ${HANG_MS} ms`);
  server.kill("SIGKILL");
  report(tally, { before, after, shots: shots.length });

  async function heapOf(): Promise<number> {
    const answer = once(server, "message");
    server.send("heap");
    const [{ heapBytes }] = await answer;
    return heapBytes;
  }
}

async function fire(
  url: string,
  shots: readonly Shot[],
  tally: Tally,
  until: number,
  part: string,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, worker) => {
      const chance = seededChance(`${options.seed} ${part} ${worker}`);
      while (tally.sent < until) {
        tally.sent += 1;
        const shot = broken(chance.pick(shots), chance);
        const startedAt = performance.now();
        const answer =
          chance.below(50) === 0 ? await sendRaw(url, shot, chance) : await send(url, shot, agent);
        const tookMs = performance.now() - startedAt;
        tally.longestMs = Math.max(tally.longestMs, tookMs);
        if (tookMs > HANG_MS) tally.slow += 1;
        judge(tally, shot, answer);
      }
    }),
  );
  agent.destroy();
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function judge(tally: Tally, { method, path, body }: Shot, { status, text }: Answer): void {
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
  if (status < 500) return;
  if (MEANT.some((code) => text.includes(`"${code}"`))) return;
  const short = path.replace(/_[0-9a-z]{26}/g, "_…").slice(0, 80);
  found(tally, `${status} of ${method} ${short} ${body?.toString("latin1").slice(0, 120) ?? ""}`);
}

function found(tally: Tally, what: string): void {
  tally.found.set(what, (tally.found.get(what) ?? 0) + 1);
}

/** Requests as the contract means them, and with each field as it does not. */
function ammunition(seats: readonly Seat[]): Shot[] {
  const seed = Number(options.seed);
  const [seat] = seats;
  if (seat === undefined) throw new Error("nobody plays");
  return Object.entries(calls as Record<string, Call>).flatMap(([key, call]) => {
    const [method = "", template = ""] = key.split(" ");
    const session = {
      ...{ authorization: `Bearer ${seat.token}`, cookie: seat.cookie },
      "x-forwarded-for": seat.address,
    };
    const open = call.callers.includes("visitor") || ENDS_SESSIONS.test(template);
    const headers = { "content-type": "application/json", ...(open ? {} : session) };
    const given = fc.record({
      params: inputOf(call.params),
      query: inputOf(call.query),
      body: inputOf(call.body),
    });
    const schema = call.body === undefined ? null : schemaOf(call.body);
    return fc.sample(given, { numRuns: SAMPLES, seed }).flatMap(({ params, query, body }) => {
      const path = addressOf(template, params, query);
      const bodies = schema === null ? [null] : [body, ...wrong(schema, body)];
      return bodies.map((one): Shot => {
        const text = one === null ? null : Buffer.from(JSON.stringify(one) ?? "null");
        return { method, path, headers, body: text };
      });
    });
  });
}

/** A few of the many, else the longest schema would be most of what is sent. */
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

/** Something of it is made to mean nothing; of ten, two stay as they were. */
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
    default:
      return shot.body === null ? shot : { ...shot, body: bytesOf(shot.body, chance) };
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
      // A refusal by the connection's end, as for a body that is too large.
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

/** Node sends no path with blanks or signs beyond Latin 1. */
function escaped(path: string): string {
  return path.replace(/[^\x21-\x7e]/g, (sign) => encodeURIComponent(sign));
}

/** Bytes that are almost HTTP, or not at all. */
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
    // What follows the last line would be the next request; there is none.
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
    `Seed ${options.seed}: ${tally.sent} requests out of ${shots}, of which four in five were broken.`,
    `Longest answer ${Math.round(tally.longestMs)} ms. The server's heap after a collection: ` +
      `${before} bytes after a fifth of them, ${after} after all.`,
    "",
    "| Status | Answers |",
    "|---|---:|",
    ...statuses.map(
      ([status, times]) => `| ${status === 0 ? "connection ended" : status} | ${times} |`,
    ),
    "",
    ...[...tally.found].map(([what, times]) => `- ${times} × ${what}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (options.record !== undefined) writeFileSync(options.record, lines.join("\n"));
  const counts = { passed: tally.found.size === 0 ? 1 : 0, failed: tally.found.size };
  if (options.counts !== undefined) writeFileSync(options.counts, JSON.stringify(counts));
  process.exitCode = counts.failed === 0 ? 0 : 1;
}
