import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { ownTexts } from "./apps/play/build/own-texts.ts";

/** Minutes of hardly anything but waiting: begun last, they would run on alone. */
const WAIT_LONGEST = /\/(hanging-neighbours|lost-replies|vanished-database)\.test\.ts$/;

/** A worker goes on to the next file only where that one is of its project and its environment. */
class WaitLongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turns: TestSpecification[][] = [[], [], [], []];
    for (const one of await super.sort(files)) turns[turnOf(one)]?.push(one);
    return turns.flat();
  }
}

function turnOf({ moduleId, project }: TestSpecification): number {
  if (WAIT_LONGEST.test(moduleId)) return 0;
  if (project.name !== "shared") return 3;
  return readFileSync(moduleId, "utf8").startsWith("// @vitest-environment jsdom") ? 2 : 1;
}

const ROOT = import.meta.dirname;
/** These share no module with other files: one that is mocked would stay so for the next. */
const mocking = filesWith("vi.mock(");
/** Only a process of its own lets a file put another address in the window's place. */
const relocating = filesWith('stubGlobal("location"').filter((file) => mocking.includes(file));
const cluster = process.env.TEST_CITUS_URL ? [] : ["tests/cluster/**"];

export default defineConfig({
  // What the app is drawn with stands in its own texts.
  plugins: [ownTexts()],
  test: {
    sequence: { sequencer: WaitLongestFirst },
    // More than twice as many as the smallest machine has cores: tests of processes wait much.
    maxWorkers: 5,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          // Each project would begin a server of its own; no other asks for one.
          globalSetup: ["tests/setup/postgres.ts"],
          include: ["{packages,apps,tests}/**/*.test.{ts,tsx}", "bench/**/*.test.ts"],
          // End-to-end journeys are Playwright's.
          // What needs a cluster runs beside the journeys that are played there.
          exclude: [
            ...configDefaults.exclude,
            "tests/e2e/**",
            "**/dist/**",
            ...mocking,
            ...cluster,
          ],
          // What a file imports stays for the next one: a third of the time.
          isolate: false,
        },
      },
      // A context of its own for each is half of the work that a process for each would be.
      {
        extends: true,
        test: { name: "mocking", include: mocking, exclude: relocating, pool: "vmForks" },
      },
      { extends: true, test: { name: "relocating", include: relocating } },
    ],
    // The default second is a quiet machine's.
    expect: { poll: { timeout: 20_000 } },
    // What ends a test that hangs: a busy machine takes three times what a quiet one does.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    env: { NODE_ENV: "test", TZ: "UTC" },
  },
});

function filesWith(code: string): string[] {
  return filesOf("apps/play/src").filter((file) =>
    readFileSync(join(ROOT, file), "utf8").includes(code),
  );
}

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`);
}
