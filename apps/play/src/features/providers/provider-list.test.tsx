// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { GAME_TYPES, type GameType } from "../../parts/games/game-types.ts";
import { queries, queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import ProviderList from "./provider-list.tsx";

const went = vi.hoisted((): unknown[][] => []);

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({
    open: (popup: string, more: object) => went.push([popup, more]),
    leaveTo: (to: string) => went.push([to]),
  }),
}));
// Other tests cover the closed features.
vi.mock("../../shell/use-shows.ts", () => ({ useShows: () => () => true }));
vi.mock("../../parts/games/vendor-icon.tsx", () => ({ VendorIcon: () => null }));
vi.mock("@perya/ui/sheet", () => ({ Sheet: ({ children }: { children: ReactNode }) => children }));

beforeEach(() => {
  went.length = 0;
  const content = GAME_TYPES.map((gameType) => ({
    gameCategory: gameType,
    vendorNames: [{ vassalage: `V_${gameType}`, displayName: gameType, gameType }],
  }));
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  queryClient.setQueryData(queries.vendors("EN").queryKey, { content } as never);
});
const page = pageOfEachTest();

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
/** The page of each type, and whether its vendors require a log-in (games §2.1, §6). */
const ENTRIES: Readonly<Record<GameType, readonly [page: string, asks: boolean]>> = {
  RNG: ["/m/slot-games", false],
  LIVE: ["/m/live-games", false],
  PVP: ["/m/poker-games", false],
  FISH: ["/m/fishing-games", false],
  SPORTS: ["/m/sport-games", true],
  ESPORTS: ["/m/sport-games", true],
  COCKFIGHT: ["/m/cockfight", false],
  LOTT: ["/m/lott", true],
  ELOTT: ["/m/elott", true],
};

it.each(GAME_TYPES)(
  "[G6-01] in the list of providers a guest's tap on a vendor of a lottery, sports or e-sports asks for a log-in, and any other vendor's or a player's tap leads to its games: %s",
  async (type) => {
    const [page, asks] = ENTRIES[type];
    const to = `${page}?vassalage=V_${type}`;
    await tap(type);
    expect(went.splice(0)).toEqual([asks ? ["login", { next: to }] : [to]]);
    useSession.setState({ session: MARIA, lapsed: false });
    await tap(type);
    expect(went).toEqual([[to]]);
  },
);

async function tap(name: string): Promise<void> {
  await page.draw(<ProviderList open close={() => undefined} />);
  const link = [...document.querySelectorAll("a")].find(({ textContent }) => textContent === name);
  await act(async () => link?.click());
  await page.leave();
}
