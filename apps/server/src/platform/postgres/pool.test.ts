import { beforeEach, describe, expect, it } from "vitest";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { createLogger } from "../log.ts";
import {
  CommitUnknownError,
  createPool,
  isUnavailable,
  queryAsSent,
  withTransaction,
} from "./pool.ts";

const database = await databaseOfFile();
const pool = database.pool;
await pool.query("CREATE TABLE numbers (n bigint PRIMARY KEY)");
beforeEach(() => pool.query("TRUNCATE numbers"));

async function numbers(): Promise<bigint[]> {
  const { rows } = await pool.query<{ n: bigint }>("SELECT n FROM numbers ORDER BY n");
  return rows.map(({ n }) => n);
}

describe("a pool", () => {
  it("carries amounts beyond 2^53 exactly, alone and in lists", async () => {
    const { rows } = await pool.query(
      "SELECT 9007199254740993::bigint AS one, ARRAY[9007199254740993, NULL]::bigint[] AS many, " +
        "'{}'::bigint[] AS none, DATE '2026-01-31' AS day",
    );
    expect(rows).toEqual([
      { one: 9007199254740993n, many: [9007199254740993n, null], none: [], day: "2026-01-31" },
    ]);
  });

  it("keeps all of a transaction or nothing of it", async () => {
    await withTransaction(pool, (client) => client.query("INSERT INTO numbers VALUES (1)"));
    const failed = withTransaction(pool, async (client) => {
      await client.query("INSERT INTO numbers VALUES (2)");
      throw new Error("changed my mind");
    });
    await expect(failed).rejects.toThrow("changed my mind");
    expect(await numbers()).toEqual([1n]);
  });

  it("makes a statement's values when a connection takes it, also after one of them failed", async () => {
    const small = createPool(database.url, { max: 1, log: createLogger({ level: "silent" }) });
    let told = "before";
    const ask = (text: string) =>
      queryAsSent(small, { name: text, text, values: () => [told] }).then(({ rows }) => rows);
    const held = await small.connect();
    const asked = ask("SELECT $1::text AS told");
    await expect.poll(() => small.waitingCount).toBe(1);
    told = "as sent";
    held.release();
    expect(await asked).toEqual([{ told }]);
    await expect(ask("SELECT 1 / length(right($1::text, 0))")).rejects.toThrow("division");
    expect(await ask("SELECT $1::text AS told")).toEqual([{ told }]);
    await small.end();
  });

  it("does not call a transaction committed that PostgreSQL rolled back", async () => {
    const swallowed = withTransaction(pool, async (client) => {
      await client.query("INSERT INTO numbers VALUES (1)");
      await client.query("INSERT INTO numbers VALUES (1)").catch(() => {});
    });
    await expect(swallowed).rejects.toThrow("swallowed");
    expect(await numbers()).toEqual([]);
  });
});

describe("a call that finds no database", () => {
  const coded = (code: string) => Object.assign(new Error("no"), { code });

  it("is told apart from a defect by the codes of PostgreSQL, pg and the system", async () => {
    const away = ["57P01", "57P03", "57P05", "08006", "53300", "53100", "57014", "55P03", "25006"];
    for (const code of [...away, "ECONNREFUSED", "EHOSTUNREACH", "40P01"]) {
      expect([code, isUnavailable(coded(code))]).toEqual([code, true]);
    }
    expect(isUnavailable(new CommitUnknownError(null))).toBe(true);
    expect(isUnavailable(new AggregateError([new Error("x"), coded("57P01")]))).toBe(true);
    expect(isUnavailable(new Error("wrapped", { cause: coded("ECONNRESET") }))).toBe(true);
    expect(isUnavailable(Object.assign(coded("ENOENT"), { syscall: "connect" }))).toBe(true);
    const terminated = "terminating connection due to administrator command";
    expect(isUnavailable(Object.assign(new Error(terminated), { code: "XX000" }))).toBe(true);
    const copy = "failed to COPY to shard 102045 on 127.0.0.1:5433";
    expect(isUnavailable(Object.assign(new Error(copy), { code: "58030" }))).toBe(true);
    for (const defect of [
      coded("XX000"),
      coded("ENOENT"),
      coded("23505"),
      coded("42703"),
      new Error("a defect"),
      null,
      "text",
    ]) {
      expect(isUnavailable(defect)).toBe(false);
    }
  });

  it("is one whose connection broke, that waited in vain for one, or whose pool has ended", async () => {
    const small = createPool(database.url, { max: 1, log: createLogger({ level: "silent" }) });
    const held = await small.connect();
    const { rows } = await held.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const sleeping = held.query("SELECT pg_sleep(30)").catch((error: unknown) => error);
    await pool.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
    expect(isUnavailable(await sleeping)).toBe(true);
    expect(isUnavailable(await held.query("SELECT 1").catch((error) => error))).toBe(true);
    held.release();
    await small.end();
    expect(isUnavailable(await small.query("SELECT 1").catch((error) => error))).toBe(true);
    const url = new URL(database.url);
    url.port = "1";
    const nowhere = createPool(url.toString(), { max: 1, log: createLogger({ level: "silent" }) });
    expect(isUnavailable(await nowhere.query("SELECT 1").catch((error) => error))).toBe(true);
    await nowhere.end();
    const full = createPool(database.url, { max: 1, log: createLogger({ level: "silent" }) });
    const only = await full.connect();
    full.options.connectionTimeoutMillis = 50;
    expect(isUnavailable(await full.query("SELECT 1").catch((error) => error))).toBe(true);
    only.release();
    await full.end();
  });
});
