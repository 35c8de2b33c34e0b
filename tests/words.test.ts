import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** These pages show the words in order to replace them. */
const PAGES_OF_WORDS = ["docs/glossary.md", "STYLE.md"];
/** Migrations that were applied never change. */
const WRITTEN = /\.(?:ts|tsx|mjs|css|md)$|\/locales\/en\/.*\.json$/;

it("No code, comment, test title, English text, document or file name uses a word that the glossary refuses", () => {
  const refused = refusedWords();
  expect(refused.length).toBeGreaterThan(10);
  const words = new RegExp(String.raw`(?<![\w.])(?:${refused.join("|")})(?!\w)`, "g");
  const found = files().flatMap((path) =>
    [
      ...`${path.replaceAll("-", " ")}\n${readFileSync(join(ROOT, path), "utf8")}`.matchAll(words),
    ].map(([word]) => `${path}: ${word}`),
  );
  expect(found).toEqual([]);
});

/** The first column of the glossary's second table. */
function refusedWords(): string[] {
  const [, table = ""] = readFileSync(join(ROOT, "docs/glossary.md"), "utf8").split(
    "| Not | But |",
  );
  return [...table.matchAll(/^\| ([^|]*[^|-]) \|/gm)].flatMap(([, words = ""]) =>
    words.split(", ").flatMap((word) => [word, word[0]?.toUpperCase() + word.slice(1)]),
  );
}

function files(): string[] {
  const below = ["packages", "apps", "tests", "bench", "scripts", "docs"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) =>
      join(folder, path),
    ),
  );
  return [...readdirSync(ROOT), ...below].filter(
    (path) =>
      WRITTEN.test(path) &&
      !/(?:^|\/)(?:node_modules|dist|results)\//.test(path) &&
      !PAGES_OF_WORDS.includes(path),
  );
}
