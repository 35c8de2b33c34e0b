// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest, pass } from "../../../../../tests/play/page-of-each-test.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queries, queryClient } from "../../shell/server.ts";
import SpeedSheet from "./speed-sheet.tsx";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({
    t: (id: string, values?: { ms: string }) => [id, ...Object.values(values ?? {})].join(" "),
    number: String,
  }),
}));
vi.mock("@perya/ui/sheet", () => ({
  Sheet: ({ children, footer }: { children: ReactNode; footer: ReactNode }) => (
    <>
      {children}
      {footer}
    </>
  ),
}));

/** How long each server takes, in milliseconds; the page's own is the slowest. */
const TIMES: Readonly<Record<string, number>> = { "a.test": 90, "here.test": 450, "b.test": 210 };

const page = pageOfEachTest();
let gone: string[];
let closed: number;
let now: number;

beforeEach(() => {
  [gone, closed, now] = [[], 0, 0];
  vi.stubGlobal("location", {
    ...{ protocol: "https:", host: "here.test", pathname: "/m/help", origin: "https://here.test" },
    assign: (to: string) => gone.push(to),
  });
  const domainList = Object.keys(TIMES).map((domainName) => ({ domainName }));
  queryClient.setQueryData(screenQueries.domainRoutes().queryKey, { domainList });
});

it("[G2.11-03] the page's own server is chosen at first, however slow it is", async () => {
  await open("banded");
  expect(rows()).toEqual(["a.test", "b.test", "here.test"]);
  expect(chosen()).toBe("here.test");
});

it("[G2.11-05] confirming the page's own server only closes the picker, and another one leads to that server", async () => {
  await open("banded");
  await press("speed.confirm");
  expect([closed, gone]).toEqual([1, []]);
  await act(async () => document.querySelector<HTMLInputElement>("input[value='b.test']")?.click());
  await press("speed.confirm");
  expect([closed, gone]).toEqual([1, ["https://b.test/m/help"]]);
});

it("[G2.11-09] the screen shows the measured numbers where the brand says so, and else numbers of their bands", async () => {
  await open("measured");
  expect(numbers()).toEqual([90, 210, 450]);
  await page.leave();
  vi.spyOn(Math, "random").mockReturnValue(0);
  await open("banded");
  expect(numbers()).toEqual([20, 60, 100]);
});

/** One server after the other answers, each when the clock shows its time. */
async function open(speedDisplay: "banded" | "measured"): Promise<void> {
  queryClient.setQueryData(queries.status().queryKey, { info: { speedDisplay } } as never);
  now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.stubGlobal("fetch", async (url: string) => {
    const ms = TIMES[new URL(url).host] ?? 0;
    return {
      ok: true,
      text: () =>
        new Promise<void>((done) =>
          setTimeout(() => {
            now = ms;
            done();
          }, ms / 20),
        ),
    };
  });
  await page.draw(<SpeedSheet open close={() => closed++} id={undefined} />);
  await vi.waitFor(async () => {
    await pass(10);
    expect(rows()).toHaveLength(3);
  }, 60_000);
}

function rows(): (string | null)[] {
  return [...document.querySelectorAll("bdi")].map(({ textContent }) => textContent);
}

function chosen(): string | undefined {
  return document.querySelector<HTMLInputElement>("input:checked")?.value;
}

function numbers(): number[] {
  const texts = document.body.textContent?.matchAll(/speed\.ms (\d+)/g) ?? [];
  return [...texts].map(([, ms]) => Number(ms));
}

async function press(name: string): Promise<void> {
  const buttons = [...document.querySelectorAll("button")];
  await act(async () => buttons.find(({ textContent }) => textContent === name)?.click());
}
