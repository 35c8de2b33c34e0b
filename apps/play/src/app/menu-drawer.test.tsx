// @vitest-environment jsdom
import type { ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../tests/play/page-of-each-test.tsx";
import { GAME_TYPES } from "../parts/games/game-types.ts";
import { queries, queryClient } from "../shell/server.ts";
import MenuDrawer from "./menu-drawer.tsx";

vi.mock("../shell/text.ts", () => import("../../../../tests/play/texts-as-ids.ts"));
vi.mock("../shell/popups.ts", () => ({ usePopups: () => ({}) }));
vi.mock("../shell/popup-link.tsx", () => ({ PopupLink: () => null }));
// Other tests cover the closed features.
vi.mock("../shell/use-shows.ts", () => ({ useShows: () => () => true }));
vi.mock("../parts/notices/notices.ts", () => ({ useInboxUnread: () => 0 }));
vi.mock("../parts/brand/service-links.ts", () => ({ useContacts: () => [] }));
vi.mock("@perya/ui/sheet", () => ({
  SideDrawer: ({ children }: { children: ReactNode }) => children,
}));

const page = pageOfEachTest();

it.each([
  ["the menus' own order", GAME_TYPES],
  ["the reverse", [...GAME_TYPES].reverse()],
  ["some, mixed", ["FISH", "ELOTT", "RNG", "SPORTS", "LIVE"]],
] as const)(
  "[G2.5-03] the side menu has Hot first, then the categories in the server's order, then Favorite and Recent: %s",
  async (_, order) => {
    const content = order.map((gameCategory) => ({
      gameCategory,
      vendorNames: [{ vassalage: "BGS", displayName: "BGS", gameType: gameCategory }],
    }));
    vi.stubGlobal("fetch", () => new Promise(() => undefined));
    queryClient.setQueryData(queries.vendors("EN").queryKey, { content } as never);
    await page.draw(<MenuDrawer open close={() => undefined} />);
    const entries = [...(document.querySelector("ul")?.children ?? [])];
    expect(entries.map(({ textContent }) => textContent)).toEqual([
      "games.hot",
      ...order.map((type) => `type.${type}`),
      "games.favourites",
      "games.recent",
    ]);
    await page.leave();
  },
);
