import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { migrate, readMigrations } from "../../apps/server/src/platform/postgres/migrate.ts";
import { createTestDatabase, databaseOfFile, type TestDatabase } from "../setup/test-database.ts";

const db = await databaseOfFile();

describe("npm run restored", () => {
  it("ends every log-in, marks every account as changed, cancels the open cockfight, retires all seeds and lists what people must do", async () => {
    await standAsBefore(db.pool);
    const stdout = await restored(db);
    expect(stdout).toContain("1 log-ins ended");
    expect(stdout).toContain("compare pay-outs");
    await expectRenewed(db.pool);
  });

  it("migrates a database that was restored to a point before a deploy, and then does all of that", async () => {
    const earlier = await createTestDatabase();
    try {
      await earlier.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      const migrations = readMigrations();
      const before = migrations.findIndex(({ sql }) => sql.includes("proofs_changed_at"));
      await migrate(earlier.url, {
        log: createLogger({ level: "silent" }),
        migrations: migrations.slice(0, before),
      });
      await standAsBefore(earlier.pool);
      expect(await restored(earlier)).toContain("1 log-ins ended");
      const { rows } = await earlier.pool.query("SELECT count(*)::int AS n FROM schema_migrations");
      expect(rows).toEqual([{ n: migrations.length }]);
      await expectRenewed(earlier.pool);
    } finally {
      await earlier.drop();
    }
  });

  it("marks an account as changed later than before, even if a clock that was ahead recorded the last change", async () => {
    const ahead = await createTestDatabase();
    try {
      await standAsBefore(ahead.pool);
      await ahead.pool.query("UPDATE members SET proofs_changed_at = now() + interval '1 hour'");
      await restored(ahead);
      const { rows } = await ahead.pool.query(
        "SELECT proofs_changed_at > created_at + interval '1 hour' AS later FROM members",
      );
      expect(rows).toEqual([{ later: true }]);
    } finally {
      await ahead.drop();
    }
  });

  it("tells people to compare deposits with providers and statements too, and rounds with vendors", async () => {
    const said = (await restored(db)).replace(/\s+/g, " ");
    for (const words of [
      "compare pay-outs and deposits, from the moment of the restore on, with the providers' lists",
      "statements of the house's own accounts",
      "two operators write them in again",
      "Ask vendors to send the wins that came since once more, and to void the rounds whose bets did",
      "claim a transfer by hand that they claimed since once more",
      'docs/payments.md, "After a restore"',
    ]) {
      expect(said).toContain(words);
    }
  });
});

/** A player who is logged in and plays; every schema of the last migrations has these columns. */
async function standAsBefore(pool: pg.Pool): Promise<void> {
  await pool.query(
    `INSERT INTO merchants (id, code, name, currency, zone, settings, created_at)
     VALUES ('brand_1', 'one', 'One', 'PHP', 'Asia/Manila', '{}', now());
     INSERT INTO members (id, merchant_id, username, type, created_at)
     VALUES ('member_1', 'brand_1', 'maria', 0, now());
     INSERT INTO sessions (id, merchant_id, member_id, storage_half_hash, cookie_half_hash,
       user_agent, address, method, created_at, seen_at, expires_at)
     VALUES ('session_1', 'brand_1', 'member_1', '\\x01', '\\x02', '', '', 'password', now(), now(),
       now() + interval '1 day');
     INSERT INTO fairness_seeds (id, member_id, server_seed, seed_hash, client_seed, created_at)
     VALUES ('seed_1', 'member_1', '', '', '', now());
     INSERT INTO saranggola_chains (id, last_seed, salt, length, next_index, created_at)
     VALUES ('chain_1', '', '', 1000, 10, now());
     INSERT INTO cockfight_matches (id, number, server_seed, seed_hash, phase, closes_at, created_at)
     VALUES ('match_1', 1, '', '', 'betting', now() + interval '1 minute', now())`,
  );
}

async function expectRenewed(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    `SELECT (SELECT ended_at IS NOT NULL FROM sessions) AS "loggedOut",
       (SELECT proofs_changed_at IS NOT NULL FROM members) AS changed,
       (SELECT phase FROM cockfight_matches) AS match,
       (SELECT revealed_at IS NOT NULL FROM fairness_seeds) AS "seedRevealed",
       (SELECT next_index = length FROM saranggola_chains) AS "chainEnded"`,
  );
  expect(rows).toEqual([
    { loggedOut: true, changed: true, match: "cancelled", seedRevealed: true, chainEnded: true },
  ]);
}

/** The command's output; throws with its errors if it ends with another code than 0. */
async function restored({ url }: TestDatabase): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "apps/server/src/restored.ts"],
    { env: { ...process.env, DATABASE_URL: url } },
  );
  return stdout;
}
