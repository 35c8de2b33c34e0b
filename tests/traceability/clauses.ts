import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Break } from "./breaks.ts";

/**
 * Which test shows which clause of the specification. A test names its clauses at the start of
 * its title: `it("[A2.3-04] …")`, several as `[A2.3-04 A2.3-06]`. `npm run traceability` writes
 * docs/traceability.md, with what was broken to see a test fail (see breaks.ts); the test beside
 * this file fails if that is out of date, if a title names a clause that is not in
 * docs/clauses.tsv, or if a finished clause has no test.
 */

/** Clauses that must have a test: whole areas, and single clauses of others. */
export const FINISHED: Finished = {
  areas: [
    "security",
    "auth",
    "errors",
    "shell",
    "home",
    "content",
    "status",
    "catalogue",
    "launch",
    "promotions",
    "limits",
  ],
  clauses: [
    // The calls of accounts.
    ...["A7-01", "A7-02", "A7-03", "A7-04", "A7-05", "A7-06", "A7-07", "A7-08", "A7-09", "A7-10"],
    ...["A7-11", "A7-12", "A7-13", "A7-14", "A7-15", "A7-16", "A7-17", "A7-29", "A7-30", "A7-31"],
    // Feedback and help.
    ...["A7-35", "A7-36"],
    // The inbox's count, the service link, modules, and a vendor's game types.
    ...["A7-23", "A7-28", "G7-01", "G7-03"],
    // Contracts of agents, and the calls of agents.
    ...["G2.9-11", "G2.9-12", "G2.9-13", "G2.9-14", "G2.9-15", "G7-17"],
    ...["A7-38", "A7-39"],
  ],
};

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = join(ROOT, "docs/traceability.md");
const TEST_FILE = /\.(test|journey)\.tsx?$/;
/** A title that begins with ids, after `it(`, `it.each(rows)(`, …; skipped tests show nothing. */
const TITLE =
  /\b(?:it|test)(?:\.(?!(?:skip|todo|fixme)\b)\w+)*?(?:\.each\((?:(?!\)\(\s*["'`])[\s\S])*\)|\([^"'`]*?\))?\(\s*(["'`])\[([^\]]+)\]\s*((?:(?!\1)[^\\]|\\.)*)/g;

export interface Clause {
  readonly id: string;
  readonly area: string;
  readonly source: string;
  readonly statement: string;
}

export interface NamedTest {
  readonly file: string;
  readonly title: string;
  readonly ids: readonly string[];
}

interface Finished {
  readonly areas: readonly string[];
  readonly clauses: readonly string[];
}

export function readClauses(): Clause[] {
  const [, ...lines] = readFileSync(join(ROOT, "docs/clauses.tsv"), "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [id = "", area = "", source = "", statement = ""] = line.split("\t");
    return { id, area, source, statement };
  });
}

export function readTests(): NamedTest[] {
  return ["packages", "apps", "tests"].flatMap((folder) =>
    testFiles(join(ROOT, folder)).flatMap((path) =>
      testsIn(readFileSync(path, "utf8"), relative(ROOT, path)),
    ),
  );
}

export function testsIn(source: string, file: string): NamedTest[] {
  return [...source.matchAll(TITLE)].map(([, , ids = "", title = ""]) => ({
    file,
    title: title.replaceAll(/\\(.)/g, "$1").trim(),
    ids: ids.split(/[\s,]+/).filter((id) => id !== ""),
  }));
}

/** The faults, a sentence each. */
export function faultsOf(
  clauses: readonly Clause[],
  tests: readonly NamedTest[],
  finished: Finished,
): string[] {
  const known = new Set(clauses.map(({ id }) => id));
  const shown = new Set(tests.flatMap(({ ids }) => ids));
  const due = clauses.filter(
    ({ id, area }) => finished.areas.includes(area) || finished.clauses.includes(id),
  );
  return [
    ...tests.flatMap(({ file, title, ids }) =>
      ids.filter((id) => !known.has(id)).map((id) => `${file}: "${title}" names no clause: ${id}`),
    ),
    ...finished.clauses.filter((id) => !known.has(id)).map((id) => `no such clause: ${id}`),
    ...due
      .filter(({ id }) => !shown.has(id))
      .map(({ id, statement }) => `no test shows ${id}: ${statement}`),
  ];
}

/** The faults of the breaks, a sentence each. */
export function faultsOfBreaks(
  breaks: readonly Break[],
  tests: readonly NamedTest[],
  stands: (one: Break) => boolean,
): string[] {
  return breaks.flatMap((one) => {
    const { clause, test, file, from } = one;
    const names = tests.some(({ file, ids }) => file === test && ids.includes(clause));
    return [
      ...(names ? [] : [`the break of ${clause}: ${test} does not name it`]),
      ...(stands(one) ? [] : [`the break of ${clause}: ${file} has not once: ${from}`]),
    ];
  });
}

export function pageOf(
  clauses: readonly Clause[],
  tests: readonly NamedTest[],
  breaks: readonly Break[],
): string {
  const areas = [...new Set(clauses.map(({ area }) => area))];
  const shownBy = (id: string) =>
    tests
      .filter(({ ids }) => ids.includes(id))
      .map(({ file, title }) => `\`${file}\`: ${title.replaceAll("|", "\\|")}`);
  const parts = areas.map((area) => {
    const own = clauses.filter((clause) => clause.area === area);
    const shown = own.filter(({ id }) => shownBy(id).length > 0);
    const rows = shown.map(({ id }) => {
      const seen = breaks.filter(({ clause, seen }) => clause === id && seen !== "");
      const what = seen.map(({ file, from, to }) => `\`${file}\`: ${code(from)} → ${code(to)}`);
      const when = seen.map((one) => one.seen);
      return `| ${[id, shownBy(id).join("<br>"), what.join("<br>"), when.join("<br>")].join(" | ")} |`;
    });
    const head = "| Clause | Tests | What was broken to see them fail | When |\n|---|---|---|---|";
    const table = rows.length === 0 ? "" : `\n${head}\n${rows.join("\n")}\n`;
    return `## ${area}: ${shown.length} of ${own.length}\n${table}`;
  });
  return [
    "# Which test shows which clause",
    "Written by `npm run traceability` from the titles of the tests, `clauses.tsv` and `breaks.tsv`.",
    ...parts,
  ]
    .join("\n\n")
    .replace(/\n{3,}/g, "\n\n");
}

/** Code for a cell of a Markdown table, which a bar would end. */
function code(text: string): string {
  if (text === "") return "nothing";
  const fence = text.includes("`") ? "``" : "`";
  return `${fence}${text.replaceAll("|", "\\|")}${fence}`;
}

export function readPage(): string {
  return existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "";
}

export function writePage(page: string): void {
  writeFileSync(PAGE, page);
}

function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !["node_modules", "dist"].includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return testFiles(path);
      return TEST_FILE.test(entry.name) ? [path] : [];
    })
    .sort();
}
