import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onServer } from "../../../../../tests/setup/servers.ts";
import { openTcpLine, type TcpLine } from "../../../../../tests/setup/tcp-line.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import { workerPool } from "../jobs.ts";
import { createLogger } from "../log.ts";
import { CommitUnknownError, createPool, isUnavailable, withTransaction } from "./pool.ts";
import { unhurried, WatchfulClient } from "./watchful-client.ts";

/** For a statement; the client gives PostgreSQL two seconds more. */
const STATEMENT_MS = 500;
const BOUND_MS = 2_500;
const log = createLogger({ level: "silent" });
let database: TestDatabase;
let line: TcpLine;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createTestDatabase();
  await database.pool.query("CREATE TABLE numbers (n int PRIMARY KEY)");
  const url = new URL(database.url);
  line = await openTcpLine(`http://${url.host}`);
  url.host = `localhost:${line.port}`;
  pool = createPool(url.href, { max: 1, log, statementTimeoutMs: STATEMENT_MS });
});

afterEach(async () => {
  await pool.end();
  await line.close();
  await database.drop();
});

describe("a connection whose server has vanished", () => {
  it("is given up a little after the statement's own limit, and the next one serves", async () => {
    await pool.query("SELECT 1");
    line.forget();
    const askedAt = performance.now();
    const lost = await pool.query("SELECT 1").catch((error: unknown) => error);
    expect(performance.now() - askedAt).toBeGreaterThanOrEqual(BOUND_MS - 100);
    expect(isUnavailable(lost)).toBe(true);
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  it("leaves a transaction undone, and reports the outcome of a COMMIT as unknown", async () => {
    const inserted = await withTransaction(pool, async (client) => {
      await client.query("INSERT INTO numbers VALUES (1)");
      line.forget();
      await client.query("INSERT INTO numbers VALUES (2)");
    }).catch((error: unknown) => error);
    expect(isUnavailable(inserted)).toBe(true);
    const committed = withTransaction(pool, async (client) => {
      await client.query("INSERT INTO numbers VALUES (3)");
      line.forget();
    });
    await expect(committed).rejects.toBeInstanceOf(CommitUnknownError);
    await withTransaction(pool, (client) => client.query("INSERT INTO numbers VALUES (4)"));
    const { rows } = await pool.query("SELECT n FROM numbers");
    expect(rows).toEqual([{ n: 4 }]);
  }, 20_000);

  it("is also given up by the jobs, whose library gives connections back without a word", async () => {
    const own = workerPool(pool, log);
    const client = await own.connect();
    line.forget();
    const lost = await client.query("SELECT 1").catch((error: unknown) => error);
    client.release();
    expect(isUnavailable(lost)).toBe(true);
    await expect.poll(() => own.totalCount).toBe(0);
    expect((await own.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await own.end();
  });

  it("is no longer waited for at its end", async () => {
    const { options } = pool;
    const client = new WatchfulClient({ connectionString: options.connectionString });
    client.on("error", () => undefined);
    await client.connect();
    line.forget();
    await client.end();
  }, 10_000);
});

describe("a connection whose server takes no writes", () => {
  it.each([
    ["alone", () => pool.query("INSERT INTO numbers VALUES (1)")],
    [
      "in a transaction",
      () => withTransaction(pool, (client) => client.query("INSERT INTO numbers VALUES (1)")),
    ],
  ])(
    "is given up by a write %s, so that the next one finds the server that does",
    async (_, insert) => {
      // A session keeps the setting that it began with, as a line to an earlier leader does.
      const set = `ALTER DATABASE ${new URL(database.url).pathname.slice(1)}`;
      await onServer(database.url, `${set} SET default_transaction_read_only = on`);
      expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
      const refused = await insert().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(pg.DatabaseError);
      expect(isUnavailable(refused)).toBe(true);
      await onServer(database.url, `${set} RESET default_transaction_read_only`);
      expect((await insert()).rowCount).toBe(1);
    },
  );
});

describe("a watched connection", () => {
  it("waits for a statement that may take long, beyond the limit of others", async () => {
    const client = await pool.connect();
    await client.query("SET statement_timeout = 0");
    const { rows } = await client.query(unhurried("SELECT pg_sleep(3), 1 AS one"));
    expect(rows).toMatchObject([{ one: 1 }]);
    client.release();
  });

  it("makes PostgreSQL check whether its client is still there", async () => {
    const { rows } = await pool.query(
      `SELECT name, setting FROM pg_settings WHERE name IN
       ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count') ORDER BY name`,
    );
    expect(rows.map(({ setting }) => Number(setting))).toEqual([4, 10, 5]);
  });
});
