// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { queryClient } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import { BottomTabs } from "./bottom-tabs.tsx";

vi.mock("../shell/text.ts", () => import("../../../../tests/play/texts-as-ids.ts"));
vi.mock("../shell/popups.ts", () => ({ usePopups: () => ({}) }));
// Other tests cover the closed features.
vi.mock("../shell/use-shows.ts", () => ({ useShows: () => () => true }));
vi.mock("../parts/notices/notices.ts", () => ({ useInboxUnread: () => 0 }));
const here = vi.hoisted(() => ({ pathname: "/m/help" }));
interface LinkLike {
  to: string;
  search?: object;
  children: ReactNode;
  onClick?: () => void;
}
vi.mock("@tanstack/react-router", () => ({
  useLocation: ({ select }: { select: (location: typeof here) => unknown }) => select(here),
  Link: ({ to, search, children, onClick }: LinkLike) => (
    <a href={to} data-search={JSON.stringify(search)} onClick={onClick}>
      {children}
    </a>
  ),
}));

afterEach(() => {
  useSession.setState({ session: null });
  vi.unstubAllGlobals();
});

it.each([
  [null, false],
  [0, false],
  [1, true],
  [2, true],
  [4, false],
  [40, false],
  [41, true],
  [42, true],
])("[G2.4-05] the agents' tab is shown only to agents: to type %s %s", async (type, isShown) => {
  const session = type === null ? null : { token: "t", type, userName: "ana" };
  useSession.setState({ session: session as never }); // the tabs read nothing else
  const root = await draw();
  const shown = [...document.querySelectorAll("a")].map((tab) => tab.getAttribute("href"));
  expect(shown.includes("/m/agentRegister")).toBe(isShown);
  expect(shown).toContain("/m/member/home");
  await act(async () => root.unmount());
});

it.each([
  ["/m/home", 1],
  ["/m/index.html", 1],
  ["/m/slot-games", 0],
])(
  "[G2.4-03] the Home tab leads home without a category, and at %s it scrolls the open page %s times",
  async (pathname, times) => {
    here.pathname = pathname;
    const scrolled = vi.fn();
    vi.stubGlobal("scrollTo", scrolled);
    const root = await draw();
    const home = document.querySelector<HTMLAnchorElement>("a[href='/m/home']");
    home?.addEventListener("click", (event) => event.preventDefault());
    await act(async () => home?.click());
    const top = [{ top: 0, behavior: "instant" }];
    expect(scrolled.mock.calls).toEqual(Array.from({ length: times }, () => top));
    expect(home?.dataset.search).toBeUndefined();
    await act(async () => root.unmount());
  },
);

async function draw(): Promise<Root> {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const root = createRoot(document.body);
  const tabs = (
    <QueryClientProvider client={queryClient}>
      <BottomTabs />
    </QueryClientProvider>
  );
  await act(async () => root.render(tabs));
  return root;
}
