import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bin, ROOT, run } from "./project.mjs";

/**
 * Types of every package and application, then lint and format with warnings as errors.
 * @returns {Promise<{ passed: number, failed: number, failures: string[] }>} one count a project, one for the lint
 */
export async function runChecks() {
  const projects = [".", ...workspaces()].filter(hasSources);
  /** @type {string[]} */
  const failures = [];
  for (const project of projects) {
    const what = `types ${project}`;
    if (!(await step(what, bin("tsc"), ["-p", project, "--noEmit"]))) failures.push(what);
  }
  const lint = ["check", "--error-on-warnings", "."];
  if (!(await step("lint and format", bin("biome"), lint))) failures.push("lint and format");
  const failed = failures.length;
  return { passed: projects.length + 1 - failed, failed, failures };
}

function workspaces() {
  return ["packages", "apps"].flatMap((group) =>
    readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`),
  );
}

/** A compiler without a single source calls that an error. @param {string} project */
function hasSources(project) {
  if (!existsSync(join(ROOT, project, "tsconfig.json"))) return false;
  if (project === ".") return true;
  const source = join(ROOT, project, "src");
  return (
    existsSync(source) &&
    readdirSync(source, { recursive: true }).some((name) => /\.tsx?$/.test(String(name)))
  );
}

/** @param {string} what @param {string} command @param {string[]} args */
async function step(what, command, args) {
  const startedAt = performance.now();
  const ok = (await run(command, args)) === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${ok ? "✓" : "✗"} ${what} (${seconds} s)\n`);
  return ok;
}
