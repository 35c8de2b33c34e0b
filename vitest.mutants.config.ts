import { mergeConfig } from "vitest/config";
import whole from "./vitest.config.ts";

const { projects: _, ...test } = whole.test ?? {};

/** Vitest as the mutation tester runs it: the tests of one part alone, which MUTANTS_TESTS lists. */
export default mergeConfig(
  { ...whole, test: { ...test, isolate: false, include: [] } },
  { test: { include: (process.env.MUTANTS_TESTS ?? "").split(";"), maxWorkers: 1 } },
);
