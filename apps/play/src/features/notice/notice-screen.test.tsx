// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import NoticeScreen from "./notice-screen.tsx";
import { readNoticeSearch } from "./notice-search.ts";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, language: "EN", when: String }),
}));

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const TRIAL_TYPE = 4;
const READ = "POST /api/v1/announcements/read";

let root: Root;
/** The calls to the server, each with its body. */
let told: [string, unknown][];
let read: Set<string>;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("scrollTo", () => undefined);
  // jsdom lays nothing out.
  Element.prototype.scrollIntoView = () => undefined;
  useSession.setState({ session: MARIA, lapsed: false });
  told = [];
  read = new Set();
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const { pathname } = new URL(url, "http://localhost");
    if (init.method === "GET") {
      return new Response(JSON.stringify({ value: pathname.endsWith("/notices") ? notices() : 0 }));
    }
    const body = JSON.parse(String(init.body));
    told.push([`${init.method} ${pathname}`, body]);
    read.add(body.announcementId);
    return new Response(JSON.stringify({ value: {} }));
  });
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  Reflect.deleteProperty(Element.prototype, "scrollIntoView");
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it.each([0, 1, 2])(
  "[A2.10-02] the address opens the notice of its number, counted from zero, and no other: %s",
  async (index) => {
    await open(`/m/notice?index=${index}`);
    expect(expanded()).toEqual([0, 1, 2].map((nth) => nth === index));
    expect(document.querySelector("b")?.textContent).toBe(`Words ${index}`);
  },
);

it.each(["/m/notice", "/m/notice?index=3"])(
  "[A2.10-02] %s names no existing notice, and opens none",
  async (address) => {
    await open(address);
    expect(expanded()).toEqual([false, false, false]);
  },
);

it("[A2.10-03] the notice that the address opens is marked as read, once, and no other", async () => {
  await open("/m/notice?index=1");
  expect(expanded()).toEqual([false, true, false]);
  expect(told).toEqual([[READ, { announcementId: "ann_1", read: true }]]);
});

it("[A2.10-03] free play opens a notice and marks none", async () => {
  useSession.setState({ session: { ...MARIA, type: TRIAL_TYPE }, lapsed: false });
  await open("/m/notice?index=1");
  expect(rows()[1]?.getAttribute("aria-expanded")).toBe("true");
  expect(told).toEqual([]);
});

it("[A2.10-05] a tap on a row opens its notice in full, as it is written, and marks it once", async () => {
  await open("/m/notice");
  expect(document.querySelector("b")).toBeNull();
  expect(told).toEqual([]);
  // Open, closed, and open again.
  for (const times of [1, 2, 3]) {
    await act(async () => rows()[2]?.click());
    await pass();
    expect(rows()[2]?.getAttribute("aria-expanded")).toBe(times === 2 ? "false" : "true");
  }
  expect(document.querySelector("b")?.textContent).toBe("Words 2");
  expect(told).toEqual([[READ, { announcementId: "ann_2", read: true }]]);
});

it("[A2.10-04] a notice is a row with a bell, then its title, then its text without tags", async () => {
  await open("/m/notice");
  expect(rows()).toHaveLength(3);
  for (const [nth, row] of rows().entries()) {
    const [first] = row.querySelectorAll("svg, span:not(:has(*))");
    expect(first?.classList).toContain("lucide-bell");
    const said = row.textContent ?? "";
    expect(said).toMatch(new RegExp(`^Title ${nth}.*Words ${nth} of it`));
    expect(said).not.toMatch(/[<>]/);
  }
});

function notices() {
  const list = [0, 1, 2].map((nth) => ({
    ...{ id: `ann_${nth}`, title: `Title ${nth}`, content: `<p><b>Words ${nth}</b> of it</p>` },
    ...{ types: "PL", startDate: 0, read: read.has(`ann_${nth}`) },
  }));
  return { list, footer: { unreadCount: list.filter((one) => !one.read).length } };
}

function rows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("h2 button[aria-expanded]")];
}

/** Per row, whether it claims to be open. */
function expanded(): boolean[] {
  return rows().map((row) => row.getAttribute("aria-expanded") === "true");
}

async function open(address: string): Promise<void> {
  const base = createRootRoute();
  const screen = createRoute({
    getParentRoute: () => base,
    path: "/m/notice",
    component: NoticeScreen,
    validateSearch: readNoticeSearch,
  });
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree: base.addChildren([screen]), history });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        {/* A router of one screen replaces the app's own, whose type is registered. */}
        <RouterProvider router={router as never} />
      </QueryClientProvider>,
    ),
  );
  await pass();
}

/** Longer than the gap that marks leave between them. */
async function pass(): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(200));
}
