// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../tests/play/page-of-each-test.tsx";
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

const page = pageOfEachTest();

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
  await page.draw(<BottomTabs />);
  const shown = [...document.querySelectorAll("a")].map((tab) => tab.getAttribute("href"));
  expect(shown.includes("/m/agentRegister")).toBe(isShown);
  expect(shown).toContain("/m/member/home");
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
    await page.draw(<BottomTabs />);
    const home = document.querySelector<HTMLAnchorElement>("a[href='/m/home']");
    home?.addEventListener("click", (event) => event.preventDefault());
    await act(async () => home?.click());
    const top = [{ top: 0, behavior: "instant" }];
    expect(scrolled.mock.calls).toEqual(Array.from({ length: times }, () => top));
    expect(home?.dataset.search).toBeUndefined();
  },
);
