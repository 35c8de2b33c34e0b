import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bin, run } from "./project.mjs";

/**
 * Runs Vitest and counts. A file that does not load, or an error outside of any test, counts as
 * one failure, so that nothing red can add up to zero.
 * @param {string[]} args @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function runVitest(args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), "perya-vitest-"));
  const output = join(folder, "report.json");
  const code = await run(
    bin("vitest"),
    ["run", ...args, "--reporter=default", "--reporter=json", `--outputFile.json=${output}`],
    { env: { ...process.env, ...env } },
  );
  const counts = readReport(output);
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

/** @param {string} path */
function readReport(path) {
  try {
    const report = JSON.parse(readFileSync(path, "utf8"));
    const unloaded = report.testResults.filter(
      ({ status, assertionResults }) =>
        status === "failed" && !assertionResults.some((test) => test.status === "failed"),
    );
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + unloaded.length,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch {
    // No report: Vitest itself did not get as far.
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
