import { type Browser, type CDPSession, chromium, type Page } from "@playwright/test";
import { demoBrand } from "../apps/server/src/demo/demo-brand.ts";
import { insertGames } from "../apps/server/src/modules/catalogue/catalogue.ts";
import { createLogger } from "../apps/server/src/platform/log.ts";
import { createPool } from "../apps/server/src/platform/postgres/pool.ts";
import { manyGames } from "./catalogue-bench.ts";
import { startChild } from "./child.ts";
import { median, type Row, type Table } from "./measure.ts";

const ROUNDS = 5;
const GAMES = 100_000;
/** Above the node number of every game of the demo. */
const FIRST_NODE = 1_000_000;
/** Lighthouse's factor for a mid-range phone. */
const SLOWDOWN = 4;
const FRAME_MS = 1_000 / 60;
/** For the Event Timing API, which reports nothing shorter. */
const EVENTS = { type: "event", durationThreshold: 16 };
/** A string, since a named function does not travel into the page. */
const NOTE_FRAMES = `
  window.drawnAt = [];
  requestAnimationFrame(function next(at) {
    window.drawnAt.push(at);
    requestAnimationFrame(next);
  });
`;
const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
} as const;

/**
 * What a player feels, at a quarter of this machine's speed: the time until a second visit shows
 * something, the time until a tap shows, and the frames while a list of 100,000 games scrolls.
 * Medians of five rounds, each in a fresh profile.
 */
export async function benchScreens(databaseUrl: string): Promise<Table> {
  const executablePath = process.env.CHROMIUM_PATH;
  const server = startChild("server-process.ts", {
    DATABASE_URL: databaseUrl,
    PORT: "0",
    METRICS_PORT: "0",
  });
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
  });
  try {
    const url = await server.line("listening");
    await fillCatalogue(databaseUrl);
    return {
      title: `On a phone ${SLOWDOWN} times slower, ${GAMES.toLocaleString("en-US")} games`,
      rows: [
        await row("repeat visit of home", "first paint ms", () => repeatVisit(browser, url)),
        await row("a tap on a category of home", "until shown ms", () =>
          slowestTap(browser, `${url}/m/home`, ["RNG", "HOT", "LIVE"]),
        ),
        await row("a tap on a tab of the list", "until shown ms", () =>
          slowestTap(browser, `${url}/m/gameList`, ["hot", "all", "hot"]),
        ),
        await row("scrolling the list", "frames a second", () => scroll(browser, url)),
      ],
      note: "Aims: paint 600 ms, tap 80 ms, 60 frames a second. A tap is an event's duration, in steps of 8 ms.",
    };
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function fillCatalogue(databaseUrl: string): Promise<void> {
  const pool = createPool(databaseUrl, { max: 1, log: createLogger({ level: "error" }) });
  await insertGames(pool, demoBrand.id, manyGames(GAMES, FIRST_NODE));
  await pool.query("VACUUM ANALYZE games");
  await pool.end();
}

async function row(what: string, figure: string, measure: () => Promise<number>): Promise<Row> {
  const values: number[] = [];
  for (let round = 0; round < ROUNDS; round++) values.push(await measure());
  return { what, figures: { [figure]: median(values).toFixed(0) } };
}

/** First contentful paint, in ms, of a page whose service worker has kept the app. */
async function repeatVisit(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext(PHONE);
  const first = await context.newPage();
  await first.goto(`${url}/m/home`);
  await first.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await first.close();
  const page = await context.newPage();
  await slowDown(page);
  await page.goto(`${url}/m/home`);
  const paint = await page.evaluate(
    () =>
      new Promise<number>((done) => {
        const seen = new PerformanceObserver((list) => {
          const [entry] = list.getEntriesByName("first-contentful-paint");
          if (entry !== undefined) done(entry.startTime);
        });
        seen.observe({ type: "paint", buffered: true });
      }),
  );
  await context.close();
  return paint;
}

/** Taps a choice's values one after another; the longest time until one showed, in ms. */
async function slowestTap(
  browser: Browser,
  url: string,
  values: readonly string[],
): Promise<number> {
  const context = await browser.newContext({ ...PHONE, serviceWorkers: "block" });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator("main li").first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await page.evaluate((events) => {
    const times: number[] = [];
    Object.assign(window, { tapTimes: times });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as PerformanceEventTiming[]) {
        // Content that scrolls under the finger reports mouse-over events, which are no taps.
        if (entry.interactionId > 0) times.push(entry.duration);
      }
    }).observe(events);
  }, EVENTS);
  await slowDown(page);
  for (const value of values) {
    await page.locator(`main label:has(input[value="${value}"])`).first().tap();
    await page.waitForTimeout(600);
  }
  const slowest = await page.evaluate(() =>
    Math.max(16, ...(Reflect.get(window, "tapTimes") as number[])),
  );
  await context.close();
  return slowest;
}

/** The main thread's frames per second while a finger scrolls through the list. */
async function scroll(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ ...PHONE, serviceWorkers: "block" });
  const page = await context.newPage();
  await page.goto(`${url}/m/gameList`);
  for (let more = 0; more < 5; more++) {
    const shown = await page.locator("main li").count();
    await page.locator("main li").last().scrollIntoViewIfNeeded();
    await page.locator("main div > button").last().tap();
    await page.waitForFunction(
      (before) => document.querySelectorAll("main li").length > before,
      shown,
    );
  }
  await page.evaluate(() => scrollTo(0, 0));
  const devtools = await slowDown(page);
  await page.evaluate(NOTE_FRAMES);
  await devtools.send("Input.synthesizeScrollGesture", {
    x: 195,
    y: 600,
    yDistance: -6_000,
    speed: 2_000,
    gestureSourceType: "touch",
  });
  const frames = await page.evaluate(() => Reflect.get(window, "drawnAt") as number[]);
  await context.close();
  const tookMs = (frames.at(-1) ?? 0) - (frames[0] ?? 0);
  return Math.min(1_000 / FRAME_MS, ((frames.length - 1) * 1_000) / tookMs);
}

async function slowDown(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  return devtools;
}
