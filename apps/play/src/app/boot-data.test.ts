// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

// The build makes the catalogues of texts.
vi.mock("../shell/text.ts", () => ({ currentLanguage: () => "TY", textOf: (id: string) => id }));

const MINUTE_MS = 60_000;
/** The server's clock when a page is made, and the phone's. */
const NOW = 1_800_000_000_000;

const STATUS = ["status"];
const VENDORS = ["vendors", "TY"];
const LOTTERIES = ["lottList"];
/** Its name tells one status from another. */
const status = (brandName: string) => ({
  info: {
    merchantCode: "perya",
    brandName,
    defaultLanguage: "TY",
    languages: ["TY"],
    closedPaths: [],
  },
  maintenance: false,
});
const vendors = (name: string) => ({ content: [{ name }] });

/** A start of the app in a page with these data of the server's. */
async function start(boot: object | null, { keptByWorker = false } = {}) {
  vi.resetModules();
  document.body.innerHTML = '<script type="text/plain" id="boot"></script>';
  const element = document.getElementById("boot");
  if (element !== null) {
    element.textContent = boot === null ? "" : JSON.stringify(boot);
    if (keptByWorker) element.dataset.kept = "";
  }
  const { bootConfig, keepForNextStart, seedQueries } = await import("./boot-data.ts");
  const { queryClient } = await import("../shell/server.ts");
  const config = bootConfig();
  keepForNextStart();
  seedQueries();
  return {
    config,
    shown: (key: readonly string[]) => queryClient.getQueryData(key),
    /** Whether the query will ask the server for newer data. */
    isAsked: (key: readonly string[]) => queryClient.getQueryState(key)?.dataUpdatedAt === 0,
    /** The server is asked and does not answer. */
    async fails(queryKey: readonly string[]) {
      const queryFn = () => Promise.reject(new Error("no network"));
      await expect(queryClient.fetchQuery({ queryKey, queryFn, staleTime: 0 })).rejects.toThrow();
    },
    /** The server answers, so long after the page's beginning. */
    replied(key: readonly string[], data: object, afterMs = 1_000) {
      vi.setSystemTime(performance.timeOrigin + afterMs);
      queryClient.setQueryData(key, data);
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  vi.spyOn(performance, "timeOrigin", "get").mockReturnValue(NOW);
  localStorage.clear();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the data of a start:", () => {
  it("[A3-21] the client's configuration is the brand's from the page's own data, stored for a page without any, and the house's where nothing is known", async () => {
    const gateways = { web: 1, mobile: 3 };
    const house = { merchantId: null, defaultLanguage: "TY", languages: ["TY", "EN"], gateways };
    expect((await start(null)).config).toEqual(house);
    const info = {
      ...{ merchantCode: "fiesta", defaultLanguage: "EN", languages: ["EN"], closedPaths: [] },
    };
    const own = { merchantId: "fiesta", defaultLanguage: "EN", languages: ["EN"], gateways };
    const boot = { at: NOW, status: { info, maintenance: false } };
    expect((await start(boot)).config).toEqual(own);
    expect((await start(null)).config).toEqual(own);
  });

  it.each([
    ["MC_STATUS", STATUS, "status", status],
    ["MC_VENDORS", VENDORS, "vendors", vendors],
  ] as const)(
    "[A2.13-05] %s is stored from the page's own data, is shown at once at the next start without any, and is then read again",
    async (name, key, field, made) => {
      const first = await start({ at: NOW, status: status("Perya"), [field]: made("Perya") });
      expect(first.shown(key)).toEqual(made("Perya"));
      expect(first.isAsked(key)).toBe(false);
      expect(localStorage.getItem(name)).toContain("Perya");
      const next = await start(null);
      expect(next.shown(key)).toEqual(made("Perya"));
      expect(next.isAsked(key)).toBe(true);
      if (name === "MC_STATUS") expect(next.config.merchantId).toBe("perya");
    },
  );

  it("a stored lottery menu is shown at once at the next start, and is then read again", async () => {
    (await start({ at: NOW })).replied(LOTTERIES, { list: ["a lottery"] });
    const next = await start({ at: NOW + MINUTE_MS });
    expect(next.shown(LOTTERIES)).toEqual({ list: ["a lottery"] });
    expect(next.isAsked(LOTTERIES)).toBe(true);
  });

  it.each([
    ["from just now", NOW, false],
    ["that the browser kept for an hour", NOW - 60 * MINUTE_MS, true],
    ["whose time the phone's clock denies", NOW + 60 * MINUTE_MS, true],
  ])("data of a page %s are read again only where they may be old", async (_, at, asked) => {
    const page = await start({ at, status: status("Perya"), hot: { list: [] } });
    expect(page.isAsked(STATUS)).toBe(asked);
    expect(page.isAsked(["games", "hot", "TY"])).toBe(asked);
  });

  it("[A2.13-05] the newer of the page's data and the last reply wins, whatever the phone's clock says", async () => {
    for (const phoneIsAheadMs of [-60 * MINUTE_MS, 0, 60 * MINUTE_MS]) {
      localStorage.clear();
      vi.setSystemTime(NOW + phoneIsAheadMs);
      vi.spyOn(performance, "timeOrigin", "get").mockReturnValue(NOW + phoneIsAheadMs);
      const first = await start({ at: NOW, status: status("of the page") });
      first.replied(STATUS, status("of the reply"), 2_000);
      // The same page again, from the server's memory or the browser's.
      const older = await start({ at: NOW, status: status("of the page") });
      expect(older.shown(STATUS)).toEqual(status("of the reply"));
      expect(older.isAsked(STATUS)).toBe(true);
      const newer = await start({ at: NOW + 3_000, status: status("of the next page") });
      expect(newer.shown(STATUS)).toEqual(status("of the next page"));
      expect((await start(null)).shown(STATUS)).toEqual(status("of the next page"));
    }
  });

  it("data stored under a fast clock yield to a current page, and to all later data", async () => {
    const first = await start({ at: NOW, status: status("of the page") });
    first.replied(STATUS, status("of tomorrow"), 24 * 60 * MINUTE_MS);
    vi.setSystemTime(NOW);
    const next = await start({ at: NOW + 1_000, status: status("of now") });
    expect(next.shown(STATUS)).toEqual(status("of now"));
    expect(next.isAsked(STATUS)).toBe(false);
    next.replied(STATUS, status("of the reply"), 2_000);
    expect((await start({ at: NOW, status: status("of now") })).shown(STATUS)).toEqual(
      status("of the reply"),
    );
  });

  it("the service worker's page yields to data stored since, and counts as old", async () => {
    const installed = { at: NOW, status: status("of the install"), vendors: vendors("of then") };
    const page = await start(installed, { keptByWorker: true });
    expect(page.shown(STATUS)).toEqual(status("of the install"));
    expect([STATUS, VENDORS].map(page.isAsked)).toEqual([true, true]);
    const since = { at: NOW + MINUTE_MS, status: status("since"), vendors: vendors("since") };
    await start(since);
    const next = await start(installed, { keptByWorker: true });
    expect(next.shown(STATUS)).toEqual(status("since"));
    expect(next.shown(VENDORS)).toEqual(vendors("since"));
    expect([STATUS, VENDORS].map(next.isAsked)).toEqual([true, true]);
    // A reply in that page is newer than both.
    next.replied(STATUS, status("of the reply"));
    const last = await start(since, { keptByWorker: true });
    expect(last.shown(STATUS)).toEqual(status("of the reply"));
  });

  it.each([
    ["cut off", (text: string) => text.slice(0, 40)],
    ["empty", () => ""],
    ["of something else", () => "{}"],
    ["without a status", (text: string) => text.replace('"info":', '"other":')],
    ["null", (text: string) => text.replace(/"data":.*/, '"data":null}')],
    ["of no brand", (text: string) => text.replace(/"info":\{[^}]*\}/, '"info":null')],
    ["of a brand without its paths", (text: string) => text.replace("closedPaths", "other")],
  ])(
    "a stored status that is %s is logged and ignored, so that the start asks the server",
    async (_, broken) => {
      const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
      await start({ at: NOW, status: status("Perya") });
      localStorage.setItem("MC_STATUS", broken(localStorage.getItem("MC_STATUS") ?? ""));
      const page = await start(null);
      expect(warned).toHaveBeenCalledExactlyOnceWith("MC_STATUS cannot be read", expect.anything());
      // No data exist, so the start waits for the server's reply.
      expect(page.shown(STATUS)).toBeUndefined();
      expect(page.config.merchantId).toBeNull();
      expect(localStorage.getItem("MC_STATUS")).toBeNull();
    },
  );

  it("a call that begins and fails does not overwrite data that another tab has stored since", async () => {
    const page = await start({ at: NOW, status: status("Perya") });
    localStorage.setItem("MC_STATUS", "of another tab");
    await page.fails(STATUS);
    expect(localStorage.getItem("MC_STATUS")).toBe("of another tab");
  });

  it("data stored under another language or build are ignored without a message", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await start({ at: NOW, vendors: vendors("Luna") });
    const kept = localStorage.getItem("MC_VENDORS") ?? "";
    for (const other of [kept.replace("TY", "EN"), kept.replace("boot-data", "another")]) {
      expect(other).not.toBe(kept);
      localStorage.setItem("MC_VENDORS", other);
      expect((await start(null)).shown(VENDORS)).toBeUndefined();
    }
    expect(warned).not.toHaveBeenCalled();
  });
});
