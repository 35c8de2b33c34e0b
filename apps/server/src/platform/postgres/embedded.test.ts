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
import { holdRecovery } from "../../../../../tests/setup/held-recovery.ts";
import { makeTestFolder, postmasterOf } from "../../../../../tests/setup/postgres.ts";
import { createLogger } from "../log.ts";
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  runningDatabaseUrl,
  startEmbedded,
} from "./embedded.ts";
import { keepEmbedded } from "./kept-embedded.ts";

const log = createLogger({ level: "silent" });
const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function start(
  dataDir: string,
  options: Partial<EmbeddedOptions> = {},
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
  // Asked to end, not killed, so that it takes its PostgreSQL with it.
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

  it("is waited for while it recovers, however long that takes, and each wait is logged", async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    await ask(first.url, "CREATE TABLE kept AS SELECT 77 AS n");
    await first.stop();
    const held = holdRecovery(dataDir);
    const told: { waitedMs: number; state: string }[] = [];
    const write = (line: string) => void told.push(JSON.parse(line));
    const silenceMs = 5_000;
    const starting = start(dataDir, {
      ...{ silenceMs, tellMs: 1_000 },
      log: createLogger({ level: "warn", destination: { write } }),
    });
    const longer = () => expect(told.at(-1)?.waitedMs).toBeGreaterThan(silenceMs + 1_000);
    await Promise.race([starting, vi.waitFor(longer, 30_000)]);
    const recovering = postmasterOf(join(dataDir, "postgres", "cluster"));
    held.letGo();

    const { url, pid } = await starting;
    expect(pid).toBe(recovering);
    expect(await ask(url, "SELECT n FROM kept")).toEqual([{ n: 77 }]);
    expect(told.map(({ state }) => state)).toContain("starting");
  }, 60_000);

  it("ends in the middle of its recovery if its start is told to end", async () => {
    const dataDir = folder();
    await (await start(dataDir)).stop();
    holdRecovery(dataDir);
    const stopping = new AbortController();
    const starting = start(dataDir, { stopping: stopping.signal });
    const outcome = expect(starting).rejects.toThrow("told to end");
    const cluster = join(dataDir, "postgres", "cluster");
    await vi.waitFor(() => expect(postmasterOf(cluster)).not.toBeNull(), 10_000);
    stopping.abort(new Error("told to end"));
    await outcome;
    expect(postmasterOf(cluster)).toBeNull();
  }, 60_000);

  it("that is kept is waited for while it recovers, and still ends with its keeper", async () => {
    const dataDir = folder();
    const kept = await keepEmbedded({ dataDir, log });
    cleanUp.push(() => kept.stop());
    holdRecovery(dataDir);
    const cluster = join(dataDir, "postgres", "cluster");
    const first = postmasterOf(cluster) ?? 0;
    process.kill(first, "SIGINT");
    const again = () => expect([null, first]).not.toContain(postmasterOf(cluster));
    await vi.waitFor(again, 10_000);
    await kept.stop();
    expect(postmasterOf(cluster)).toBeNull();
  }, 60_000);

  it("does not run on if its start fails after it was ready", async () => {
    const dataDir = folder();
    await (await start(dataDir)).stop();
    const home = join(dataDir, "postgres");
    writeFileSync(join(home, "password"), "another");

    await expect(start(dataDir)).rejects.toThrow("password");
    expect(existsSync(join(home, "cluster", "postmaster.pid"))).toBe(false);
  });

  it("keeps its log small while it runs, the earlier one beside it, and writes on", async () => {
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
      // The reason for the place may change; the data must not seem lost.
      chmodSync(closed, 0o755);
      const second = await start(dataDir);

      expect(await ask(second.url, "SELECT n FROM kept")).toEqual([{ n: 77 }]);
      expect(statSync(`/proc/${second.pid}`).uid).not.toBe(0);
    },
  );
});
