import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tidyBuild } from "./earlier-assets.ts";

const DAY_MS = 86_400_000;
let dist: string;
let now: number;

beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), "perya-dist-"));
  now = 1_700_000_000_000;
});

afterEach(() => rmSync(dist, { recursive: true }));

/** Files as the bundler writes them, with the compressed copies beside them. */
function build(...files: string[]): void {
  for (const file of files.flatMap((name) => [name, `${name}.br`, `${name}.gz`])) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    writeFileSync(join(dist, file), file);
  }
  tidyBuild(dist, new Set(files), now);
}

const has = (file: string) => existsSync(join(dist, file));

describe("a build", () => {
  it("keeps the assets of earlier pages for a week after the first build without them, and then prunes them", () => {
    build("assets/app-1.js", "sw.js");
    now += 30 * DAY_MS;
    build("assets/app-2.js", "sw.js");
    now += 6 * DAY_MS;
    build("assets/app-3.js", "sw.js");
    expect(["assets/app-1.js", "assets/app-1.js.br", "assets/app-2.js"].map(has)).toEqual([
      ...[true, true, true],
    ]);
    now += 2 * DAY_MS;
    build("assets/app-3.js", "sw.js");
    expect(["assets/app-1.js", "assets/app-1.js.br", "assets/app-1.js.gz"].map(has)).toEqual([
      ...[false, false, false],
    ]);
    expect(["assets/app-2.js", "assets/app-3.js", "sw.js"].map(has)).toEqual([true, true, true]);
  });

  it("never prunes its own files, however long ago they first came", () => {
    build("assets/a.js");
    build("assets/b.js");
    now += 5 * DAY_MS;
    build("assets/a.js");
    now += 8 * DAY_MS;
    build("assets/a.js");
    expect([has("assets/a.js"), has("assets/b.js")]).toEqual([true, false]);
    build("assets/c.js");
    now += 6 * DAY_MS;
    build("assets/c.js");
    expect(has("assets/a.js")).toBe(true);
  });

  it("keeps the assets of ten earlier builds at most, even after a day of builds", () => {
    for (let n = 0; n < 14; n++) {
      build(`assets/app-${n}.js`);
      now += 60_000;
    }
    const kept = Array.from({ length: 14 }, (_, n) => n).filter((n) => has(`assets/app-${n}.js`));
    expect(kept).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  });

  it("leaves only its own files beside the assets, and adds none to an empty folder", () => {
    build("icons/old.svg", "sw.js");
    build("icons/new.svg", "sw.js");
    expect([has("icons/old.svg"), has("icons/old.svg.br"), has("icons/new.svg")]).toEqual([
      ...[false, false, true],
    ]);
  });

  it("starts the time of all assets again where its list cannot be read", () => {
    build("assets/a.js");
    writeFileSync(join(dist, ".earlier-assets"), "{");
    now += 30 * DAY_MS;
    build("assets/b.js");
    expect(has("assets/a.js")).toBe(true);
  });
});
