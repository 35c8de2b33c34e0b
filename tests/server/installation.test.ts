import { describe, expect, it } from "vitest";
import { demoBrand } from "../../apps/server/src/demo/demo-brand.ts";
import { claimDatabase } from "../../apps/server/src/installation.ts";
import { createBrands } from "../../apps/server/src/modules/brand/brand.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { databaseOfFile } from "../setup/test-database.ts";
import { startServerProcess } from "./server-process.ts";

const OWN = "production needs a database of its own";
const PRODUCTION = {
  ...{ NODE_ENV: "production", STOP_GRACE_MS: "0" },
  PUBLIC_URL: "https://play.example.ph",
  SESSION_SECRET: "0Jx1Ff5gq9TyWvCKkhyN3cUlvBv0mWcA",
  PAYLOAD_KEY: "f3a91c07d2e84b65f0a1c7d83e52b946",
};

const MIGRATIONS = "SELECT count(*)::int FROM schema_migrations";

const database = await databaseOfFile();
const fresh = await databaseOfFile();

describe("a database", () => {
  it("of a trial refuses production, and one of production refuses a trial: the first start decides", async () => {
    await claimDatabase(database.pool, true);
    await claimDatabase(database.pool, true);
    await expect(claimDatabase(database.pool, false)).rejects.toThrow(
      "of a production installation",
    );
    await database.pool.query("DELETE FROM installation");
    await Promise.all([claimDatabase(database.pool, false), claimDatabase(database.pool, false)]);
    await expect(claimDatabase(database.pool, true)).rejects.toThrow(OWN);
  });

  it("with the demo in it refuses production, although its kind is not recorded", async () => {
    await database.pool.query("DELETE FROM installation");
    await createBrands(database.pool, systemClock).add(database.pool, demoBrand);
    await expect(claimDatabase(database.pool, true)).rejects.toThrow(OWN);
    await claimDatabase(database.pool, false);
  });

  it("of the other kind ends a server's start with one line, and production's gets no demo data", async () => {
    const said: string[] = [];
    const start = (env: Readonly<Record<string, string>>) =>
      startServerProcess(
        { DATABASE_URL: database.url, NODE_ENV: "development", ...env },
        { onLine: (line) => void said.push(line) },
      );
    await expect(start(PRODUCTION)).rejects.toThrow("the server ended with 1");
    expect(said.filter((line) => line.startsWith("Perya stopped: "))).toEqual([
      expect.stringContaining(OWN),
    ]);

    const production = await start({ ...PRODUCTION, DATABASE_URL: fresh.url });
    await production.stop();
    await expect(start({ DATABASE_URL: fresh.url })).rejects.toThrow("the server ended with 1");
    expect(said.at(-1)).toContain("of a production installation");
    expect((await fresh.pool.query("SELECT FROM merchants")).rowCount).toBe(0);
    // Older production processes would not start on a schema that is newer than theirs.
    await fresh.pool.query(
      "DELETE FROM schema_migrations WHERE number = (SELECT max(number) FROM schema_migrations)",
    );
    const [before] = (await fresh.pool.query(MIGRATIONS)).rows;
    await expect(start({ DATABASE_URL: fresh.url })).rejects.toThrow("the server ended with 1");
    expect((await fresh.pool.query(MIGRATIONS)).rows).toEqual([before]);
  }, 180_000);
});
