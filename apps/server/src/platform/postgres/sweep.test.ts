import type { Instant } from "@perya/kernel/instant";
import { beforeEach, describe, expect, it } from "vitest";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { eachByItself } from "../each-by-itself.ts";
import { createLogger } from "../log.ts";
import { createPool } from "./pool.ts";
import { sweep } from "./sweep.ts";

const NOW: Instant = Date.parse("2026-06-10T12:00:00Z");
const NOTES = { table: "notes", by: "at" };

const database = await databaseOfFile();
const pool = database.pool;
await pool.query("CREATE TABLE notes (n int PRIMARY KEY, at timestamptz, kind text)");
await pool.query("CREATE INDEX notes_at ON notes (at)");
await pool.query("CREATE TABLE days (day date)");
beforeEach(() => pool.query("TRUNCATE notes, days"));

/** Notes 1 to `count`, in pairs a second before NOW and older. */
async function write(count: number): Promise<void> {
  await pool.query(
    `INSERT INTO notes SELECT n, to_timestamp($2 / 1000.0) - (n / 2) * interval '1 s',
       CASE WHEN n % 2 = 0 THEN 'even' ELSE 'odd' END FROM generate_series(1, $1) AS n`,
    [count, NOW],
  );
}

async function left(): Promise<number[]> {
  const { rows } = await pool.query<{ n: number }>("SELECT n FROM notes ORDER BY n");
  return rows.map(({ n }) => n);
}

describe("a sweep of old rows", () => {
  it("deletes everything that is old enough, in any number of slices, and nothing else", async () => {
    await write(25);
    expect(await sweep(pool, NOTES, NOW - 3_000, 4)).toBe(20);
    expect(await left()).toEqual([1, 2, 3, 4, 5]);
    expect(await sweep(pool, { ...NOTES, where: "kind = 'odd'" }, NOW, 4)).toBe(3);
    expect(await left()).toEqual([2, 4]);
    expect(await sweep(pool, NOTES, NOW - 3_000)).toBe(0);
  });

  it("that is cut off keeps what it has done, so that the next one has less to do", async () => {
    await write(40);
    await pool.query(`CREATE FUNCTION tire() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(3); RETURN OLD; END $$`);
    await pool.query(
      "CREATE TRIGGER tired BEFORE DELETE ON notes FOR EACH ROW WHEN (OLD.n = 1) EXECUTE FUNCTION tire()",
    );
    const log = createLogger({ level: "silent" });
    const hasty = createPool(database.url, { max: 2, log, statementTimeoutMs: 1_000 });
    await expect(sweep(hasty, NOTES, NOW, 8)).rejects.toThrow("statement timeout");
    await hasty.end();
    expect((await left()).length).toBe(8);
    await pool.query("DROP TRIGGER tired ON notes");
    expect(await sweep(pool, NOTES, NOW, 8)).toBe(8);
  });

  it("leaves held rows for the next run, and waits for nobody", async () => {
    await write(9);
    const holder = await pool.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT FROM notes WHERE n = 5 FOR UPDATE");
    expect(await sweep(pool, NOTES, NOW, 4)).toBe(8);
    await holder.query("ROLLBACK");
    holder.release();
    expect(await left()).toEqual([5]);
    expect(await sweep(pool, NOTES, NOW, 4)).toBe(1);
  });

  it("also goes by days, the day of its instant included", async () => {
    await pool.query("INSERT INTO days VALUES ('2026-06-09'), ('2026-06-10'), ('2026-06-11')");
    expect(await sweep(pool, { table: "days", by: "day" }, NOW)).toBe(2);
  });

  it("that fails stops no other, and is named once all have run", async () => {
    const done: string[] = [];
    const run = eachByItself({
      first: () => Promise.reject(new Error("no")),
      second: async () => done.push("second"),
      third: () => Promise.reject(new Error("neither")),
    });
    await expect(run).rejects.toThrow("not done: first: Error: no; third: Error: neither");
    expect(done).toEqual(["second"]);
    await eachByItself({ second: async () => done.push("again") });
    expect(done).toEqual(["second", "again"]);
  });
});
