import { afterEach, describe, expect, it, vi } from "vitest";
import { FAILED_MS, markOf, measureServers, type SpeedDisplay, timePing } from "./server-speed.ts";

/** Measures servers that take the given times; null for one that does not answer. */
async function measured(
  times: Readonly<Record<string, number | null>>,
  { display = "banded", chance = 0 }: { display?: SpeedDisplay; chance?: number } = {},
) {
  vi.spyOn(Math, "random").mockReturnValue(chance);
  const asked: string[] = [];
  const speeds = await measureServers(Object.keys(times), {
    async time(domainName) {
      asked.push(domainName);
      const ms = times[domainName] ?? null;
      if (ms === null) throw new Error("no answer");
      return ms;
    },
    display,
  });
  return { speeds, asked };
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("the speed of servers", () => {
  it("[G2.11-01 G7-16] is measured for the first five and for no others", async () => {
    const { asked, speeds } = await measured({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 0, g: 0 });
    expect(asked).toEqual(["a", "b", "c", "d", "e"]);
    expect(speeds).toHaveLength(5);
  });

  it("[G7-16] is the time of a GET of the server's ping, with another number at each check", async () => {
    vi.stubGlobal("location", { protocol: "https:" });
    const asked: [string | undefined, string][] = [];
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      asked.push([init.method, url]);
      return new Response('{"what":"it says"}');
    });
    vi.spyOn(performance, "now").mockReturnValueOnce(1_000).mockReturnValueOnce(1_123);
    expect(await timePing("one.test:8443")).toBe(123);
    await timePing("one.test:8443");
    const ping = /^https:\/\/one\.test:8443\/common\/v\.1\.0\.1\/ping\.json\?speed=(0\.\d+)$/;
    for (const call of asked) expect(call).toEqual([undefined, expect.stringMatching(ping)]);
    const numbers = asked.map(([, url]) => ping.exec(url)?.[1]);
    expect(new Set(numbers).size).toBe(2);
  });

  it("[G2.11-02] sorts by the measured times, even where the shown numbers differ", async () => {
    const times = { a: 399, b: 401, c: 150, d: null, e: 20 };
    const { speeds } = await measured(times, { chance: 0.999 });
    expect(speeds.map(({ domainName }) => domainName)).toEqual(["e", "c", "a", "b", "d"]);
    // The slower one is shown as 20, the faster one as 40.
    vi.spyOn(Math, "random").mockReset().mockReturnValueOnce(0).mockReturnValue(0.999);
    const mixed = await measureServers(["slower", "faster"], {
      time: async (name) => (name === "faster" ? 10 : 20),
      display: "banded",
    });
    expect(mixed.map(({ domainName, shownMs }) => [domainName, shownMs])).toEqual([
      ["faster", 40],
      ["slower", 20],
    ]);
  });

  it("[G2.11-06] is fast up to 80 ms, normal up to 150, and slow above", () => {
    expect([0, 80, 80.1, 150, 150.1, FAILED_MS].map(markOf)).toEqual([
      ...["fast", "fast", "normal", "normal", "slow", "slow"],
    ]);
  });

  it("[G2.11-06] has the mark of the shown number, not of the measured one", async () => {
    const marks = async (display: SpeedDisplay, chance: number) => {
      const times = { a: 70, b: 120, c: 300, d: 500 };
      const { speeds } = await measured(times, { display, chance });
      return speeds.map(({ shownMs, mark }) => [shownMs, mark]);
    };
    expect(await marks("banded", 0)).toEqual([
      [20, "fast"],
      [40, "fast"],
      [60, "fast"],
      [100, "normal"],
    ]);
    expect(await marks("banded", 0.9999)).toEqual([
      [40, "fast"],
      [60, "fast"],
      [100, "normal"],
      [150, "normal"],
    ]);
    expect(await marks("measured", 0)).toEqual([
      [70, "fast"],
      [120, "normal"],
      [300, "slow"],
      [500, "slow"],
    ]);
  });

  it("[G2.11-07] counts as 9999 ms and slow where the check fails", async () => {
    for (const display of ["banded", "measured"] as const) {
      const { speeds } = await measured({ dead: null }, { display });
      expect(speeds).toEqual([{ domainName: "dead", ms: 9_999, shownMs: 9_999, mark: "slow" }]);
    }
  });

  it("[G2.11-07] counts as failed where the ping is answered with an error, or not within 9999 ms", async () => {
    vi.stubGlobal("location", { protocol: "https:" });
    const ends: number[] = [];
    const late = new AbortController();
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      ends.push(ms);
      return late.signal;
    });
    vi.stubGlobal("fetch", (url: string, { signal }: { signal: AbortSignal }) => {
      if (url.includes("ill")) return Promise.resolve(new Response("", { status: 503 }));
      return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
    });
    const speeds = measureServers(["ill", "silent"], { time: timePing, display: "banded" });
    late.abort();
    const failed = { ms: 9_999, shownMs: 9_999, mark: "slow" };
    expect(await speeds).toEqual([
      { domainName: "ill", ...failed },
      { domainName: "silent", ...failed },
    ]);
    expect(ends).toEqual([9_999, 9_999]);
  });

  it.each([
    [0, 20, 40],
    [99.9, 20, 40],
    [100, 40, 60],
    [199.9, 40, 60],
    [200, 60, 100],
    [399.9, 60, 100],
    [400, 100, 150],
    [5_000, 100, 150],
  ])("[G2.11-08] of %d ms is shown by its band as %d to %d", async (ms, least, most) => {
    const shown = async (chance: number) =>
      (await measured({ one: ms }, { chance })).speeds[0]?.shownMs;
    expect([await shown(0), await shown(0.9999)]).toEqual([least, most]);
  });

  it("[G2.11-09] is shown as measured where the brand says so", async () => {
    const { speeds } = await measured({ a: 412.6, b: 81 }, { display: "measured" });
    expect(speeds.map(({ shownMs, mark }) => [shownMs, mark])).toEqual([
      [81, "normal"],
      [413, "slow"],
    ]);
  });
});
