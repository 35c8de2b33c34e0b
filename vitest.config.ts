import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { catalogues } from "./apps/play/build/catalogues.ts";

/** Minutes of hardly anything but waiting: begun last, they would run on alone. */
const WAIT_LONGEST = /\/(hanging-neighbours|lost-replies|vanished-database)\.test\.ts$/;

class WaitLongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification) => WAIT_LONGEST.test(moduleId);
    return [...sorted.filter(waits), ...sorted.filter((one) => !waits(one))];
  }
}

export default defineConfig({
  // What the app is drawn with stands in its own texts.
  plugins: [catalogues()],
  test: {
    globalSetup: ["tests/setup/postgres.ts"],
    sequence: { sequencer: WaitLongestFirst },
    // More than twice as many as the smallest machine has cores: tests of processes wait much.
    maxWorkers: 5,
    include: ["{packages,apps,tests}/**/*.test.{ts,tsx}", "bench/**/*.test.ts"],
    // End-to-end journeys are Playwright's.
    exclude: [...configDefaults.exclude, "tests/e2e/**", "**/dist/**"],
    // What a file imports stays for the next one: a third of the time.
    isolate: false,
    // What ends a test that hangs: a busy machine takes three times what a quiet one does.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NODE_ENV: "test", TZ: "UTC" },
  },
});
