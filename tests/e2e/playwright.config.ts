import { defineConfig } from "@playwright/test";
import { serverOfWorker } from "./start-perya.ts";

const { url } = serverOfWorker();
/** For the journeys that name the address themselves. */
process.env.PERYA_URL = url;

/** What opens the pages; only what needs a whole browser asks for one. */
const executablePath = process.env.HEADLESS_SHELL_PATH ?? process.env.CHROMIUM_PATH;

/**
 * As many at work as the smallest machine that the tests run on has cores, and one more for the
 * journeys that wait. With three at work the same journeys took a quarter more processor time.
 */
const AT_WORK = 2;
const WORKERS = AT_WORK + 1;

/** What Playwright itself switches off (a second list takes the place of the first), and … */
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

/** What looks at pictures, as readers of the page do. */
const WITH_PICTURES = [
  ...["accessibility", "activity", "feedback", "languages", "list-centre", "login"],
  ...["main-job", "manual-deposit", "notice", "offline", "other-origins", "registration"],
  ...["security"],
].map((name) => `${name}.journey.ts`);

/** What measures words. */
const WITH_FONTS = ["home", "long-words", "shell"].map((name) => `${name}.journey.ts`);

/** What mostly waits: for a kite, a draw, a match, or until somebody notices. */
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
/** Pictures are a quarter of the work where no graphics card draws them, … */
const withoutPictures = { launchOptions: browser(["--blink-settings=imagesEnabled=false"]) };
/** … and a seventh of what is left is to read the fonts anew for each page. */
const withoutFonts = {
  launchOptions: browser([
    "--blink-settings=imagesEnabled=false,downloadableBinaryFontsEnabled=false",
  ]),
};

/** Side by side, also those of one file. */
const side = { workers: AT_WORK, fullyParallel: true };

/** With servers of their own: begun first and by one worker, they leave no worker idle at the end. */
const OWN_SERVERS = ["external-login.journey.ts", "phone-service.journey.ts"];

/**
 * Journeys against the running product: the built server, a real database, a real browser. Each
 * worker has a server of its own, so that no journey meets another's limits, mails or flights.
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
    // A ticker that runs while something else is looked at is a third of the work without a
    // graphics card; who is about motion asks for it.
    contextOptions: { reducedMotion: "reduce" },
    // Each new page would fetch the whole app for later; who is about that switches it on.
    serviceWorkers: "block",
    // A trace of everything costs a fifth of the whole run; `--trace=on` makes one of a failure.
    screenshot: "only-on-failure",
    launchOptions: browser([]),
  },
});
