import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--import", "tsx", "apps/server/src/restored.ts"],
      { env: { ...process.env, DATABASE_URL: db.url } },
    );
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
});
