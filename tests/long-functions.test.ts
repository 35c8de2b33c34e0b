import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/**
 * The lint refuses a function of more than 70 lines, except in these files, which biome.json
 * excepts. The list only becomes shorter.
 */
const EXCEPTED: Readonly<Record<string, string>> = {
  "apps/server/src/demo/demo-announcements.ts": "one list of texts",
  "apps/server/src/demo/demo-help.ts": "one list of texts",
  "apps/server/src/demo/demo-history.ts": "one life, whose steps share a clock and its chance",
};
const MOST_EXCEPTED = 3;

it("the files that may have a function of more than 70 lines only become fewer", () => {
  const { overrides } = JSON.parse(readFileSync(new URL("../biome.json", import.meta.url), "utf8"));
  const [, { includes: excepted }] = overrides;
  expect(excepted).toEqual(Object.keys(EXCEPTED));
  expect(excepted.length).toBeLessThanOrEqual(MOST_EXCEPTED);
  const gone = excepted.filter(
    (path: string) => !existsSync(new URL(`../${path}`, import.meta.url)),
  );
  expect(gone).toEqual([]);
});

/** Longer than these, a file or class holds more than one thing. */
const MOST_LINES = { file: 640, class: 430 };
const LONG_FILES: Readonly<Record<string, string>> = {
  "apps/play/src/features/auth/judged-forms.test.tsx": "one rule, tried on every form",
  "tests/faults/kinds.ts": "one list of faults",
};

it("only the files listed are longer than 640 lines, and no class is longer than 430", () => {
  const long: string[] = [];
  for (const path of sources()) {
    const lines = readFileSync(new URL(`../${path}`, import.meta.url), "utf8").split("\n");
    if (lines.length - 1 > MOST_LINES.file) long.push(path);
    const classes = lines.flatMap((line, at) => (/^(?:export )?class /.test(line) ? [at] : []));
    for (const at of classes) {
      expect(lines.indexOf("}", at) - at + 1, `${path}:${at + 1}`).toBeLessThanOrEqual(
        MOST_LINES.class,
      );
    }
  }
  expect(long.sort()).toEqual(Object.keys(LONG_FILES));
});

function sources(): string[] {
  return ["apps", "packages", "tests", "bench", "scripts"].flatMap((room) =>
    readdirSync(new URL(`../${room}/`, import.meta.url), { recursive: true, encoding: "utf8" })
      .filter(
        (path) => /\.(?:ts|tsx|mjs)$/.test(path) && !/(?:^|\/)(?:node_modules|dist)\//.test(path),
      )
      .map((path) => `${room}/${path}`),
  );
}
