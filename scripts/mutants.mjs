import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { BENCH, ensureInstalled } from "./install.mjs";
import { ROOT, requireNode } from "./project.mjs";
import { inTurn } from "./turn.mjs";

/**
 * `npm run mutants -- <part> [--lines 150] [--seed 1] [--file name]`: changes a part's code in
 * small ways, one at a time, and runs the part's tests on each change. It lists the changes that no
 * test notices, and writes the part's row in bench/results/mutants.md. The seed draws the changed
 * lines, from all files or from those whose path contains the name. Files are changed in place,
 * since packages are linked by their place, and restored at the end; so they must be committed.
 */

const SERVER = "apps/server/src/modules";
const DRAWN_OR_WIRED =
  /\/(sw|start-guard|sound|kite-scene|reels-stage|reels-view|(canvas|pixi)-painter)\.ts$/;
/**
 * Per part: the files to change, the tests that must notice, and how many of a hundred changes they
 * must notice. `whole`: nearly all of the part is read once, on loading; `logic`: which of its
 * files count; `isolated`: its test files need modules of their own.
 */
const PARTS = {
  games: { code: ["packages/games/src"], tests: ["packages/games/src"], least: 90 },
  ledger: {
    ...{ code: [`${SERVER}/ledger`], least: 90 },
    // Its behaviour while somebody holds a wallet is tested with the held locks.
    tests: [
      `${SERVER}/ledger`,
      "tests/server/ledger-held.test.ts",
      "tests/server/set-aside.test.ts",
    ],
  },
  rounds: { code: [`${SERVER}/rounds`], tests: [`${SERVER}/rounds`], least: 90 },
  cashier: { code: [`${SERVER}/cashier`], tests: [`${SERVER}/cashier`], least: 90 },
  vendors: { code: [`${SERVER}/vendors`], tests: [`${SERVER}/vendors`], least: 90 },
  identity: {
    ...{ code: [`${SERVER}/identity`], least: 85 },
    // What it deletes is tested with all sweeps.
    tests: [`${SERVER}/identity`, "tests/server/sweeps.test.ts"],
  },
  contract: {
    ...{ code: ["packages/contract/src"], tests: ["packages/contract/src"] },
    ...{ least: 80, whole: true },
  },
  kernel: { code: ["packages/kernel/src"], tests: ["packages/kernel/src"], least: 80 },
  // A hook is tested where something can be rendered.
  client: {
    ...{ code: ["packages/client/src"], least: 80 },
    tests: [
      "packages/client/src",
      ...["command.test.tsx", "session.test.ts", "text.test.ts"].map(
        (test) => `apps/play/src/shell/${test}`,
      ),
    ],
  },
  // The logic: decisions in functions that a test can call. Journeys cover components, drawing and
  // sound, and the wiring of a page or a worker.
  play: {
    ...{ code: ["apps/play/src"], least: 80 },
    // This test reads the sources' text, which differs while it is changed.
    tests: ["apps/play/src", "!apps/play/src/app/brand-name.test.tsx"],
    logic: (file) => file.endsWith(".ts") && !DRAWN_OR_WIRED.test(file),
    // Some mock modules that other tests use unmocked.
    isolated: true,
  },
};
const TABLE = join(ROOT, "bench/results/mutants.md");
const EQUIVALENT = join(ROOT, "bench/equivalent-mutants.tsv");
const HEAD = [
  "Part",
  "Day",
  "Seed",
  "Mutants",
  "Noticed",
  "Equivalent",
  "Lived",
  "Noticed of a hundred",
];

requireNode();
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    lines: { type: "string", default: "150" },
    seed: { type: "string", default: "1" },
    file: { type: "string", default: "" },
  },
});
const [part = ""] = positionals;
if (!Object.hasOwn(PARTS, part)) {
  process.stderr.write(`npm run mutants -- <part>: one of ${Object.keys(PARTS).join(", ")}\n`);
  process.exit(1);
}
const { code, tests, least, whole, isolated, logic = () => true } = PARTS[part];
const files = code
  .flatMap(sourcesIn)
  .filter(logic)
  .filter((file) => file.includes(values.file));
if (execFileSync("git", ["status", "--porcelain", ...files], { cwd: ROOT, encoding: "utf8" })) {
  process.stderr.write("What is changed has to be committed first.\n");
  process.exit(1);
}
await inTurn(async () => {
  await ensureInstalled();
  await ensureInstalled(BENCH);
});
const stryker = join(BENCH, "node_modules/@stryker-mutator/core/dist/src/index.js");
const { Stryker } = await import(pathToFileURL(stryker).href);
process.chdir(ROOT);
process.env.MUTANTS_TESTS = tests
  .map((path) => (/\.tsx?$/.test(path) ? path : `${path}/**/*.test.{ts,tsx}`))
  .join(";");
if (isolated) process.env.MUTANTS_ISOLATED = "1";
// A part without server code needs no database.
if (!tests.some((path) => path.startsWith(SERVER))) process.env.TEST_DATABASE_URL ??= "none";
const results = await new Stryker({
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "vitest.mutants.config.ts", related: false },
  inPlace: true,
  mutate: drawn(files, Number(values.lines), Number(values.seed)),
  // The words of a refusal or a log are no behaviour; which of them appears is.
  mutator: { excludedMutations: ["StringLiteral"] },
  // No test is known to reach a static mutant: all of the part's tests would run, from the start.
  ignoreStatic: whole !== true,
  coverageAnalysis: "perTest",
  reporters: ["progress-append-only"],
  // One run of Vitest has one database server.
  concurrency: 1,
  // A busy machine is slow without an endless loop.
  timeoutMS: 60_000,
  // One run of all tests; with modules of their own it takes longer than the default five minutes.
  dryRunTimeoutMinutes: 30,
  tempDirName: join(tmpdir(), "perya-mutants"),
  allowConsoleColors: false,
}).runMutationTest();
tell(results);

/** @param {object[]} mutants Stryker's MutantResult of each */
function tell(mutants) {
  const tried = mutants.filter(({ status }) => !["Ignored", "CompileError"].includes(status));
  const lived = tried.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const known = readFileSync(EQUIVALENT, "utf8").split("\n");
  const equivalent = lived.filter((mutant) =>
    known.some((line) => line.startsWith(`${nameOf(mutant)}\t`)),
  );
  const unnoticed = lived.filter((mutant) => !equivalent.includes(mutant));
  for (const mutant of unnoticed) process.stdout.write(`lived\t${nameOf(mutant)}\n`);
  const noticed = tried.length - lived.length;
  const byTime = tried.filter(({ status }) => status === "Timeout").length;
  const share = (100 * noticed) / (tried.length - equivalent.length);
  const day = new Date().toISOString().slice(0, 10);
  const counts = [tried.length, noticed, equivalent.length, unnoticed.length, share.toFixed(1)];
  if (values.file === "") writeRow([part, day, values.seed, ...counts]);
  const of = tried.length - equivalent.length;
  process.stdout.write(`${part}: ${noticed} of ${of} noticed, ${byTime} by taking too long\n`);
  process.exitCode = share >= least ? 0 : 1;
}

/** Names a mutant by its change, since lines move: file, the code, its replacement. */
function nameOf({ fileName, location: { start, end }, replacement }) {
  const lines = readFileSync(fileName, "utf8").split("\n");
  const whole = lines.slice(start.line - 1, end.line);
  whole[whole.length - 1] = whole.at(-1).slice(0, end.column - 1);
  whole[0] = whole[0].slice(start.column - 1);
  const said = (text) => text.replaceAll(/\s+/g, " ");
  const context = said(lines[start.line - 1].trim());
  return [fileName.slice(ROOT.length + 1), context, said(whole.join(" ")), said(replacement)].join(
    "\t",
  );
}

/** @param {(string | number)[]} row */
function writeRow(row) {
  const [, , , , ...rows] = readFileSync(TABLE, "utf8").trimEnd().split("\n");
  const others = rows.filter((line) => !line.startsWith(`| ${part} |`));
  const cells = (list) => `| ${list.join(" | ")} |`;
  const table = [...others, cells(row)].sort();
  const rule = cells(HEAD.map(() => "---"));
  const title = "# Small changes of the code that a part's own tests notice (`npm run mutants`)";
  writeFileSync(TABLE, `${[title, "", cells(HEAD), rule, ...table].join("\n")}\n`);
}

/** This many lines of code as Stryker's ranges, the same for the same seed. */
function drawn(sources, count, seed) {
  const all = sources.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, i) => (isCode(line) ? [`${file}:${i + 1}-${i + 1}`] : [])),
  );
  const chance = chances(seed);
  const keyed = all.map((range) => ({ range, key: chance() }));
  return keyed
    .sort((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ range }) => range);
}

function isCode(line) {
  return !/^\s*($|\/\/|\/?\*|import |export (type|interface) |[)}\]]+[;,]?$)/.test(line);
}

/** Mulberry32: it only draws lines, so it need not be unpredictable. */
function chances(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param {string} folder @returns {string[]} */
function sourcesIn(folder) {
  return readdirSync(join(ROOT, folder))
    .flatMap((name) => {
      const path = `${folder}/${name}`;
      if (statSync(join(ROOT, path)).isDirectory()) return sourcesIn(path);
      return /\.tsx?$/.test(name) && !/\.test\.tsx?$|\.d\.ts$/.test(name) ? [path] : [];
    })
    .sort();
}
