// @vitest-environment jsdom
import { listOf } from "@perya/contract/game-lists";
import { describe, expect, it, vi } from "vitest";
import { SPECIFIED_TYPES } from "../../../../tests/setup/specified-types.ts";
import { useSession } from "../shell/session.ts";
import { router } from "./router.tsx";

/** The query that the screen of an address is shown. */
function shown(address: string): Record<string, unknown> {
  const { pathname, searchParams } = new URL(address, "https://perya.example");
  const match = router.matchRoutes(pathname, Object.fromEntries(searchParams)).at(-1);
  return JSON.parse(JSON.stringify(match?.search));
}

it.each([
  [null, false],
  [0, true],
  [1, true],
  [4, false],
])(
  "[A6-03] the address of a change of password leads home for an account without one: of type %s",
  (type, opens) => {
    const session = type === null ? null : { token: "t", type, userName: "maria" };
    useSession.setState({ session: session as never, lapsed: false }); // nothing else is read
    const enter = router.routesByPath["/m/changePsw"].options.beforeLoad as () => void;
    if (opens) expect(enter).not.toThrow();
    else expect(enter).toThrow();
    useSession.setState({ session: null, lapsed: false });
  },
);

it.each(["/m/feedback", "/m/securityCenter", "/m/fav-games", "/m/voucherCenter"] as const)(
  "[A2.11-01 A8-06] a lapsed session keeps the open page, and from another page %s leads to the log-in as for a guest",
  async (path) => {
    useSession.setState({ session: null, lapsed: true });
    const { beforeLoad } = router.routesByPath[path].options;
    const location = { href: path, pathname: path };
    const enterFrom = (open: string) => () => {
      const resolvedLocation = { pathname: open };
      vi.spyOn(router, "state", "get").mockReturnValue({ resolvedLocation } as never);
      // The guards read the session and the location alone.
      (beforeLoad as (at: object) => void)({ location, search: {} });
    };
    expect(enterFrom(path)).not.toThrow();
    expect(enterFrom("/m/help")).toThrow();
    vi.restoreAllMocks();
    useSession.setState({ session: null, lapsed: false });
  },
);

it("[A1-12] every screen's own path begins with /m/, except the root, which shows home", () => {
  const paths = Object.keys(router.routesByPath).filter((path) => path !== "/$");
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !/^\/m(?:\/|$)/.test(path))).toEqual(["/"]);
});

it.each([
  ["/m/lott", "LOTT"],
  ["/m/elott", "ELOTT"],
  ["/m/sport-games", "SPORTS"],
] as const)(
  "[G2.1-01 G2.1-02 G2.1-03] %s has a route of its own, which opens the game centre's screen with the type %s",
  (path, gameType) => {
    expect(router.matchRoutes(path, {}).at(-1)?.routeId).toBe(path);
    const { component, staticData } = router.routesByPath[path].options;
    expect(component).toBe(router.routesByPath["/m/gameCenter"].options.component);
    expect(staticData?.title).toBe(`type.${gameType}`);
    expect(listOf(path, undefined)).toEqual({ gameType });
  },
);

/** Lists chosen in a type's place, as the specification names them (games §3). */
const LISTS = ["HOT", "FAV", "RECENT"];

describe("the query that a screen is shown", () => {
  it.each([
    ["/m/gameList?gameType=live&page=3&name=ace", { gameType: "LIVE", page: 3, name: "ace" }],
    ["/m/gameList?gameType=CHESS&page=abc&tab=none&minBet=-1&vassalage=%20", {}],
    ["/m/gameList?gameType=ESPORT", { gameType: "ESPORTS" }],
    ...SPECIFIED_TYPES.map(
      (gameType) => [`/m/gameList?gameType=${gameType}`, { gameType }] as const,
    ),
    ...LISTS.map((type) => [`/m/gameList?type=${type}`, { type }] as const),
    ["/m/fav-games?tab=hot", { tab: "fav" }],
    ["/m/search?q=ace&tab=cold&page=0", { q: "ace" }],
    ["/m/home?cat=CHESS&pop=none&next=https://evil.example/m/home", {}],
    ["/m/login?next=//evil.example", {}],
    ["/m/login?next=/m/set", { next: "/m/set" }],
    ["/m/lottery?view=none&gameCode=%3Cb%3E", {}],
    ["/m/notice?index=-2&pop=menu", { pop: "menu" }],
    [`/m/member/home?pop=menu&id=${"x".repeat(300)}`, { pop: "menu" }],
  ])("[G2.7-07 G3-04] of %s is only what its validators accept", (address, expected) => {
    expect(shown(address)).toEqual(expected);
  });
});

it.each([
  ["/m/slot-games?name=%20gold%20", { name: "gold" }],
  ["/m/slot-games?name=%20", {}],
  ["/m/search?q=%20gold%20&tab=all", { q: "gold", tab: "all" }],
  ["/m/search?q=%20%20", {}],
])("[G5-01] the name in %s is read without the spaces around it", (address, expected) => {
  expect(shown(address)).toEqual(expected);
});

describe("the screen of an address", () => {
  it.each([
    ["/m/inHouse/", "/m/inHouse"],
    ["/m/inhouse", "/m/inHouse"],
    ["/m/live-games/", "/m/live-games"],
    ["/M/Roulette", "/m/roulette"],
    ["/m/login/", "/m/login"],
    ["/m/member/agent/getsalarycontract", "/m/member/agent/getSalaryContract"],
    ["/RNG/", "/m/slot-games"],
    ["/m/launch/7/", "/m/launch/7"],
  ])(
    "[G2.7-01 G2.7-02 G2.7-04 G2.13-03] %s is rewritten as its route's path, so that a lookup finds it",
    (typed, path) => {
      router.history.replace(typed);
      expect(router.parseLocation(router.history.location).pathname).toBe(path);
    },
  );
});
