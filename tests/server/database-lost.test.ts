import { rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { demoGames, demoVendors } from "../../apps/server/src/demo/demo-catalogue.ts";
import { insertGames, insertVendors } from "../../apps/server/src/modules/catalogue/catalogue.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { startEmbedded } from "../../apps/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../apps/server/src/platform/postgres/migrate.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";
import { makeTestFolder, postmasterOf } from "../setup/postgres.ts";
import { killTree } from "../setup/process-tree.ts";
import {
  createTestDatabase,
  type KillablePostgres,
  startKillablePostgres,
} from "../setup/test-database.ts";
import { expectSound } from "./expect-sound.ts";
import { makeBrand } from "./fixtures.ts";
import { listen, playRound, startTrial, statusOf } from "./player-of-process.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/** How long the database takes to come back, and how long a server may take to notice. */
const BACK_MS = 2_000;
/** These servers need only a brand and its games. */
const PLAIN = { NODE_ENV: "test", DEMO_DATA: "false" };
const SILENT = createLogger({ level: "silent" });

describe("a server process whose database is lost", () => {
  let database: KillablePostgres;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await startKillablePostgres();
    await addBrand(database.url);
    server = await startServerProcess({ DATABASE_URL: database.url, ...PLAIN });
  }, 120_000);

  afterEach(async () => {
    const pool = createPool(database.url, { max: 2, log: SILENT });
    await expectSound({ url: database.url, pool });
    await pool.end();
  });

  afterAll(async () => {
    await server?.stop();
    await database?.stop();
  }, 60_000);

  it("by repeatedly cut connections goes on and answers only what it should", async () => {
    const player = await startTrial(server);
    const heard = await listen(server, "wallet", player);
    await heard.next("snapshot");
    const answers: number[] = [];
    for (let cut = 0; cut < 10; cut++) {
      const asked = Array.from({ length: 20 }, () => statusOf(server, player));
      await cutAll(database.url);
      answers.push(...(await Promise.all(asked)));
      await expect.poll(() => statusOf(server, player), { timeout: BACK_MS }).toBe(200);
    }
    expect(answers.filter((status) => ![200, 503].includes(status))).toEqual([]);
    await playRound(server, player);
    // Neither the socket nor its subscription was lost.
    expect(await heard.next("event")).toMatchObject({ event: { type: "moved" } });
    heard.close();
  }, 60_000);

  it("to a copy from an earlier moment deals by new seeds and makes its pages reconnect for the current state", async () => {
    const player = await startTrial(server);
    const heard = await listen(server, "wallet", player);
    await heard.next("snapshot");
    await playRound(server, player);
    const pool = createPool(database.url, { max: 1, log: SILENT });
    const seeds = "SELECT id FROM fairness_seeds WHERE revealed_at IS NULL";
    const chains = "SELECT id FROM saranggola_chains WHERE next_index < length";
    const inUse = async () =>
      (await pool.query<{ id: string }>(`${seeds} UNION ALL ${chains}`)).rows.map(({ id }) => id);
    const seen = await inUse();
    expect(seen.length).toBeGreaterThan(1);
    // Players may have seen its fight.
    await pool.query(
      `INSERT INTO cockfight_matches (id, number, server_seed, seed_hash, phase, closes_at, created_at)
       VALUES ('match_1', 1, '', '', 'betting', now() + interval '1 hour', now())`,
    );
    // A copy that lacks the last commits starts a new timeline.
    await pool.query("UPDATE database_history SET timeline = timeline + 1");
    await cutAll(database.url);
    expect(await heard.closed).toBe(1001);
    // Rounds are dealt after the renewal, at whose end all pages reconnect once more.
    const dealt = () =>
      playRound(server, player).then(
        () => true,
        () => false,
      );
    await expect.poll(dealt, { timeout: BACK_MS }).toBe(true);
    const again = await listen(server, "wallet", player);
    await again.next("snapshot");
    again.close();
    const { rows } = await pool.query("SELECT phase FROM cockfight_matches WHERE id = 'match_1'");
    expect(rows).toEqual([{ phase: "cancelled" }]);
    const now = await inUse();
    expect(seen.filter((id) => now.includes(id))).toEqual([]);
    await pool.end();
  }, 60_000);

  it("by its end answers busy and not ready, serves again within two seconds of its return, and does its jobs", async () => {
    const player = await startTrial(server);
    const heard = await listen(server, "wallet", player);
    await heard.next("snapshot");
    await database.kill();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    const wallet = await fetch(`${server.url}/api/v1/member/wallet`, {
      headers: { authorization: player.authorization, cookie: player.cookie },
    });
    expect([wallet.status, (await wallet.json()).code]).toEqual([503, "busy"]);
    expect(Number(wallet.headers.get("retry-after"))).toBeGreaterThan(0);
    await database.restart();
    const timeout = BACK_MS;
    await Promise.all([
      expect.poll(async () => (await fetch(`${server.url}/readyz`)).status, { timeout }).toBe(200),
      expect.poll(() => statusOf(server, player), { timeout }).toBe(200),
      expect.poll(() => jobIsDone(database.url), { timeout: 2 * timeout }).toBe(true),
    ]);
    await playRound(server, player);
    expect(await heard.next("event")).toMatchObject({ event: { type: "moved" } });
    heard.close();
    // The keepers recover too: the kite is in the air or will be, and goes on.
    const kite = await listen(server, "saranggola", player);
    await kite.next("snapshot");
    expect(await kite.next("event")).toMatchObject({ channel: "saranggola" });
    kite.close();
  }, 60_000);
});

describe("a server process with its own database", () => {
  it("restarts it when it ends by itself, and keeps its players", async () => {
    const folder = makeTestFolder();
    const filled = await startEmbedded({ dataDir: folder, log: SILENT });
    await migrate(filled.url, { log: SILENT });
    await addBrand(filled.url);
    await filled.stop();
    const server = await startServerProcess({ DATA_DIR: folder, ...PLAIN });
    try {
      const player = await startTrial(server);
      const postmaster = postmasterOf(join(folder, "postgres", "cluster"));
      if (postmaster === null) throw new Error("no database runs");
      killTree(postmaster);
      await expect.poll(() => statusOf(server, player)).not.toBe(200);
      await expect.poll(() => statusOf(server, player), { timeout: 30_000 }).toBe(200);
      await playRound(server, player);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
    expect(await server.ended).toBe(0);
  }, 120_000);
});

describe("a server process with a defect that nobody caught", () => {
  it("logs it, answers the requests it has begun, and ends with a code that is not zero", async () => {
    const database = await createTestDatabase();
    await addBrand(database.url);
    const env = { DATABASE_URL: database.url, ...PLAIN };
    for (const defect of [
      "throw new Error('unforeseen')",
      "Promise.reject(new Error('unforeseen'))",
    ]) {
      const server = await startServerProcess(env, {
        imports: [`data:text/javascript,process.on('SIGUSR2',()=>{${defect}})`],
      });
      const holder = await database.pool.connect();
      await holder.query("BEGIN; LOCK TABLE members IN ACCESS EXCLUSIVE MODE");
      const begun = startTrial(server);
      await expect.poll(() => waitsForLock(holder), { timeout: 20_000 }).toBe(true);
      server.signal("SIGUSR2");
      await expect.poll(() => server.fatal, { timeout: 20_000 }).toHaveLength(1);
      await holder.query("COMMIT");
      holder.release();
      expect((await begun).token).toEqual(expect.any(String));
      expect(await server.ended).toBe(1);
      expect(server.fatal[0]).toContain("unforeseen");
    }
    await database.drop();
  }, 120_000);
});

async function waitsForLock(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query(
    "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'members'::regclass",
  );
  return rowCount !== 0;
}

async function addBrand(url: string): Promise<void> {
  const pool = createPool(url, { max: 2, log: SILENT });
  const { id } = await makeBrand(pool, systemClock, { hosts: ["127.0.0.1"] });
  await insertVendors(pool, id, demoVendors);
  await insertGames(pool, id, demoGames());
  await pool.end();
}

async function cutAll(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL",
  );
  await client.end();
}

/** Adds a harmless job once, then answers whether it is done. */
let asked = false;
async function jobIsDone(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    if (!asked) {
      await client.query(
        "SELECT graphile_worker.add_job('vendors_sweep', '{}', job_key := 'after the loss')",
      );
      asked = true;
    }
    const { rowCount } = await client.query(
      "SELECT FROM graphile_worker.jobs WHERE key = 'after the loss'",
    );
    return rowCount === 0;
  } finally {
    await client.end();
  }
}
