import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { makeTestFolder } from "../../../../../tests/setup/postgres.ts";
import { openTcpLine } from "../../../../../tests/setup/tcp-line.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { createLogger } from "../log.ts";
import { type Migration, migrate, readMigrations } from "./migrate.ts";

const log = createLogger({ level: "silent" });
const folders: string[] = [];

const database = await databaseOfFile();
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  await database.pool.query("DROP TABLE IF EXISTS schema_migrations");
  await database.pool.query("DROP TABLE IF EXISTS kites");
});

const run = (...migrations: Migration[]) => migrate(database.url, { log, migrations });

const table = migration(1, "CREATE TABLE kites (name text)");
const row = migration(2, "INSERT INTO kites VALUES ('saranggola')");

describe("a migration run", () => {
  it("applies each migration once, in order", async () => {
    expect(await run(table)).toBe(1);
    expect(await run(table, row)).toBe(1);
    expect(await run(table, row)).toBe(0);
    expect(await kites()).toBe(1);
  });

  it("applies each once if several processes start together", async () => {
    const counts = await Promise.all([run(table, row), run(table, row), run(table, row)]);
    expect(counts.sort()).toEqual([0, 0, 2]);
    expect(await kites()).toBe(1);
  });

  it("refuses a past migration that was edited", async () => {
    await run(table);
    await expect(run(migration(1, "CREATE TABLE kites (title text)"))).rejects.toThrow("edited");
  });

  it("refuses a database that is newer than the program", async () => {
    await run(table, row);
    await expect(run(table)).rejects.toThrow("does not know");
  });

  it("leaves nothing of a migration that fails, and names it", async () => {
    const broken = migration(2, "INSERT INTO kites VALUES ('x'); SELECT 1 / 0");
    await expect(run(table, broken)).rejects.toThrow("0002_step failed: division by zero");
    expect(await kites()).toBe(0);
    expect(await run(table, row)).toBe(1);
  });
});

describe("a migration run on a database in use", () => {
  const alter = migration(2, "ALTER TABLE kites ADD COLUMN colour text");

  it("serves callers of a table that a reader holds while it waits, and ends soon after the reader", async () => {
    await run(table);
    const reader = await hold("SELECT FROM kites");
    const lines: string[] = [];
    const heard = createLogger({
      level: "warn",
      destination: { write: (line) => void lines.push(line) },
    });
    const altered = migrate(database.url, { log: heard, migrations: [table, alter] });
    const served: number[] = [];
    const busy: unknown[] = [];
    // By connections with every caller's limits, for longer than one try and its pause take.
    for (const endAt = performance.now() + 7_000; performance.now() < endAt; await sleep(50)) {
      const askedAt = performance.now();
      await kites().catch((error: unknown) => busy.push(error));
      served.push(performance.now() - askedAt);
    }
    expect(busy).toEqual([]);
    expect(Math.max(...served)).toBeLessThan(2_500);
    const waits = lines.filter((line) => line.includes("somebody holds a table"));
    expect(waits.length).toBeGreaterThanOrEqual(2);
    expect(waits[0]).toContain("0002_step");
    await reader.end();
    const leftAt = performance.now();
    expect(await altered).toBe(1);
    expect(performance.now() - leftAt).toBeLessThan(5_000);
  }, 60_000);

  it("gives up tables that somebody holds for longer than its patience, and names the migration", async () => {
    await run(table);
    const reader = await hold("SELECT FROM kites");
    const options = { log, migrations: [table, alter], lockPatienceMs: 500 };
    await expect(migrate(database.url, options)).rejects.toThrow(
      "0002_step failed: canceling statement due to lock timeout",
    );
    await reader.end();
    expect(await run(table, alter)).toBe(1);
  });

  it("waits for another process that migrates for longer than for a table", async () => {
    const slow = migration(1, "SELECT pg_sleep(3); CREATE TABLE kites (name text)");
    const [counts] = await Promise.all([
      Promise.all([run(slow, row), run(slow, row)]),
      expect.poll(waitsForTurn).toBe(true),
    ]);
    expect(counts.sort()).toEqual([0, 2]);
  });

  it.each([
    ["another process that migrates", "SELECT pg_advisory_lock(7270419)"],
    ["a table that somebody holds", "SELECT FROM kites"],
  ])("stops at once if it is told to while it waits for %s", async (_, held) => {
    await run(table);
    const holder = await hold(held);
    const stop = new AbortController();
    const options = { log, migrations: [table, alter], stopping: stop.signal };
    const stopped = migrate(database.url, options);
    await sleep(2_000);
    const toldAt = performance.now();
    stop.abort();
    expect(await stopped).toBeNull();
    expect(performance.now() - toldAt).toBeLessThan(1_500);
    await holder.end();
    expect(await run(table, alter)).toBe(1);
  });

  it("is ended by the database after a long silence, and gives others its turn and its tables", async () => {
    const said = ["idle_in_transaction_session_timeout", "idle_session_timeout"].map(
      (name) => `SELECT current_setting('${name}') AS name`,
    );
    await run(migration(1, `CREATE TABLE kites AS ${said.join(" UNION ALL ")}`));
    const { rows } = await database.pool.query("SELECT name FROM kites ORDER BY name");
    expect(rows).toEqual([{ name: "15s" }, { name: "30s" }]);
  });

  it("leaves nothing of a migration if it is told to stop while that runs", async () => {
    await run(table);
    const slow = migration(2, "INSERT INTO kites VALUES ('x'); SELECT pg_sleep(2)");
    const stopping = AbortSignal.timeout(500);
    expect(await migrate(database.url, { log, migrations: [table, slow], stopping })).toBeNull();
    // Its session ends with its statement.
    expect(await run(table, row)).toBe(1);
    expect(await kites()).toBe(1);
  });

  const long = migration(2, "ALTER TABLE kites ADD COLUMN colour text; SELECT pg_sleep(30)");

  it("gives its tables back at once if it is told to stop while a long statement runs", async () => {
    await run(table);
    const stop = new AbortController();
    const options = { log, migrations: [table, long], stopping: stop.signal };
    const stopped = migrate(database.url, options);
    await expect.poll(isAltered).toBe(true);
    const toldAt = performance.now();
    stop.abort();
    expect(await stopped).toBeNull();
    expect(await kites()).toBe(0);
    // The statement itself takes thirty.
    expect(performance.now() - toldAt).toBeLessThan(10_000);
    expect(await run(table, row)).toBe(1);
  });

  it("frees its tables within seconds if it dies while a long statement runs", async () => {
    await run(table);
    const url = new URL(database.url);
    const line = await openTcpLine(`http://${url.host}`);
    url.host = `localhost:${line.port}`;
    const died = migrate(url.href, { log, migrations: [table, long] }).catch(() => "died");
    await expect.poll(isAltered).toBe(true);
    // What its machine does for a killed process: it hangs the line up, without a word.
    const cutAt = performance.now();
    await line.close();
    expect(await died).toBe("died");
    expect(await kites()).toBe(0);
    expect(performance.now() - cutAt).toBeLessThan(10_000);
    expect(await run(table, row)).toBe(1);
  });

  /** Whether somebody keeps readers from the table. */
  async function isAltered(): Promise<boolean> {
    const { rowCount } = await database.pool.query(
      `SELECT FROM pg_locks WHERE relation = 'kites'::regclass AND granted
         AND mode = 'AccessExclusiveLock'`,
    );
    return rowCount !== 0;
  }

  /** A transaction of another session that goes on until the session ends. */
  async function hold(statement: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`BEGIN; ${statement}`);
    return client;
  }

  async function waitsForTurn(): Promise<boolean> {
    const { rowCount } = await database.pool.query(
      `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
       WHERE d.datname = current_database() AND locktype = 'advisory' AND NOT granted`,
    );
    return rowCount !== 0;
  }
});

describe("a migration run on a database that is not there yet", () => {
  const SOON = { log, migrations: [table], patienceMs: 300, connectTimeoutMs: 200 };

  it("gives up a silent one after a while, with one clear message", async () => {
    await using silent = await startSilent();
    await expect(migrate(silent.url, SOON)).rejects.toThrow(
      "the database did not answer for 0.3 s: timeout expired",
    );
  });

  it("gives up one that refuses connections after the same time", async () => {
    const silent = await startSilent();
    await silent[Symbol.asyncDispose]();
    await expect(migrate(silent.url, SOON)).rejects.toThrow(
      /did not answer for 0.3 s: connect ECONNREFUSED/,
    );
  });

  it.each(["says nothing", "refuses"])(
    "migrates one that %s at first once it comes",
    async (how) => {
      const silent = await startSilent();
      if (how === "refuses") await silent[Symbol.asyncDispose]();
      const migrated = migrate(silent.url, { ...SOON, patienceMs: 20_000 });
      await sleep(300);
      await using _there = await silent.replace();
      expect(await migrated).toBe(1);
      expect(await kites()).toBe(0);
    },
  );

  it("does not wait for it once the process is told to stop", async () => {
    await using silent = await startSilent();
    const stopping = AbortSignal.timeout(100);
    expect(await migrate(silent.url, { ...SOON, patienceMs: 20_000, stopping })).toBeNull();
  });

  it("does not ask again one that rejects the password", async () => {
    const url = new URL(database.url);
    url.pathname = "/nobody_made_this";
    const asked = migrate(url.href, { ...SOON, patienceMs: 20_000 });
    await expect(asked).rejects.toThrow("does not exist");
  });
});

/** Accepts connections and says nothing; `replace` passes them on to the database instead. */
async function startSilent(port = 0, passOn = false) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    if (!passOn) return;
    const { hostname, port: behind } = new URL(database.url);
    const there = connect(Number(behind), hostname).on("error", () => undefined);
    socket.pipe(there).pipe(socket);
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const address = server.address();
  const taken = typeof address === "object" ? (address?.port ?? 0) : 0;
  const url = new URL(database.url);
  url.host = `127.0.0.1:${taken}`;
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((done) => server.close(done));
  };
  return {
    url: url.href,
    replace: async () => {
      await stop();
      return startSilent(taken, true);
    },
    [Symbol.asyncDispose]: stop,
  };
}

describe("readMigrations", () => {
  it("finds the product's own, numbered without a gap", () => {
    const all = readMigrations();
    expect(all.length).toBeGreaterThan(0);
    expect(all.map(({ number }) => number)).toEqual(all.map((_, index) => index + 1));
  });

  it("finds nothing slow after the alteration of an existing table", () => {
    const faults = readMigrations().filter(({ number }) => number > JUDGED_AFTER);
    expect(faults.flatMap(slowBehindAlteration)).toEqual([]);
    const bad = "ALTER TABLE kites ADD COLUMN n int;\nCREATE INDEX kites_n ON kites (n);";
    expect(slowBehindAlteration(migration(2, bad))).toHaveLength(1);
  });

  it("refuses a gap and a name out of form", () => {
    expect(() => readMigrations(folderOf("0001_a.sql", "0003_c.sql"))).toThrow("expected 0002_");
    expect(() => readMigrations(folderOf("1-first.sql"))).toThrow("expected 0001_");
  });
});

/** Migrations up to here were applied before the rule. */
const JUDGED_AFTER = 36;
const SLOW = /^(CREATE (UNIQUE )?INDEX|INSERT|UPDATE|DELETE|VACUUM|CLUSTER)\b/;
const ALTERING = /^(?:ALTER TABLE|TRUNCATE|DROP INDEX|DROP TABLE)\s+(\w+)/;
const CREATED = /^CREATE TABLE\s+(\w+)/;
/** The table whose index is made, or whose rows are written. */
const SUBJECT = /^(?:CREATE .*?\bON|INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)/s;

/** The slow statements while callers wait for a table, except on the file's own tables. */
function slowBehindAlteration({ name, sql }: Migration): string[] {
  const own = new Set<string | undefined>();
  let alters = false;
  return sql
    .replaceAll(/--.*$/gm, "")
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .flatMap((statement) => {
      own.add(CREATED.exec(statement)?.[1]);
      const altered = ALTERING.exec(statement)?.[1];
      alters ||= altered !== undefined && !own.has(altered);
      const isFault = alters && SLOW.test(statement) && !own.has(SUBJECT.exec(statement)?.[1]);
      return isFault ? [`${name}: ${statement}`] : [];
    });
}

function migration(number: number, sql: string): Migration {
  const checksum = createHash("sha256").update(sql).digest("hex");
  return { number, name: `000${number}_step`, sql, checksum };
}

async function kites(): Promise<number> {
  const { rows } = await database.pool.query("SELECT count(*)::int AS n FROM kites");
  return rows[0].n;
}

function folderOf(...names: string[]): string {
  const folder = makeTestFolder();
  folders.push(folder);
  for (const name of names) writeFileSync(join(folder, name), "SELECT 1");
  return folder;
}
