import { setTimeout as sleep } from "node:timers/promises";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mintToken } from "../../apps/server/src/platform/bearer-token.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import { sealed } from "../api/running-server.ts";
import { freePort } from "../setup/free-port.ts";
import { startMailServer } from "../setup/mail-server.ts";
import { openTcpLine } from "../setup/tcp-line.ts";
import { createTestDatabase, type TestDatabase } from "../setup/test-database.ts";
import { makeBrand } from "./fixtures.ts";
import { startServerProcess } from "./server-process.ts";

const PLAIN = { NODE_ENV: "test", DEMO_DATA: "false" };
const MAILS = 9;
const EACH_INBOX = 3;

describe("a server process beside a service that accepts connections and never answers", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await makeBrand(database.pool, systemClock, { hosts: ["127.0.0.1"] });
  });
  afterAll(() => database?.drop());

  it("ends in order, although a mail server took mails and never answered", async () => {
    for (let i = 0; i < MAILS / EACH_INBOX; i++) await addPlayer(`player${i}`);
    const mailServer = await startHangingMailServer();
    const server = await startServerProcess({
      ...{ ...PLAIN, DATABASE_URL: database.url },
      ...{ MAIL_URL: `smtp://127.0.0.1:${mailServer.port}`, MAIL_FROM: "no-reply@example.ph" },
    });
    for (let i = 0; i < MAILS; i++) {
      const asked = await forgot(server.url, `player${Math.floor(i / EACH_INBOX)}`);
      expect([i, asked.status]).toEqual([i, 200]);
    }
    await expect.poll(() => mailServer.hanging(), { timeout: 10_000 }).toBeGreaterThan(0);
    const askedAt = performance.now();
    server.signal("SIGTERM");
    expect(await server.ended).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(10_000);
    await mailServer.close();
  }, 120_000);

  it("mails an owner about a change although it dies, and no job waits for the mail server", async () => {
    const [mailServer, back] = await Promise.all([startHangingMailServer(), startMailServer()]);
    const start = (port: number) =>
      startServerProcess({
        ...{ ...PLAIN, DATABASE_URL: database.url },
        ...{ MAIL_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: "no-reply@example.ph" },
      });
    const dying = await start(mailServer.port);
    const token = await addResetLink();
    const given = { token, newPassword: "Sampaguita77", confirmNewPassword: "Sampaguita77" };
    const set = await sealed(
      { ...dying, database },
      "POST",
      "/api/v1/auth/password-by-link",
      given,
    );
    expect(set.status).toBe(200);
    await expect.poll(() => mailServer.hanging(), { timeout: 10_000 }).toBe(1);
    expect(await (await fetch(`${dying.url}/readyz`)).json()).toMatchObject({ ready: true });
    await dying.kill();
    const next = await start(back.port);
    // Another process takes the dead one's job when it has been silent for a while.
    const told = () => back.arrived.filter(({ to }) => to.includes("player9@example.com"));
    await expect.poll(() => told().length, { timeout: 90_000, interval: 200 }).toBe(1);
    await next.stop();
    await Promise.all([mailServer.close(), back.close()]);
  }, 120_000);

  it("mails a promised link although it dies at once while its mail server is away", async () => {
    const port = await freePort();
    const start = () =>
      startServerProcess({
        ...{ ...PLAIN, DATABASE_URL: database.url },
        ...{ MAIL_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: "no-reply@example.ph" },
      });
    await addPlayer("promised");
    const dying = await start();
    expect((await forgot(dying.url, "promised")).status).toBe(200);
    await dying.kill();
    const back = await startMailServer({}, port);
    const next = await start();
    const promised = () => back.arrived.filter(({ to }) => to.includes("promised@example.com"));
    await expect.poll(() => promised().length, { timeout: 90_000, interval: 200 }).toBe(1);
    await next.stop();
    await back.close();
  }, 120_000);

  it("waits for its database at start, and serves when the database comes", async () => {
    const { line, url } = await databaseLine();
    line.silence("both");
    const starting = startServerProcess({ ...PLAIN, DATABASE_URL: url });
    // The server gave up the first try by itself.
    await expect.poll(() => line.counts.silenced, { timeout: 60_000 }).toBeGreaterThan(1);
    line.mend();
    const server = await starting;
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await server.stop();
    expect(await server.ended).toBe(0);
    await line.close();
  }, 120_000);

  it("serves although the look-up of its Redis's name never ends", async () => {
    const url = new URL(database.url);
    url.hostname = "localhost";
    const server = await startServerProcess(
      { ...PLAIN, DATABASE_URL: url.href, REDIS_URL: "redis://redis.hanging" },
      { imports: [`data:text/javascript,${encodeURIComponent(HANGING_NAME)}`] },
    );
    // Wait longer than the Redis clients give a connection.
    await sleep(3_000);
    const ready = await fetch(`${server.url}/readyz`);
    expect(await ready.json()).toMatchObject({ ready: true, database: "up" });
    await server.stop();
    expect(await server.ended).toBe(0);
  }, 120_000);

  it("begins its start anew when the database is lost in the middle of it", async () => {
    const { line, url } = await databaseLine();
    /** Starts a process that loses its database after it has sent so many pieces; null never. */
    const start = async (after: number | null) => {
      const before = line.counts.to;
      let lost = false;
      const watching = setInterval(() => {
        if (after === null || lost || line.counts.to - before < after) return;
        lost = true;
        line.turnAway();
        line.cut();
        setTimeout(() => line.leadTo(database.url), 300);
      }, 1);
      const server = await startServerProcess({ ...PLAIN, DATABASE_URL: url });
      clearInterval(watching);
      expect([after, lost]).toEqual([after, after !== null]);
      // A process that already listened and begins anew is away for a moment.
      const ready = () =>
        fetch(`${server.url}/readyz`).then(
          ({ status }) => status,
          () => 0,
        );
      await expect.poll(ready, { timeout: 20_000 }).toBe(200);
      await server.kill();
    };
    // The first process on a database has to plan draws and rains.
    await start(null);
    for (const pieces of [5, 15, 25]) await start(pieces);
    await line.close();
  }, 120_000);

  it("ends in order although its database has fallen silent", async () => {
    const { line, url } = await databaseLine();
    const server = await startServerProcess({ ...PLAIN, DATABASE_URL: url });
    line.silence("both");
    // By now every periodic check of the database has run.
    await expect
      .poll(async () => (await fetch(`${server.url}/readyz`)).status, { timeout: 10_000 })
      .toBe(503);
    server.signal("SIGTERM");
    // A process that ends at once would exit with 1.
    expect(await server.ended).toBe(0);
    await line.close();
  }, 120_000);

  /** A line to the database, and the database's address by that line. */
  async function databaseLine() {
    const line = await openTcpLine(database.url);
    const url = new URL(database.url);
    url.host = `127.0.0.1:${line.port}`;
    return { line, url: url.href };
  }

  /** A member and a link that sets their password; answers its token. */
  async function addResetLink(): Promise<string> {
    const { token, hash } = mintToken(systemEntropy);
    await database.pool.query(
      `WITH m AS (
         INSERT INTO members (id, merchant_id, username, email, type, created_at)
         SELECT 'mem_9', id, 'player9', 'player9@example.com', 0, now() FROM merchants
         RETURNING id, merchant_id, email)
       INSERT INTO mail_links (token_hash, merchant_id, member_id, purpose, email, created_at,
         expires_at)
       SELECT $1, merchant_id, id, 'reset', email, now(), now() + interval '1 h' FROM m`,
      [hash],
    );
    return token;
  }

  async function addPlayer(name: string): Promise<void> {
    await database.pool.query(
      `INSERT INTO members (id, merchant_id, username, email, type, created_at)
       SELECT 'mem_' || $1::text, id, $1, $1 || '@example.com', 0, now() FROM merchants`,
      [name],
    );
  }
});

function forgot(server: string, username: string): Promise<Response> {
  return fetch(`${server}/api/v1/auth/forgot-password`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, email: `${username}@example.com` }),
  });
}

/** A module for Node: as many look-ups at a time as in libuv, and one name that never ends. */
const HANGING_NAME = `
  import dns from "node:dns";
  const real = dns.lookup;
  const queue = [];
  let free = 2;
  const next = () => { if (free > 0) queue.shift()?.(); };
  dns.lookup = (name, ...rest) => {
    const answered = rest.pop();
    queue.push(() => {
      free--;
      if (name === "redis.hanging") return;
      real(name, ...rest, (...answer) => { free++; answered(...answer); next(); });
    });
    next();
  };`;

/** Takes a mail's data and never answers whether it accepted it. */
async function startHangingMailServer() {
  let hanging = 0;
  const server = new SMTPServer({
    ...{ authOptional: true, hideSTARTTLS: true, logger: false },
    onData(stream) {
      stream.resume();
      hanging += 1;
    },
  });
  server.on("error", () => undefined);
  const port = await new Promise<number>((done) => {
    const listener = server.listen(0, "127.0.0.1", () => {
      const address = listener.address();
      done(typeof address === "object" ? (address?.port ?? 0) : 0);
    });
  });
  return {
    port,
    hanging: () => hanging,
    close: () => new Promise<void>((done) => server.close(done)),
  };
}
