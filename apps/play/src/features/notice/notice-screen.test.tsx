// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { useSession } from "../../shell/session.ts";
import NoticeScreen from "./notice-screen.tsx";
import { readNoticeSearch } from "./notice-search.ts";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const TRIAL_TYPE = 4;
const READ = "POST /api/v1/announcements/read";

const page = pageOfEachTest();
/** The calls to the server, each with its body. */
let told: [string, unknown][];
let read: Set<string>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
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
});

afterEach(() => {
  Reflect.deleteProperty(Element.prototype, "scrollIntoView");
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
  await page.drawAt(address, { "/m/notice": NoticeScreen }, readNoticeSearch);
  await pass();
}

/** Longer than the gap that marks leave between them. */
async function pass(): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(200));
}
