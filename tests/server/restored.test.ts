import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { migrate, readMigrations } from "../../apps/server/src/platform/postgres/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../setup/test-database.ts";
import { makeBrand, makeLedger, makeMember, manualClock } from "./fixtures.ts";

const clock = manualClock();
let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});

afterAll(() => db.drop());

describe("npm run restored", () => {
  it("ends every log-in, counts every account as changed, cancels the open cockfight and says what is left for people to do", async () => {
    const brand = await makeBrand(db.pool, clock);
    const ledger = makeLedger(db);
    await makeMember({ pool: db.pool, ledger, clock }, brand, { balance: 0n });
    await ledger.close();
    const standing = "SELECT FROM sessions WHERE ended_at IS NULL";
    expect((await db.pool.query(standing)).rowCount).toBe(1);
    await db.pool.query(
      `INSERT INTO cockfight_matches (id, number, server_seed, seed_hash, phase, closes_at, created_at)
       VALUES ('match_1', 1, '', '', 'betting', now() + interval '1 minute', now())`,
    );
    const stdout = await restored(db);
    expect(stdout).toContain("1 log-ins ended");
    expect(stdout).toContain("compare pay-outs");
    expect((await db.pool.query(standing)).rowCount).toBe(0);
    const matches = await db.pool.query("SELECT phase FROM cockfight_matches");
    expect(matches.rows).toEqual([{ phase: "cancelled" }]);
    const { rows } = await db.pool.query(
      "SELECT proofs_changed_at IS NOT NULL AS changed FROM members",
    );
    expect(rows).toEqual([{ changed: true }]);
  });

  it("migrates a database that was restored to before a deploy, and then does all of that", async () => {
    const earlier = await createTestDatabase();
    try {
      await earlier.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      const migrations = readMigrations();
      const before = migrations.findIndex(({ sql }) => sql.includes("proofs_changed_at"));
      await migrate(earlier.url, {
        log: createLogger({ level: "silent" }),
        migrations: migrations.slice(0, before),
      });
      expect(await restored(earlier)).toContain("0 log-ins ended");
      const { rows } = await earlier.pool.query("SELECT count(*)::int AS n FROM schema_migrations");
      expect(rows).toEqual([{ n: migrations.length }]);
    } finally {
      await earlier.drop();
    }
  });
});

/** What it prints; throws with its complaints where it ends with another code than 0. */
async function restored({ url }: TestDatabase): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "apps/server/src/restored.ts"],
    { env: { ...process.env, DATABASE_URL: url } },
  );
  return stdout;
}
