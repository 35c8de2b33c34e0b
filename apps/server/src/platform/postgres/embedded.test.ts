import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeTestFolder } from "../../../../../tests/setup/postgres.ts";
import { createLogger } from "../log.ts";
import { type EmbeddedPostgres, runningDatabaseUrl, startEmbedded } from "./embedded.ts";

const log = createLogger({ level: "silent" });
const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function start(
  dataDir: string,
  options: { readonly logLookMs?: number } = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ dataDir, log, ...options });
  cleanUp.push(() => server.stop());
  return server;
}

function folder(): string {
  const made = makeTestFolder();
  cleanUp.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Another process that holds the folder's database. */
async function holder(dataDir: string): Promise<{ child: ChildProcess; pid: number; url: string }> {
  const script = fileURLToPath(
    new URL("../../../../../tests/setup/hold-postgres.ts", import.meta.url),
  );
  const child = spawn(process.execPath, ["--import", "tsx", script, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Asked, not killed, so that it takes its PostgreSQL with it.
  cleanUp.push(async () => {
    if (child.kill("SIGTERM")) await once(child, "exit");
  });
  const [line] = await once(child.stdout, "data");
  return { child, ...JSON.parse(String(line)) };
}

async function ask<R extends pg.QueryResultRow>(url: string, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe("embedded PostgreSQL", () => {
  it("keeps its rows over a stop, and listens on loopback only, by password", async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    await ask(first.url, "CREATE TABLE kept AS SELECT 77 AS n");
    await first.stop();

    const second = await start(dataDir);
    expect(await ask(second.url, "SELECT n FROM kept")).toEqual([{ n: 77 }]);
    expect(await ask(second.url, "SHOW listen_addresses")).toEqual([
      { listen_addresses: "127.0.0.1" },
    ]);
    const stranger = new URL(second.url);
    stranger.password = "guess";
    await expect(ask(stranger.toString(), "SELECT 1")).rejects.toThrow("password");
    expect(statSync(join(dataDir, "postgres", "password")).mode & 0o777).toBe(0o600);
  });

  it("searches by likeness", async () => {
    const { url } = await start(folder());
    await ask(url, "CREATE EXTENSION pg_trgm");
    const rows = await ask<{ alike: number }>(
      url,
      "SELECT similarity('saranggola', 'sarangola') AS alike",
    );
    expect(rows[0]?.alike).toBeGreaterThan(0.5);
  });

  it("refuses a second start on the same folder, naming the process that has it", async () => {
    const dataDir = folder();
    const { child, url } = await holder(dataDir);
    await expect(startEmbedded({ dataDir, log })).rejects.toMatchObject({
      holder: child.pid,
      message: expect.stringContaining(`process ${child.pid}`),
    });
    expect(await ask(url, "SELECT 1 AS alive")).toEqual([{ alive: 1 }]);
    expect(await runningDatabaseUrl(dataDir)).toBe(url);
  });

  it("lets one of two starts at the same moment have the folder", async () => {
    const dataDir = folder();
    const starts = await Promise.allSettled([start(dataDir), start(dataDir), start(dataDir)]);
    expect(starts.map(({ status }) => status).sort()).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
    ]);
  });

  it("takes over after the server was killed, with every committed row", async () => {
    const dataDir = folder();
    const killed = await holder(dataDir);
    await ask(killed.url, "CREATE TABLE kept AS SELECT 77 AS n");
    killed.child.kill("SIGKILL");
    await once(killed.child, "exit");

    const next = await start(dataDir);
    expect(next.pid).not.toBe(killed.pid);
    expect(await ask(next.url, "SELECT n FROM kept")).toEqual([{ n: 77 }]);
  });

  it("recovers after the server and PostgreSQL itself were killed", async () => {
    const dataDir = folder();
    const killed = await holder(dataDir);
    await ask(killed.url, "CREATE TABLE kept AS SELECT 77 AS n");
    killed.child.kill("SIGKILL");
    process.kill(killed.pid, "SIGKILL");

    const next = await start(dataDir);
    expect(await ask(next.url, "SELECT n FROM kept")).toEqual([{ n: 77 }]);
  });

  it("does not run on where its start fails after it was ready", async () => {
    const dataDir = folder();
    await (await start(dataDir)).stop();
    const home = join(dataDir, "postgres");
    writeFileSync(join(home, "password"), "another");

    await expect(start(dataDir)).rejects.toThrow("password");
    expect(existsSync(join(home, "cluster", "postmaster.pid"))).toBe(false);
  });

  it("keeps its log small while it runs, the one before beside it, and writes on", async () => {
    const dataDir = folder();
    const { url } = await start(dataDir, { logLookMs: 50 });
    const file = join(dataDir, "postgres", "postgres.log");
    await expect(ask(url, "SELECT earlier_mistake")).rejects.toThrow("earlier_mistake");
    appendFileSync(file, Buffer.alloc(10 * 1024 * 1024, "x\n"));
    await vi.waitFor(() => expect(statSync(file).size).toBe(0), 10_000);
    expect(readFileSync(`${file}.1`, "utf8")).toContain("earlier_mistake");

    await expect(ask(url, "SELECT later_mistake")).rejects.toThrow("later_mistake");
    await vi.waitFor(() => expect(readFileSync(file, "utf8")).toMatch(/^\d.*later_mistake/), 5_000);
    expect(statSync(file).size).toBeLessThan(1_000);
  });

  it.runIf(process.getuid?.() === 0)(
    "runs as root from a folder that no other user can enter, and finds its data again",
    async () => {
      const closed = folder();
      chmodSync(closed, 0o700);
      const dataDir = join(closed, "data");
      mkdirSync(dataDir);
      const first = await start(dataDir);
      const place = realpathSync(join(dataDir, "postgres"));
      cleanUp.unshift(() => rmSync(place, { recursive: true, force: true }));
      await ask(first.url, "CREATE TABLE kept AS SELECT 77 AS n");
      await first.stop();
      // What decided the place may change; the data must not seem lost.
      chmodSync(closed, 0o755);
      const second = await start(dataDir);

      expect(await ask(second.url, "SELECT n FROM kept")).toEqual([{ n: 77 }]);
      expect(statSync(`/proc/${second.pid}`).uid).not.toBe(0);
    },
  );
});
