import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { bin, ROOT, run } from "./project.mjs";

/**
 * Types of every package and application, then lint and format with warnings as errors.
 * @returns {Promise<{ passed: number, failed: number, failures: string[] }>} one count per project,
 * one for the lint
 */
export async function runChecks() {
  const projects = [".", ...workspaces()].filter(hasSources);
  // Each project gets a single checker: four of them would each read the common files, twice the
  // work. A second project at the same time costs nothing.
  const types = projects.map((project) => ({
    what: `types ${project}`,
    command: bin("tsc"),
    args: ["-p", project, "--noEmit", "--checkers", "1"],
  }));
  const lint = ["check", "--error-on-warnings", "."];
  const steps = [
    ...types,
    { what: "lint and format", command: bin("biome"), args: lint },
    { what: "unused exports", command: bin("knip"), args: ["--no-progress"] },
  ];
  const waiting = [...steps];
  /** @type {string[]} */
  const failures = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!(await step(next))) failures.push(next.what);
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, work));
  return { passed: steps.length - failures.length, failed: failures.length, failures };
}

function workspaces() {
  return ["packages", "apps"].flatMap((group) =>
    readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`),
  );
}

/** The compiler reports an error for a project without sources. @param {string} project */
function hasSources(project) {
  if (!existsSync(join(ROOT, project, "tsconfig.json"))) return false;
  if (project === ".") return true;
  const source = join(ROOT, project, "src");
  return (
    existsSync(source) &&
    readdirSync(source, { recursive: true }).some((name) => /\.tsx?$/.test(String(name)))
  );
}

/** @param {{ what: string, command: string, args: string[] }} step */
async function step({ what, command, args }) {
  const startedAt = performance.now();
  const ok = (await run(command, args)) === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${ok ? "✓" : "✗"} ${what} (${seconds} s)\n`);
  return ok;
}
