import { mergeConfig } from "vitest/config";
import whole from "./vitest.config.ts";

const { projects: _, ...test } = whole.test ?? {};

/** A test that waits for what a changed line never does has noticed it, and need not wait longer. */
const ENOUGH_MS = 30_000;

/** Vitest as the mutation tester runs it: the tests of one part alone, which MUTANTS_TESTS lists. */
export default mergeConfig(
  { ...whole, test: { ...test, isolate: process.env.MUTANTS_ISOLATED === "1", include: [] } },
  {
    test: {
      globalSetup: ["tests/setup/postgres.ts"],
      include: (process.env.MUTANTS_TESTS ?? "").split(";"),
      ...{ maxWorkers: 1, testTimeout: ENOUGH_MS, hookTimeout: ENOUGH_MS },
    },
  },
);
