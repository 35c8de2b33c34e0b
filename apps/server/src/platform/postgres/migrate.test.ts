import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeTestFolder } from "../../../../../tests/setup/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import { createLogger } from "../log.ts";
import { type Migration, migrate, readMigrations } from "./migrate.ts";

const log = createLogger({ level: "silent" });
const folders: string[] = [];
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  for (const folder of folders) rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  await database.pool.query("DROP TABLE IF EXISTS schema_migrations");
  await database.pool.query("DROP TABLE IF EXISTS kites");
});

const run = (...migrations: Migration[]) => migrate(database.url, { log, migrations });

const table = migration(1, "CREATE TABLE kites (name text)");
const row = migration(2, "INSERT INTO kites VALUES ('saranggola')");

describe("migrate", () => {
  it("applies each migration once, in order", async () => {
    expect(await run(table)).toBe(1);
    expect(await run(table, row)).toBe(1);
    expect(await run(table, row)).toBe(0);
    expect(await kites()).toBe(1);
  });

  it("applies each once when several processes start together", async () => {
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

describe("migrate, of a database that is not there yet", () => {
  const SOON = { log, migrations: [table], patienceMs: 300, connectTimeoutMs: 200 };

  it("that says nothing is given up after a while, with one clear word", async () => {
    await using silent = await startSilent();
    await expect(migrate(silent.url, SOON)).rejects.toThrow(
      "the database did not answer for 0.3 s: timeout expired",
    );
  });

  it("that refuses connections is given up after the same while", async () => {
    const silent = await startSilent();
    await silent[Symbol.asyncDispose]();
    await expect(migrate(silent.url, SOON)).rejects.toThrow(
      /did not answer for 0.3 s: connect ECONNREFUSED/,
    );
  });

  it.each(["says nothing", "refuses"])(
    "that %s at first is migrated when it comes",
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

  it("is not waited for once the process is told to stop", async () => {
    await using silent = await startSilent();
    const stopping = AbortSignal.timeout(100);
    expect(await migrate(silent.url, { ...SOON, patienceMs: 20_000, stopping })).toBeNull();
  });

  it("that does not take the password is not asked again", async () => {
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

  it("refuses a gap and a name out of form", () => {
    expect(() => readMigrations(folderOf("0001_a.sql", "0003_c.sql"))).toThrow("expected 0002_");
    expect(() => readMigrations(folderOf("1-first.sql"))).toThrow("expected 0001_");
  });
});

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
