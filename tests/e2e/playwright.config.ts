import { defineConfig } from "@playwright/test";

/** Journeys against the running product: the built server, a real database, a real browser. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.journey.ts",
  fullyParallel: false,
  workers: 1,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  outputDir: "../../test-results",
  globalSetup: "./start-perya.ts",
  use: {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
    locale: "fil-PH",
    trace: "retain-on-failure",
    launchOptions: {
      ...(process.env.CHROMIUM_PATH === undefined
        ? {}
        : { executablePath: process.env.CHROMIUM_PATH }),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
