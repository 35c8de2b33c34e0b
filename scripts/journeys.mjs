import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildStale } from "./build.mjs";
import { findBrowsers } from "./chromium.mjs";
import { ensureInstalled } from "./install.mjs";
import { bin, requireNode, run } from "./project.mjs";
import { ensureRedis } from "./redis.mjs";
import { inTurn } from "./turn.mjs";
import { failedAtLeastOnce, told } from "./vitest.mjs";

const CONFIG = "tests/e2e/playwright.config.ts";

/**
 * Runs all journeys, or those that the arguments choose, in Chromium and counts them.
 * @param {string[]} [args]
 * @param {NodeJS.ProcessEnv} [env] what they have besides
 * @returns {Promise<{ passed: number, failed: number, skipped: number, failures: string[] }>}
 */
export async function runJourneys(args = [], env = {}) {
  const none = { passed: 0, failed: 1, skipped: 0, failures: ["the journeys: no Chromium"] };
  const { chromium, headless } = await findBrowsers();
  if (chromium === null || headless === null) return none;
  const folder = mkdtempSync(join(tmpdir(), "perya-journeys-"));
  const output = join(folder, "report.json");
  const code = await run(
    bin("playwright"),
    ["test", `--config=${CONFIG}`, "--reporter=list,json", ...args],
    {
      env: {
        ...process.env,
        ...env,
        CHROMIUM_PATH: chromium,
        HEADLESS_SHELL_PATH: headless,
        PLAYWRIGHT_JSON_OUTPUT_NAME: output,
      },
    },
  );
  const counts = readReport(output);
  rmSync(folder, { recursive: true, force: true });
  return failedAtLeastOnce(counts, code, "the journeys");
}

/** A journey that passes only when repeated does not count as passed. @param {string} path */
function readReport(path) {
  try {
    const { stats, suites } = JSON.parse(readFileSync(path, "utf8"));
    return {
      passed: stats.expected,
      failed: stats.unexpected + stats.flaky,
      skipped: stats.skipped,
      failures: suites.flatMap(failedSpecs),
    };
  } catch {
    // No report: Playwright itself failed earlier.
    return { passed: 0, failed: 1, skipped: 0, failures: ["the journeys left no report"] };
  }
}

/** @returns {string[]} */
function failedSpecs({ specs = [], suites = [] }) {
  const mine = specs.flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === "unexpected" || status === "flaky")
      .map(({ results }) =>
        told(`${file} ${title}`, results.find(({ error }) => error)?.error?.message),
      ),
  );
  return [...mine, ...suites.flatMap(failedSpecs)];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  requireNode();
  await inTurn(async () => {
    await ensureInstalled();
    await buildStale();
  });
  await ensureRedis();
  const { failed } = await runJourneys(process.argv.slice(2));
  process.exitCode = failed === 0 ? 0 : 1;
}
