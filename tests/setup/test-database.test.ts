import { afterAll, describe, expect, it } from "vitest";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";
import { createTestDatabase, startKillablePostgres } from "./test-database.ts";

const cleanUp: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const step of cleanUp.reverse()) await step();
});

describe("databases for tests", () => {
  it("are migrated, and none sees another's rows", async () => {
    const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    cleanUp.push(one.drop, other.drop);
    await one.pool.query("CREATE TABLE mine (n int)");
    const seen = await other.pool.query("SELECT to_regclass('mine') AS found");
    expect(seen.rows).toEqual([{ found: null }]);
    const migrated = await other.pool.query("SELECT 1 FROM schema_migrations");
    expect(migrated.rowCount).toBeGreaterThan(0);
  });

  it("keep acknowledged writes when PostgreSQL is killed, and lose open ones", async () => {
    const server = await startKillablePostgres();
    cleanUp.push(server.stop);
    const pool = createPool(server.url, { max: 2, log: createLogger({ level: "silent" }) });
    cleanUp.push(() => pool.end());
    await pool.query("CREATE TABLE kept (n int)");
    await pool.query("INSERT INTO kept VALUES (1)");
    const open = await pool.connect();
    open.on("error", () => {});
    await open.query("BEGIN; INSERT INTO kept VALUES (2)");

    await server.kill();
    await expect(pool.query("SELECT 1")).rejects.toThrow();
    open.release(true);
    await server.restart();
    expect((await pool.query("SELECT n FROM kept")).rows).toEqual([{ n: 1 }]);
  });
});
