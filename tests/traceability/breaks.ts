import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * What was broken to see a clause's test fail, and when: one line each in docs/breaks.tsv. A break
 * replaces a piece of code that occurs once in its file. `npm run breaks` tries them;
 * docs/traceability.md shows them beside the tests.
 */

export interface Break {
  readonly clause: string;
  /** The last day on which the test was seen to fail, `2026-11-24`; empty before the first. */
  readonly seen: string;
  /** The test's file, which names the clause in a title. */
  readonly test: string;
  readonly file: string;
  /** One line, exactly as in the file. */
  readonly from: string;
  readonly to: string;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TABLE = join(ROOT, "docs/breaks.tsv");
const COLUMNS = ["clause", "seen", "test", "file", "from", "to"] as const;

export function readBreaks(): Break[] {
  const [, ...lines] = readFileSync(TABLE, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [clause = "", seen = "", test = "", file = "", from = "", to = ""] = line.split("\t");
    return { clause, seen, test, file, from, to };
  });
}

export function writeBreaks(breaks: readonly Break[]): void {
  const lines = breaks.map((one) => COLUMNS.map((column) => one[column]).join("\t"));
  writeFileSync(TABLE, `${[COLUMNS.join("\t"), ...lines].join("\n")}\n`);
}

/** The file with the break in it; null if its piece of code does not occur exactly once. */
export function broken({
  file,
  from,
  to,
}: Break): { path: string; whole: string; bad: string } | null {
  const path = join(ROOT, file);
  const whole = readFileSync(path, "utf8");
  const parts = whole.split(from);
  return from !== to && parts.length === 2 ? { path, whole, bad: parts.join(to) } : null;
}
