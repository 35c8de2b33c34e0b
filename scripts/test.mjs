import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildStale } from "./build.mjs";
import { runChecks } from "./checks.mjs";
import { findBrowsers } from "./chromium.mjs";
import { prepareCluster } from "./cluster-journeys.mjs";
import { ensureInstalled } from "./install.mjs";
import { runJourneys } from "./journeys.mjs";
import { requireNode, run } from "./project.mjs";
import { ensureRedis } from "./redis.mjs";
import { inTurn } from "./turn.mjs";
import { failedAtLeastOnce, runVitest } from "./vitest.mjs";

/** The faults always come in the same order. */
const FAULTS_SEED = "20261153";
const FAULTS_SECONDS = "110";
/** At least this many kinds with two servers and with one, however long they take. */
const FAULTS_LEAST = "3,5";
const MALFORMED = "10000";

/**
 * Everything: checks, unit and module tests, a share of the faults, journeys in Chromium. Failures
 * are named again at the end, before the one line of counts: often only the last lines of a long
 * log are kept.
 */
requireNode();
await inTurn(ensureInstalled);
const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];
// The build and Vitest's own start leave a core idle: the checks finish in that time.
const checks = runChecks();
// Missing Debian packages come over the network meanwhile.
const redis = ensureRedis();
const browsers = redis.then(findBrowsers);
// The server's own tests also need the built pages.
if (await built()) {
  await redis;
  // On one PostgreSQL; what runs on a cluster does so beside the journeys there.
  add(await runVitest([], { TEST_CITUS_URL: "" }));
  const faults = ["--seconds", FAULTS_SECONDS, "--least", FAULTS_LEAST];
  // The campaign's players wait for a third of the time. After the last fault they do almost
  // nothing else, for a minute, until everything promised must be done.
  let isOver = () => {};
  const over = new Promise((done) => {
    isOver = () => done(undefined);
  });
  const campaign = runFaults("campaign", faults, isOver).finally(isOver);
  const cluster = prepareCluster();
  add(await runFaults("malformed", ["--malformed", MALFORMED]));
  await over;
  await browsers;
  // The journeys on a cluster mostly wait, and do so beside the others.
  const onCluster = cluster.then(({ play }) =>
    play(["--reporter=json", "--output=test-results/cluster"]),
  );
  add(await runJourneys(["--output=test-results/journeys"]));
  add(await campaign);
  add(await onCluster);
} else add({ passed: 0, failed: 1, failures: ["the build"] });
add(await checks);

for (const failure of failures) process.stdout.write(`✗ ${failure}\n`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

/** @param {{ passed: number, failed: number, skipped?: number, failures?: string[] }} counts */
function add({ passed, failed, skipped = 0, failures: named = [] }) {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  failures.push(...named);
}

async function built() {
  try {
    await inTurn(buildStale);
    return true;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}

/**
 * A share of the faults: as many kinds as the time allows, each counted as a test; and some
 * meaningless requests. @param {string} program @param {string[]} share
 * @param {() => void} [isOver] called after the last fault, before the program ends
 */
async function runFaults(program, share, isOver = () => {}) {
  const folder = mkdtempSync(join(tmpdir(), "perya-fault-counts-"));
  const output = join(folder, "counts.json");
  const given = ["--seed", FAULTS_SEED, "--counts", output, ...share];
  const code = await run(
    process.execPath,
    ["--import", "tsx", `tests/faults/${program}.ts`, ...given],
    { stdio: ["inherit", "inherit", "inherit", "ipc"], onMessage: isOver },
  );
  const counts = existsSync(output)
    ? JSON.parse(readFileSync(output, "utf8"))
    : { passed: 0, failed: 1, failures: [`${program} left no counts`] };
  rmSync(folder, { recursive: true, force: true });
  return failedAtLeastOnce(counts, code, program);
}
