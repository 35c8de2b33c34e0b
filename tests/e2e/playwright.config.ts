import { defineConfig } from "@playwright/test";
import { serverOfWorker } from "./start-perya.ts";

const { url } = serverOfWorker();
/** For the journeys that use the address themselves. */
process.env.PERYA_URL = url;

/** The browser that opens the pages; a journey that needs a whole Chromium starts one itself. */
const executablePath = process.env.HEADLESS_SHELL_PATH ?? process.env.CHROMIUM_PATH;

/**
 * One working worker per core of the smallest machine that runs the tests, and one more for the
 * journeys that wait. With three working, the same journeys took a quarter more processor time.
 */
const AT_WORK = 2;
const WORKERS = AT_WORK + 1;

/** Features that Playwright itself switches off (a second list replaces the first), and … */
const FEATURES_OFF = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  // … two pages of the address bar that every window would load ahead: a tenth of the run.
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
];

/** Journeys that look at pictures. */
const WITH_PICTURES = [
  ...["accessibility", "activity", "feedback", "languages", "list-centre", "login"],
  ...["main-job", "manual-deposit", "notice", "offline", "other-origins", "registration"],
  ...["security"],
].map((name) => `${name}.journey.ts`);

/** Journeys that measure text. */
const WITH_FONTS = ["home", "long-words", "shell"].map((name) => `${name}.journey.ts`);

/** Journeys that mostly wait: for a kite, a draw, a match, or until a page notices. */
const WAITING = [
  ...["cockfight", "fairness", "games", "lottery", "maintenance", "red-rain", "sports"],
].map((name) => `${name}.journey.ts`);

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${FEATURES_OFF.join(",")}`,
];
const browser = (more: readonly string[]) => ({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: [...ARGUMENTS, ...more],
});
/** Without a graphics card, pictures are a quarter of the work, … */
const withoutPictures = { launchOptions: browser(["--blink-settings=imagesEnabled=false"]) };
/** … and reading the fonts anew for each page is a seventh of the rest. */
const withoutFonts = {
  launchOptions: browser([
    "--blink-settings=imagesEnabled=false,downloadableBinaryFontsEnabled=false",
  ]),
};

/** These run side by side, also those of one file. */
const side = { workers: AT_WORK, fullyParallel: true };

/** Journeys that start servers: run first by one worker, they leave no worker idle at the end. */
const OWN_SERVERS = ["external-login.journey.ts", "phone-service.journey.ts"];

/**
 * Journeys against the running product: the built server, a real database, a real browser. Each
 * worker has its own server, so that no journey meets another's limits, mails or flights.
 */
export default defineConfig({
  testDir: ".",
  projects: [
    { name: "waiting", testMatch: WAITING, workers: 1 },
    { name: "own servers", testMatch: OWN_SERVERS, workers: 1, use: withoutFonts },
    { name: "with pictures", testMatch: WITH_PICTURES, ...side },
    { name: "with fonts", testMatch: WITH_FONTS, ...side, use: withoutPictures },
    {
      ...{ name: "journeys", testMatch: "*.journey.ts", ...side, use: withoutFonts },
      testIgnore: [...WAITING, ...OWN_SERVERS, ...WITH_PICTURES, ...WITH_FONTS],
    },
  ],
  workers: WORKERS,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  outputDir: "../../test-results",
  globalSetup: "./start-perya.ts",
  use: {
    baseURL: url,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    // Four times the points are a twelfth more work, and no journey counts them.
    deviceScaleFactor: 1,
    locale: "fil-PH",
    // Without a graphics card, a ticker that runs during a test of something else is a third of
    // the work; journeys about motion ask for it.
    contextOptions: { reducedMotion: "reduce" },
    // Each new page would fetch the whole app for later; journeys about that switch it on.
    serviceWorkers: "block",
    // Tracing every test costs a fifth of the whole run; `--trace=on` traces a failure.
    screenshot: "only-on-failure",
    launchOptions: browser([]),
  },
});
