import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import pg from "pg";
import { afterAll } from "vitest";
import { buildServer, type Server } from "../../apps/server/src/build.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { type Config, loadConfig } from "../../apps/server/src/platform/config.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import { createLogger, type Logger } from "../../apps/server/src/platform/log.ts";
import { type IdKind, mintId } from "../../packages/kernel/src/ids.ts";
import { quickArgon2 } from "../setup/quick-argon2.ts";
import { sealFor } from "../setup/seal-body.ts";
import { createTestDatabase, type TestDatabase } from "../setup/test-database.ts";

export interface RunningServer {
  readonly url: string;
  readonly database: TestDatabase;
  stop(): Promise<void>;
}

/** The whole server on a free port with the demo brand and its own database. */
export async function startServer(
  overrides: Partial<Config> = {},
  given: {
    readonly log?: Logger;
    /** Changes the database before the server starts on it. */
    readonly prepare?: (pool: pg.Pool) => Promise<void>;
  } = {},
): Promise<RunningServer> {
  const database = await createDemoDatabase();
  await given.prepare?.(database.pool);
  const server = await build(database.url, overrides, given.log);
  const { url } = await server.listen();
  return {
    url,
    database,
    stop: async () => {
      await server.close();
      await database.drop();
    },
  };
}

/** The server of a whole test file: it stops after the file's tests. */
export async function serverOfFile(
  ...given: Parameters<typeof startServer>
): Promise<RunningServer> {
  const server = await startServer(...given);
  afterAll(server.stop);
  return server;
}

/** The demo's ninety days of several people take seconds, so one server per run plays them. */
export function createDemoDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ name: "demo", fill: loadDemo });
}

async function loadDemo(url: string): Promise<void> {
  const server = await build(url, {});
  await server.loadDemo();
  await server.close();
  // The demo has it off, since its screen does not exist yet; its call does.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "UPDATE merchants SET settings = jsonb_set(settings, '{flags,AGEPAG}', 'true')",
  );
  await client.end();
}

/** Gives a demo account a number that was verified just now. */
export async function giveNumber(pool: pg.Pool, username: string, number: string): Promise<void> {
  await pool.query(
    `UPDATE members SET dialing_code = '+63', mobile_num = $2, mobile_verified_at = now()
     WHERE username = $1`,
    [username, number],
  );
}

function build(
  databaseUrl: string,
  overrides: Partial<Config>,
  log: Logger = createLogger({ level: "error" }),
): Promise<Server> {
  const config = loadConfig({ NODE_ENV: "test", PORT: "0", METRICS_PORT: "0" });
  if (!config.ok) throw new Error(config.error.join("; "));
  return buildServer({
    config: { ...config.value, logLevel: "error", ...overrides },
    log,
    clock: systemClock,
    entropy: systemEntropy,
    databaseUrl,
    // Generated tests call far more often than people do; other tests cover the limits.
    rateLimiter: { take: async () => null },
    humanCheckMaxNumber: 20,
    argon2: quickArgon2,
  });
}

export interface Caller {
  readonly headers: Readonly<Record<string, string>>;
}

export const VISITOR: Caller = { headers: {} };

/** Logs a demo account in and answers the headers of both session halves. */
export async function logIn(server: RunningServer, username: string): Promise<Caller> {
  const response = await sealed(server, "POST", "/api/v1/auth/login", {
    type: "username",
    username,
    password: "Fiesta2026",
  });
  return callerOf(response);
}

export async function startTrial(server: RunningServer): Promise<Caller> {
  const response = await fetch(`${server.url}/api/v1/auth/test-play`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  return callerOf(response);
}

/** Both halves of the session that a reply opened. */
export async function callerOf(response: Response): Promise<Caller> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`no session: ${response.status} ${text}`);
  const { value } = JSON.parse(text);
  const cookie = cookiesOf(response.headers.getSetCookie());
  return { headers: { authorization: `Bearer ${value.token}`, cookie } };
}

/** The cookies that a browser sends back: the session's half, and the device's. */
function cookiesOf(lines: readonly string[]): string {
  return lines.map((line) => line.split(";")[0] ?? "").join("; ");
}

/** Sends a body as JWE, the way the browser does. */
export async function sealed(
  server: RunningServer,
  method: string,
  path: string,
  body: unknown,
  caller: Caller = VISITOR,
): Promise<Response> {
  const { host } = new URL(server.url);
  const { headers, data } = await sealBody(server, { host, call: `${method} ${path}`, body });
  return fetch(server.url + path, {
    method,
    headers: { ...caller.headers, ...headers, "content-type": "application/json" },
    body: JSON.stringify({ data }),
  });
}

/** A body for one call of one brand as JWE, and the header that names the key. */
export async function sealBody(
  server: RunningServer,
  given: { readonly host: string; readonly call: string; readonly body: unknown },
): Promise<{ headers: Readonly<Record<string, string>>; data: string }> {
  const { host, call, body } = given;
  const { json } = await sendTo(server, "GET", "/api/v1/encryption-key", { host });
  return sealFor(json.value, call, body);
}

export interface Sent {
  readonly host: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Received {
  readonly status: number;
  /** The cookies that the reply set, as a browser sends them back; empty for none. */
  readonly cookie: string;
  readonly headers: IncomingHttpHeaders;
  readonly json: ReturnType<typeof JSON.parse>;
}

/** `fetch` cannot send another Host than it connects to; node:http can. */
export function sendTo(
  server: RunningServer,
  method: string,
  path: string,
  { host, headers = {}, body }: Sent,
): Promise<Received> {
  const { port } = new URL(server.url);
  const text = body === undefined ? "" : JSON.stringify(body);
  // node:http sends no length for the body of a DELETE by itself.
  const length = { "content-length": `${Buffer.byteLength(text)}` };
  const content = body === undefined ? {} : { "content-type": "application/json", ...length };
  const options = { method, path, port, host: "127.0.0.1" };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...options, headers: { ...headers, ...content, host } });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          cookie: cookiesOf(response.headers["set-cookie"] ?? []),
          headers: response.headers,
          json: JSON.parse(Buffer.concat(chunks).toString("utf8")),
        });
      });
    });
    request.end(text);
  });
}

export function freshId(kind: IdKind): string {
  return mintId(kind, systemClock.now(), systemEntropy.bytes(16));
}
