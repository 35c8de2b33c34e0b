import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { bin, ROOT, run } from "./project.mjs";

/** The lines of a failure's reason that are repeated at the end. */
const WHY_LINES = 8;

/**
 * Runs Vitest and counts. A file that does not load, or an error outside any test, counts as one
 * failure, so that no failure can add up to zero.
 * @param {string[]} args @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ passed: number, failed: number, skipped: number, failures: string[] }>}
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
  return failedAtLeastOnce(counts, code, "Vitest");
}

/** The suffix of a failure outside any test. */
export const OUTSIDE = "outside of any test";

/**
 * A program that ends with an error has failed, whatever it counted.
 * @template {{ failed: number, failures: string[] }} T
 * @param {T} counts @param {number} code @param {string} what @returns {T}
 */
export function failedAtLeastOnce(counts, code, what) {
  if (code === 0 || counts.failed > 0) return counts;
  return { ...counts, failed: 1, failures: [`${what} ended with ${code} ${OUTSIDE}`] };
}

/** A failure's name, and the first words of why. @param {string} name @param {string} [why] */
export function told(name, why = "") {
  const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
  const lines = why.replace(colours, "").split("\n").filter(Boolean);
  return [name, ...lines.slice(0, WHY_LINES).map((line) => `    ${line.slice(0, 300)}`)].join("\n");
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
      failures: [
        ...unloaded.map(({ name, message }) => told(relative(ROOT, name), message)),
        ...report.testResults.flatMap(({ name, assertionResults }) =>
          assertionResults
            .filter((test) => test.status === "failed")
            .map((test) =>
              told(`${relative(ROOT, name)} ${test.fullName}`, test.failureMessages[0]),
            ),
        ),
      ],
    };
  } catch {
    // No report: Vitest itself failed earlier.
    return { passed: 0, failed: 1, skipped: 0, failures: ["Vitest left no report"] };
  }
}
