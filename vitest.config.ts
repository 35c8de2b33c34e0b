import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,apps}/**/*.test.{ts,tsx}", "{tests,bench}/**/*.test.ts"],
    // End-to-end journeys are Playwright's.
    exclude: [...configDefaults.exclude, "tests/e2e/**", "**/dist/**"],
    globalSetup: ["tests/setup/postgres.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A machine with two cores also runs PostgreSQL beside the tests.
    maxWorkers: 2,
    env: { NODE_ENV: "test", TZ: "UTC" },
  },
});
