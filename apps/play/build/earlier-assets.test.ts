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

/** As the bundler leaves them, and the copies that are made beside them. */
function build(...files: string[]): void {
  for (const file of files.flatMap((name) => [name, `${name}.br`, `${name}.gz`])) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    writeFileSync(join(dist, file), file);
  }
  tidyBuild(dist, new Set(files), now);
}

const has = (file: string) => existsSync(join(dist, file));

describe("a build", () => {
  it("leaves what earlier pages name for a week after it came, and then prunes it", () => {
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

  it("never prunes what it wrote itself, however long ago that came first", () => {
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

  it("keeps no more than ten earlier ones of whoever builds all day", () => {
    for (let n = 0; n < 14; n++) {
      build(`assets/app-${n}.js`);
      now += 60_000;
    }
    const kept = Array.from({ length: 14 }, (_, n) => n).filter((n) => has(`assets/app-${n}.js`));
    expect(kept).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  });

  it("leaves nothing beside the assets but its own, and into an empty folder brings no more", () => {
    build("icons/old.svg", "sw.js");
    build("icons/new.svg", "sw.js");
    expect([has("icons/old.svg"), has("icons/old.svg.br"), has("icons/new.svg")]).toEqual([
      ...[false, false, true],
    ]);
  });

  it("begins the time of all anew where its list cannot be read", () => {
    build("assets/a.js");
    writeFileSync(join(dist, ".earlier-assets"), "{");
    now += 30 * DAY_MS;
    build("assets/b.js");
    expect(has("assets/a.js")).toBe(true);
  });
});
