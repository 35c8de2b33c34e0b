import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { IDENTITY, IDENTITY_ROOMS } from "../identity-rooms.ts";

/**
 * What docs/security.md says about each requirement of the standard: its state, where it is met,
 * and by which tests. The page names a file relative to one of these folders, and a test by its
 * file and its title without the clauses at its start.
 */
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const ROOMS = [
  "",
  ...["", ...IDENTITY_ROOMS].map((room) => IDENTITY + room),
  "apps/server/src/modules/",
  "apps/server/src/platform/",
  "apps/server/src/platform/sockets/",
  "apps/server/src/",
];

export interface Judged {
  readonly id: string;
  readonly state: string;
  /** Files and folders, but no addresses, which begin with a slash. */
  readonly where: readonly string[];
  readonly tests: readonly { readonly file: string; readonly title: string | null }[];
}

/** The rows of the page's tables that begin with the number of a requirement. */
export function judged(page: string): Judged[] {
  const rows: Judged[] = [];
  let last: Judged["tests"] = [];
  for (const line of page.split("\n")) {
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    const [id = "", , state = "", place = "", shown = ""] = cells.map((cell) => cell.trim());
    if (!/^\d+\.\d+\.\d+/.test(id) || cells.length !== 5) continue;
    const tests = testsOf(shown, last);
    if (tests.length > 0) last = tests;
    const named = [...place.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    const where = named.filter((path) => !path.startsWith("/"));
    rows.push({ id, state, where, tests });
  }
  return rows;
}

/** Tests in the form `` `file`: title; title; `file` ``, or those of the row above. */
function testsOf(shown: string, last: Judged["tests"]): Judged["tests"] {
  const tests: { file: string; title: string | null }[] = [];
  for (const part of shown.split("; ")) {
    if (part === "" || part === "—") continue;
    if (/^the same\b/.test(part)) {
      tests.push(...last);
      continue;
    }
    const named = /^`([^`]+\.(?:test|journey)\.tsx?)`(?:: (.+))?$/.exec(part);
    if (named !== null) tests.push({ file: named[1] ?? "", title: named[2] ?? null });
    else tests.push({ file: tests.at(-1)?.file ?? "", title: part });
  }
  return tests;
}

/** The path of a file or folder that the page names; undefined if there is none. */
export function placeOf(path: string): string | undefined {
  return ROOMS.map((room) => join(ROOT, room, path)).find((one) => existsSync(one));
}

/** Why a named test does not exist; null if it does. */
export function faultOf({ file, title }: Judged["tests"][number]): string | null {
  const path = placeOf(file);
  if (file === "" || path === undefined) return `there is no ${file || "file"} for "${title}"`;
  if (title === null) return null;
  const source = readFileSync(path, "utf8").replace(/\s+/g, " ");
  // A case of a test with many cases follows its title in brackets.
  const wanted = [title, title.replace(/ \([^)]*\)$/, "")];
  const there = wanted.some(
    (one) => source.includes(one.replaceAll('"', '\\"')) || source.includes(one),
  );
  return there ? null : `${file} has no "${title}"`;
}
