import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { buildServer, type Server, type ServerDependencies } from "./build.ts";
import type { DemoAccount } from "./demo/demo.ts";
import { claimDatabase, refuseOthers } from "./installation.ts";
import { DatabaseClock, openDatabaseClock, systemClock } from "./platform/clock.ts";
import { type Config, loadConfig } from "./platform/config.ts";
import { systemEntropy } from "./platform/entropy.ts";
import { createLogger, type Logger, lastLines } from "./platform/log.ts";
import { joinLookups } from "./platform/name-lookups.ts";
import { type KeptPostgres, keepEmbedded } from "./platform/postgres/kept-embedded.ts";
import { migrate } from "./platform/postgres/migrate.ts";
import { createPool, isUnavailable } from "./platform/postgres/pool.ts";

/** A second press of Ctrl-C forces the end; npm passes the first one on twice within this time. */
const SAME_PRESS_MS = 1_000;
/** Requests and jobs drain within this time, else the process ends without them. */
const STOP_TIMEOUT_MS = 25_000;
const BETWEEN_STARTS_MS = 250;
const FORCED_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

await main();

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  if (!config.ok) {
    const faults = config.error.map((fault) => `  ${fault}`).join("\n");
    fail(`Perya cannot start with this configuration:\n${faults}`);
  }
  const log = createLogger({ level: config.value.logLevel });
  joinLookups();
  const ending: Ending = { stop: new AbortController(), code: 0 };
  forceOnSecondSignal(ending);
  endInOrderOnDefect(ending, log);
  try {
    await serve(config.value, log, ending.stop.signal);
  } catch (error) {
    // A process that is told to end before its database is open ends in order.
    if (error !== ending.stop.signal.reason) {
      log.debug({ err: error }, "start failed");
      await lastLines();
      fail(`Perya stopped: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  await lastLines();
  // What still holds the event loop has no work left to lose.
  process.exit(ending.code);
}

/** Whether the process must end, and how that is signalled. */
interface Ending {
  readonly stop: AbortController;
  code: number;
}

/** Resolves after an orderly stop; throws if a part cannot start or ends by itself. */
async function serve(config: Config, log: Logger, stopping: AbortSignal): Promise<void> {
  const embedded =
    config.databaseUrl === null
      ? await keepEmbedded({ dataDir: config.dataDir, log, stopping })
      : null;
  try {
    const databaseUrl = embedded?.url ?? config.databaseUrl ?? "";
    const clock = new DatabaseClock({ open: () => openDatabaseClock(databaseUrl), log });
    const started = await startUp({ config, log, clock, databaseUrl }, stopping);
    if (started === null) return;
    void clock.follow(stopping);
    const { server, url, metricsUrl, demo } = started;
    try {
      announce(config, url, metricsUrl, demo);
      await Promise.race([aborted(stopping), databaseLost(embedded, stopping)]);
    } finally {
      await server.close();
    }
  } finally {
    await embedded?.stop();
  }
}

interface Started {
  readonly server: Server;
  readonly url: string;
  readonly metricsUrl: string;
  readonly demo: readonly DemoAccount[];
}

/**
 * Migrates the database and opens the server; null if it is told to stop before. If the database is
 * lost on the way, it waits as for one that is not there yet.
 */
async function startUp(
  given: Omit<ServerDependencies, "entropy"> & { readonly clock: DatabaseClock },
  stopping: AbortSignal,
): Promise<Started | null> {
  const { config, log, clock, databaseUrl } = given;
  const isProduction = config.environment === "production";
  const admit = (client: pg.Client) => refuseOthers(client, isProduction);
  for (;;) {
    let server: Server | null = null;
    try {
      if ((await migrate(databaseUrl, { log, stopping, admit })) === null) return null;
      await claim(databaseUrl, isProduction, log);
      await clock.compare();
      stopping.throwIfAborted();
      server = await buildServer({ ...given, entropy: systemEntropy });
      const demo = config.demoData ? await server.loadDemo(stopping) : [];
      stopping.throwIfAborted();
      const opened = await server.listen();
      stopping.throwIfAborted();
      return { server, demo, ...opened };
    } catch (error) {
      await server?.close();
      const stopped = stopping.aborted && error === stopping.reason;
      if (!stopped && !isUnavailable(error)) throw error;
      if (stopping.aborted) return null;
      log.warn({ err: error }, "the database is away or busy; the start begins anew");
      await sleep(BETWEEN_STARTS_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

async function claim(databaseUrl: string, isProduction: boolean, log: Logger): Promise<void> {
  const pool = createPool(databaseUrl, { max: 1, log });
  try {
    await claimDatabase(pool, isProduction);
  } finally {
    await pool.end();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}

async function databaseLost(embedded: KeptPostgres | null, stopping: AbortSignal) {
  if (embedded === null) return aborted(stopping);
  await embedded.ended;
  if (!stopping.aborted) {
    throw new Error(
      "the embedded database does not come back; see postgres.log in the data folder",
    );
  }
}

/** Part of the product's face, so plain lines rather than log lines; production only logs. */
function announce(
  config: Config,
  url: string,
  metricsUrl: string,
  demo: readonly DemoAccount[],
): void {
  const lines = [`Perya is open at ${url}/m/home`, `  metrics  ${metricsUrl}`];
  for (const { username, password, note } of demo) {
    lines.push(`  demo     ${username} / ${password}${note === undefined ? "" : `   ${note}`}`);
  }
  if (config.environment !== "production") lines.push("  Ctrl-C stops it.");
  process.stdout.write(`${lines.join("\n")}\n`);
}

function forceOnSecondSignal(ending: Ending): void {
  let firstAt = 0;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      const now = systemClock.now();
      if (!ending.stop.signal.aborted) {
        firstAt = now;
        endInTime(ending);
      } else if (now - firstAt >= SAME_PRESS_MS) process.exit(FORCED_EXIT_CODES[signal]);
    });
  }
}

function endInTime({ stop }: Ending): void {
  stop.abort();
  setTimeout(() => {
    process.stderr.write("Perya did not stop in time; ending it as it stands.\n");
    process.exit(1);
  }, STOP_TIMEOUT_MS).unref();
}

/**
 * An uncaught error leaves this process in an unforeseen state: it answers what it has begun and
 * ends, so that its supervisor starts it anew.
 */
function endInOrderOnDefect(ending: Ending, log: Logger): void {
  const onDefect = (error: unknown) => {
    log.fatal({ err: error }, "a defect that nobody caught; ending in order");
    ending.code = 1;
    if (!ending.stop.signal.aborted) endInTime(ending);
  };
  process.on("uncaughtException", onDefect);
  process.on("unhandledRejection", onDefect);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
