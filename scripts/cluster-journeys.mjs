import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildStale } from "./build.mjs";
import { CLUSTER_TESTS } from "./cluster-tests.mjs";
import { installPackage } from "./debian.mjs";
import { ensureInstalled } from "./install.mjs";
import { runJourneys } from "./journeys.mjs";
import { bin, ROOT, requireNode, run, withProgress } from "./project.mjs";
import { inTurn } from "./turn.mjs";
import { runVitest } from "./vitest.mjs";

/** Money on all its ways: bets, wins, shared rounds, deposits, withdrawals, and who pays by hand. */
const JOURNEYS = [
  ...["main-job", "games", "lottery", "cockfight", "sports", "red-rain", "manual-deposit"],
  "withdraw-proof",
].map((name) => `${name}.journey`);

/** A checkout may have this neighbour, which starts a cluster in a folder. */
const NEIGHBOUR = join(dirname(ROOT), "shared", "citus", "cluster");
/** The neighbour's Citus was built for it. */
const POSTGRES = "/usr/lib/postgresql/15/bin/postgres";
const POSTGRES_OLDEST = [15, 20];
const NODES = 3;
const NOWHERE = "the cluster: neither TEST_CITUS_URL nor ../shared/citus/cluster";

/**
 * What is played on a Citus cluster: the tests of how tables are spread, tests of modules, the main
 * journeys, and `ledger:verify` of what they left.
 * @typedef {{ passed: number, failed: number, skipped: number, failures: string[] }} Counts
 * @typedef {{ url: string, stop: () => void }} Cluster
 */

/**
 * A cluster with the demo in it, or why there is none.
 * @returns {Promise<{ play: (args?: string[]) => Promise<Counts> }>} `args` are Playwright's
 */
export async function prepareCluster() {
  /** @type {Cluster | null} */
  let cluster = null;
  try {
    cluster = await findCluster();
    if (cluster === null) return { play: async () => notRun() };
    const started = cluster;
    const database = `perya_journeys_${process.pid}`;
    const env = { ...process.env, TEST_CITUS_URL: started.url };
    const filled = await withProgress("Filling a database and joining it to a cluster", () =>
      run(bin("tsx"), ["tests/cluster/filled-database.ts", database], { env }),
    );
    if (filled !== 0) throw new Error("the demo did not get into the cluster");
    const drop = () => run(bin("tsx"), ["tests/cluster/drop-database.ts", database], { env });
    return {
      play: (args = []) => play(started, database, args).finally(() => drop().then(started.stop)),
    };
  } catch (error) {
    cluster?.stop();
    return { play: async () => failed(`the cluster: ${error.message}`) };
  }
}

/** @returns {Counts} */
function notRun() {
  if (process.env.CI === "true") return failed(NOWHERE);
  process.stdout.write(`NOT RUN: the journeys on a cluster (${NOWHERE}).\n`);
  return { passed: 0, failed: 0, skipped: JOURNEYS.length, failures: [] };
}

/** @param {string} why @returns {Counts} */
function failed(why) {
  return { passed: 0, failed: 1, skipped: 0, failures: [why] };
}

/**
 * @param {Cluster} cluster @param {string} database @param {string[]} args
 * @returns {Promise<Counts>}
 */
async function play({ url }, database, args) {
  const own = new URL(url);
  own.pathname = `/${database}`;
  const env = { DATABASE_URL: own.href };
  const parts = [
    await runVitest(["tests/cluster"], { TEST_CITUS_URL: url, TEST_DATABASE_URL: "none" }),
    await modules(url),
    await runJourneys([...JOURNEYS, "--workers", "1", ...args], env),
    await verified(env),
  ];
  return {
    passed: parts.reduce((sum, part) => sum + part.passed, 0),
    failed: parts.reduce((sum, part) => sum + part.failed, 0),
    skipped: parts.reduce((sum, part) => sum + part.skipped, 0),
    failures: parts.flatMap((part) => part.failures).map((name) => `on a cluster: ${name}`),
  };
}

/** @param {string} url @returns {Promise<Counts>} */
async function modules(url) {
  const files = Object.keys(CLUSTER_TESTS).map((name) => `${name}.test.ts`);
  const titles = Object.values(CLUSTER_TESTS).flat();
  const pattern = titles.map((title) => title.replaceAll(/[^\w ]/g, ".")).join("|");
  const counts = await runVitest([...files, "-t", `(${pattern})$`], {
    TEST_CITUS_URL: url,
    TEST_DATABASE_URL: "",
  });
  // A title that no test has any more would be left out without a word.
  if (counts.failed === 0 && counts.passed !== titles.length) {
    return failed(`${counts.passed} of the ${titles.length} tests in cluster-tests.mjs`);
  }
  // All tests of these files run on one PostgreSQL.
  return { ...counts, skipped: 0 };
}

/** @param {NodeJS.ProcessEnv} env @returns {Promise<Counts>} */
async function verified(env) {
  const code = await run(bin("tsx"), ["apps/server/src/ledger-verify.ts"], {
    env: { ...process.env, ...env },
  });
  if (code !== 0) return failed("ledger:verify after the journeys");
  return { passed: 1, failed: 0, skipped: 0, failures: [] };
}

/** @returns {Promise<Cluster | null>} */
async function findCluster() {
  const given = process.env.TEST_CITUS_URL;
  if (given) return { url: given, stop: () => {} };
  if (!existsSync(NEIGHBOUR)) return null;
  if (!isRecent()) await installPackage("postgresql-15");
  const folder = mkdtempSync(join(tmpdir(), "perya-cluster-"));
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755);
  let isOver = false;
  const stop = () => {
    if (isOver) return;
    isOver = true;
    execFileSync("bash", [NEIGHBOUR, "stop", folder], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", stop);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  const port = await freePorts();
  const out = execFileSync("bash", [NEIGHBOUR, "start", folder, String(port)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = /^DATABASE_URL=(.+)$/m.exec(out)?.[1];
  if (url === undefined) throw new Error("the cluster does not say where it is");
  for (let node = 0; node < NODES; node++) await writeWithoutWaiting(url, port + node);
  return { url, stop };
}

/** No machine loses its power in a test. @param {string} url @param {number} port */
async function writeWithoutWaiting(url, port) {
  const at = new URL(url);
  at.port = String(port);
  at.pathname = "/postgres";
  // The first `npm test` loads this file before anything is installed.
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: at.href });
  await client.connect();
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"]) {
    await client.query(`ALTER SYSTEM SET ${setting} TO off`);
  }
  await client.query("SELECT pg_reload_conf()");
  await client.end();
}

function isRecent() {
  if (!existsSync(POSTGRES)) return false;
  const said = execFileSync(POSTGRES, ["--version"], { encoding: "utf8" });
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(said) ?? []).map(Number);
  return major === POSTGRES_OLDEST[0] && minor >= POSTGRES_OLDEST[1];
}

/** The first of `NODES` neighbouring ports that are free. */
async function freePorts() {
  for (let port = 24_000 + (process.pid % 4_000); ; port += NODES) {
    const free = await Promise.all(Array.from({ length: NODES }, (_, i) => isFree(port + i)));
    if (free.every(Boolean)) return port;
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requireNode();
  await inTurn(ensureInstalled);
  await inTurn(buildStale);
  const { play: begin } = await prepareCluster();
  const { passed, failed: red, skipped, failures } = await begin();
  for (const failure of failures) process.stdout.write(`✗ ${failure}\n`);
  process.stdout.write(`${passed} passed, ${red} failed, ${skipped} skipped\n`);
  process.exitCode = red === 0 ? 0 : 1;
}
