import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
