// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { GAME_TYPES, type GameType } from "../../parts/games/game-types.ts";
import { useSession } from "../../shell/session.ts";
import { VendorLink } from "./categories.tsx";

const opened = vi.hoisted((): [string, object][] => []);

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({ open: (popup: string, more: object) => opened.push([popup, more]) }),
}));
vi.mock("@tanstack/react-router", () => ({
  Link: (props: {
    to: string;
    search: Record<string, string>;
    onClick?: (event: unknown) => void;
    children: ReactNode;
  }) => (
    <a href={`${props.to}?${new URLSearchParams(props.search)}`} onClick={props.onClick}>
      {props.children}
    </a>
  ),
}));

beforeEach(() => {
  opened.length = 0;
});
const page = pageOfEachTest();

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
/** The page of each type whose vendors are not launched from home (games §2.1). */
const PAGES: Partial<Record<GameType, string>> = {
  RNG: "/m/slot-games",
  LIVE: "/m/live-games",
  PVP: "/m/poker-games",
  FISH: "/m/fishing-games",
  COCKFIGHT: "/m/cockfight",
};
const LAUNCHED: readonly GameType[] = ["LOTT", "ELOTT", "SPORTS", "ESPORTS"];

it.each(GAME_TYPES)(
  "[G2.2-10 G2.2-11 G6-01] a visitor's tap on a vendor of a lottery, sports or e-sports asks for a log-in, and a tap on any other vendor leads to its games: %s",
  async (type) => {
    const { link, tap } = await tapped(type);
    if (LAUNCHED.includes(type)) {
      const next = `/m/launch?vassalage=AV&gameType=${type}`;
      expect([tap.defaultPrevented, opened]).toEqual([true, [["login", { next }]]]);
    } else {
      expect([tap.defaultPrevented, opened]).toEqual([false, []]);
      expect(link).toBe(`${PAGES[type]}?vassalage=AV`);
    }
  },
);

it.each(LAUNCHED)(
  "[G2.2-09] a member's tap on a vendor of a lottery, sports or e-sports launches it at once: %s",
  async (type) => {
    useSession.setState({ session: MARIA, lapsed: false });
    const { link, tap } = await tapped(type);
    expect(link).toBe(`/m/launch?vassalage=AV&gameType=${type}`);
    expect([tap.defaultPrevented, opened]).toEqual([false, []]);
  },
);

/** The vendor link's target, and a tap on it. */
async function tapped(type: GameType) {
  const vendor = { vassalage: "AV", gameType: type, displayName: "Arena" };
  await page.draw(
    <VendorLink type={type} vendor={vendor as never}>
      Arena
    </VendorLink>,
  );
  const link = document.querySelector("a");
  const tap = new MouseEvent("click", { bubbles: true, cancelable: true });
  // jsdom follows no link by itself.
  await act(async () => void link?.dispatchEvent(tap));
  const to = link?.getAttribute("href");
  await page.leave();
  return { link: to, tap };
}
