import { SHORT_ADDRESSES, screenPath, spellings } from "@perya/contract/page-paths";
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type StaticDataRouteOption,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import {
  readActivityDetailSearch,
  readActivitySearch,
} from "../features/activity/activity-search.ts";
import { readDepositSearch } from "../features/cashier/deposit-search.ts";
import { readFairnessSearch } from "../features/fairness/fairness-search.ts";
import {
  isOwnList,
  type ListSearch,
  readListSearch,
  readNameSearch,
} from "../features/games/list-search.ts";
import { readHelpSearch } from "../features/help/help-search.ts";
import { HomeScreen } from "../features/home/home-screen.tsx";
import { readHomeSearch } from "../features/home/home-search.ts";
import { readVendorSearch, type VendorSearch } from "../features/launch/vendor-search.ts";
import { readLotterySearch } from "../features/lottery/lottery-search.ts";
import { readNoticeSearch } from "../features/notice/notice-search.ts";
import { readRecordSearch } from "../features/records/record-search.ts";
import { readSecuritySearch } from "../features/security/security-search.ts";
import { readSportsSearch } from "../features/sports/sports-search.ts";
import { FeatureClosed, LoadFailed, ScreenLoading } from "../parts/page/screen-states.tsx";
import { type Gate, isAgent, refusalAt } from "../shell/access.ts";
import { readRootSearch } from "../shell/popups.ts";
import { searchOf } from "../shell/search-fields.ts";
import { useSession } from "../shell/session.ts";
import { type MessageId, withTexts } from "../shell/text.ts";
import { OfflineScreen } from "./offline-screen.tsx";
import { Site } from "./site.tsx";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** The header's title; home-type paths have the brand's bar instead. */
    title?: MessageId;
    /** Where the back arrow leads; one page back by default. */
    back?: "/m/home";
    /** The screen draws its own header and needs the whole height: no header, no tabs. */
    bare?: boolean;
    /** The screen has a title bar of its own in the shared header's place. */
    ownHeader?: boolean;
    /** Who may see the screen. */
    gate?: Gate;
  }
  interface Register {
    router: typeof router;
  }
}

const root = createRootRoute({
  component: Site,
  validateSearch: readRootSearch,
  errorComponent: LoadFailed,
});

/** One screen for all home-type paths; it stays mounted while a path opens a popup over it. */
const home = createRoute({
  getParentRoute: () => root,
  id: "home",
  component: HomeScreen,
  validateSearch: searchOf(readHomeSearch),
});
const homePath = <P extends string>(path: P) => createRoute({ getParentRoute: () => home, path });

function requireSession({ location }: { location: { href: string; pathname: string } }): void {
  const { session, lapsed } = useSession.getState();
  // A lapsed session keeps its own page, over which the log-in opens, and no other page.
  const isOpen = location.pathname === router.state.resolvedLocation?.pathname;
  if (session !== null || (lapsed && isOpen)) return;
  throw redirect({ to: "/m/login", search: { next: location.href }, replace: true });
}

/** A screen of everybody's, whose code loads with it. */
function screenAt<P extends string>(path: P, load: Load, staticData: StaticDataRouteOption) {
  const component = lazyRouteComponent(load);
  return createRoute({ getParentRoute: () => root, path, component, staticData });
}
type Load = () => Promise<{ readonly default: ComponentType }>;

/** The same for players who are logged in. */
function ownScreenAt<P extends string>(path: P, load: Load, staticData: StaticDataRouteOption) {
  const component = lazyRouteComponent(load);
  const beforeLoad = requireSession;
  return createRoute({ getParentRoute: () => root, path, component, staticData, beforeLoad });
}

/** Only an account with a password can change it; for all others the address leads home. */
const changePassword = createRoute({
  getParentRoute: () => home,
  path: "/m/changePsw",
  beforeLoad: () => {
    const { session } = useSession.getState();
    if (refusalAt("unlessTrial", session) !== null) {
      throw redirect({ to: "/m/home", replace: true });
    }
  },
});

const gameList = lazyRouteComponent(() => import("../features/games/game-list-screen.tsx"));
/** The game centre: one screen, whose paths fix the type (games §2.7). */
function gamePath<P extends string>(path: P, title: MessageId) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: gameList,
    staticData: { title },
    validateSearch: searchOf<ListSearch>(readListSearch),
    // The player's own lists redirect a guest to the log-in (specification, games §2.7).
    beforeLoad: ({ search, location }) => {
      if (isOwnList(search)) requireSession({ location });
    },
  });
}

const favourites = createRoute({
  getParentRoute: () => root,
  path: "/m/fav-games",
  component: gameList,
  staticData: { title: "games.favourites" },
  validateSearch: searchOf((search) => ({ ...readListSearch(search), tab: "fav" as const })),
  beforeLoad: requireSession,
});

const search = createRoute({
  getParentRoute: () => root,
  path: "/m/search",
  component: lazyRouteComponent(() => import("../features/games/search-screen.tsx")),
  staticData: { title: "games.search", back: "/m/home" },
  validateSearch: searchOf(readNameSearch),
});

const loadPlay = () => import("./play-screen.tsx");
/** A game of ours. Its client is asked for before the screen around it is drawn. */
const playGame = createRoute({
  getParentRoute: () => root,
  path: "/m/play/$game",
  component: lazyRouteComponent(loadPlay),
  staticData: { bare: true },
  beforeLoad: ({ params }) => {
    if (useSession.getState().session === null) return;
    loadPlay().then(
      ({ begin }) => begin(params.game),
      // The router tells of it.
      () => undefined,
    );
  },
});

/** A vendor's game, by the node of the catalogue. */
const launch = createRoute({
  getParentRoute: () => root,
  path: "/m/launch/$nodeId",
  params: {
    parse: ({ nodeId }) => ({ nodeId: /^\d{1,9}$/.test(nodeId) ? Number(nodeId) : 0 }),
    stringify: ({ nodeId }) => ({ nodeId: String(nodeId) }),
  },
  component: lazyRouteComponent(() => import("../features/launch/launch-screen.tsx")),
  staticData: { bare: true, gate: "session" },
  beforeLoad: ({ params, location }) => {
    if (params.nodeId === 0) throw redirect({ to: "/m/home", replace: true });
    // Launching a game without a session leads to the log-in (specification, games §4).
    requireSession({ location });
  },
});

/** A vendor rather than one of its games (games §2.2). */
const launchVendor = createRoute({
  getParentRoute: () => root,
  path: "/m/launch",
  component: lazyRouteComponent(
    () => import("../features/launch/launch-screen.tsx"),
    "VendorLaunchScreen",
  ),
  staticData: { bare: true, gate: "session" },
  validateSearch: searchOf<VendorSearch>(readVendorSearch),
  beforeLoad: ({ search, location }) => {
    if (search.vassalage === undefined || search.gameType === undefined) {
      throw redirect({ to: "/m/home", replace: true });
    }
    requireSession({ location });
  },
});

const lottery = createRoute({
  getParentRoute: () => root,
  path: "/m/lottery",
  component: lazyRouteComponent(() => import("../features/lottery/lottery-screen.tsx")),
  staticData: { title: "type.LOTT", bare: true },
  beforeLoad: requireSession,
  validateSearch: searchOf(readLotterySearch),
});

const sportsLobby = createRoute({
  getParentRoute: () => root,
  path: "/m/sportsLobby",
  component: lazyRouteComponent(() =>
    withTexts("sports", import("../features/sports/sports-screen.tsx")),
  ),
  staticData: { title: "type.SPORTS", bare: true },
  beforeLoad: requireSession,
  validateSearch: searchOf(readSportsSearch),
});

const fairness = createRoute({
  getParentRoute: () => root,
  path: "/m/fairness",
  component: lazyRouteComponent(() => import("./fairness-page.tsx")),
  staticData: { title: "shell.fairness" },
  validateSearch: searchOf(readFairnessSearch),
});

const deposit = createRoute({
  getParentRoute: () => root,
  path: "/m/voucherCenter",
  component: lazyRouteComponent(() => import("../features/cashier/deposit-screen.tsx")),
  staticData: { title: "cashier.deposit", gate: "unlessTrial" },
  beforeLoad: requireSession,
  validateSearch: searchOf(readDepositSearch),
});

const transactions = createRoute({
  getParentRoute: () => root,
  path: "/m/transaction/record",
  component: lazyRouteComponent(() => import("../features/records/transaction-screen.tsx")),
  staticData: { title: "records.transactions", gate: "session" },
  beforeLoad: requireSession,
  validateSearch: searchOf(readRecordSearch),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: "/m/inviteFriends",
  component: lazyRouteComponent(() => import("../features/invite/invitation.tsx"), "Invitation"),
  staticData: { title: "invite.title", gate: "unlessTrial" },
  beforeLoad: requireSession,
});

/** A feature that no brand has yet. Its screen says so. */
function closedPath<P extends string>(path: P, title: MessageId, gate: Gate) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: FeatureClosed,
    staticData: { title, gate },
    beforeLoad: requireSession,
  });
}

const closedScreen = lazyRouteComponent(() => import("./closed-screen.tsx"));

const agentHome = createRoute({
  getParentRoute: () => root,
  path: "/m/agent",
  component: closedScreen,
  staticData: { title: "screen.agent", bare: true },
  // For others it leads home (specification, games §2.9).
  beforeLoad: () => {
    if (!isAgent(useSession.getState().session)) throw redirect({ to: "/m/home", replace: true });
  },
});

const messageCentre = createRoute({
  getParentRoute: () => root,
  path: "/m/message",
  component: closedScreen,
  staticData: { title: "screen.message_centre", back: "/m/home", ownHeader: true },
  beforeLoad: requireSession,
});

const security = createRoute({
  getParentRoute: () => root,
  path: "/m/securityCenter",
  component: lazyRouteComponent(() => import("../features/security/security-screen.tsx")),
  staticData: { title: "security.title", gate: "unlessTrial" },
  beforeLoad: requireSession,
  validateSearch: searchOf(readSecuritySearch),
});

const notice = createRoute({
  getParentRoute: () => root,
  path: "/m/notice",
  component: lazyRouteComponent(() => import("../features/notice/notice-screen.tsx")),
  staticData: { title: "home.announcements" },
  validateSearch: searchOf(readNoticeSearch),
});

/** For agents alone; others go home. */
function requireAgent({ location }: { location: { href: string; pathname: string } }): void {
  requireSession({ location });
  const { session, lapsed } = useSession.getState();
  if (!lapsed && !isAgent(session)) throw redirect({ to: "/m/home", replace: true });
}

/** `?types=A` in the specification, which has no other type. */
const agentNotice = createRoute({
  getParentRoute: () => root,
  path: "/m/member/notice",
  component: lazyRouteComponent(() => import("../features/notice/agent-notice-screen.tsx")),
  staticData: { title: "notice.agents", gate: "session" },
  validateSearch: searchOf<{ types: "A" }>(() => ({ types: "A" })),
  beforeLoad: requireAgent,
});

function contractPath<P extends string>(path: P, title: MessageId, screen: ContractScreen) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(
      () => withTexts("agent", import("../features/agent/contract-screen.tsx")),
      screen,
    ),
    staticData: { title, gate: "session" },
    beforeLoad: requireAgent,
  });
}
type ContractScreen = "DailySalaryContract" | "HourlySalaryContract" | "DividendContract";

const activity = createRoute({
  getParentRoute: () => root,
  path: "/m/activity",
  component: lazyRouteComponent(() => import("../features/activity/activity-screen.tsx")),
  staticData: { title: "activity.title", back: "/m/home" },
  validateSearch: searchOf(readActivitySearch),
});

const activityDetail = createRoute({
  getParentRoute: () => root,
  path: "/m/activityDetail",
  component: lazyRouteComponent(() => import("../features/activity/activity-detail-screen.tsx")),
  staticData: { title: "activity.detail", ownHeader: true },
  validateSearch: searchOf<{ id?: string }>(readActivityDetailSearch),
  beforeLoad: ({ search }) => {
    if (search.id === undefined) throw redirect({ to: "/m/activity", replace: true });
  },
});

const help = createRoute({
  getParentRoute: () => root,
  path: "/m/help",
  component: lazyRouteComponent(() => import("../features/help/help-screen.tsx")),
  staticData: { title: "help.title" },
  validateSearch: searchOf(readHelpSearch),
});

const offline = createRoute({
  getParentRoute: () => root,
  path: "/m/offline",
  component: OfflineScreen,
  staticData: { title: "shell.offline_title", back: "/m/home" },
});

const anythingElse = createRoute({
  getParentRoute: () => root,
  path: "$",
  beforeLoad: () => {
    throw redirect({ to: "/m/home", replace: true });
  },
});

const tree = root.addChildren([
  home.addChildren([
    homePath("/"),
    homePath("/m"),
    homePath("/m/index"),
    homePath("/m/index.html"),
    homePath("/m/home"),
    homePath("/m/login"),
    homePath("/m/register"),
    homePath("/m/register.html"),
    homePath("/m/forget"),
    homePath("/m/reset"),
    changePassword,
  ]),
  gamePath("/m/gameList", "games.all"),
  gamePath("/m/gameCenter", "games.all"),
  gamePath("/m/slotsCenter", "games.all"),
  gamePath("/m/roulette", "games.class_ROU"),
  gamePath("/m/baccarat", "games.class_BAC"),
  gamePath("/m/inHouse", "games.in_house"),
  gamePath("/m/pg-soft", "games.pista"),
  gamePath("/m/slot-games", "type.RNG"),
  gamePath("/m/provider", "games.providers"),
  gamePath("/m/live-games", "type.LIVE"),
  gamePath("/m/poker-games", "type.PVP"),
  gamePath("/m/fishing-games", "type.FISH"),
  gamePath("/m/sport-games", "type.SPORTS"),
  gamePath("/m/lott", "type.LOTT"),
  gamePath("/m/elott", "type.ELOTT"),
  gamePath("/m/cockfight", "type.COCKFIGHT"),
  favourites,
  search,
  screenAt("/m/hot-games", () => import("../features/games/hot-screen.tsx"), {
    title: "games.hot",
  }),
  playGame,
  launch,
  launchVendor,
  screenAt("/m/trail", () => import("../features/games/trial-screen.tsx"), {
    title: "shell.trial_screen",
    back: "/m/home",
  }),
  fairness,
  deposit,
  ownScreenAt("/m/withdraw", () => import("../features/cashier/withdraw-screen.tsx"), {
    title: "cashier.withdraw",
    gate: "real",
  }),
  transactions,
  ownScreenAt("/m/gameRecord", () => import("../features/records/game-record-screen.tsx"), {
    title: "records.games",
    gate: "session",
  }),
  ownScreenAt("/m/member/home", () => import("../features/member/member-screen.tsx"), {
    title: "member.account",
    gate: "session",
  }),
  ownScreenAt("/m/mine", () => import("../features/member/member-screen.tsx"), {
    title: "member.account",
    gate: "session",
  }),
  invite,
  closedPath("/m/member/benefits", "shell.vip", "session"),
  closedPath("/m/rewardCenter", "shell.rewards", "session"),
  closedPath("/m/member/manualRebate", "shell.rebate", "session"),
  closedPath("/m/leaderBoard", "shell.missions", "session"),
  closedPath("/m/profitandloss", "screen.pnl", "session"),
  closedPath("/m/mall/mallHome", "screen.mall", "session"),
  ownScreenAt(
    "/m/redRain",
    () => withTexts("rain", import("../features/red-rain/red-rain-screen.tsx")),
    { title: "screen.red_rain", gate: "real" },
  ),
  messageCentre,
  closedPath("/m/messages", "shell.messages", "unlessTrial"),
  closedPath("/m/webEmail", "screen.inbox", "unlessTrial"),
  closedPath("/m/chat", "shell.live_chat", "unlessTrial"),
  screenAt("/m/app", () => import("../features/app/app-screen.tsx"), {
    title: "app.title",
    bare: true,
  }),
  lottery,
  sportsLobby,
  agentHome,
  closedPath("/m/agentRegister", "screen.open_account", "session"),
  closedPath("/m/agent/team/overview", "screen.team_overview", "session"),
  closedPath("/m/agent/team/pnl", "screen.team_pnl", "session"),
  closedPath("/m/teamBetting", "screen.team_bets", "session"),
  closedPath("/m/member/team", "screen.team", "session"),
  closedPath("/m/member/teamRebate", "screen.team_rebate", "session"),
  closedPath("/m/member/agent/agentRebeat", "screen.agent_rebate", "session"),
  closedPath("/m/member/agent/agentDivident", "screen.dividends", "session"),
  contractPath(
    "/m/member/agent/getSalaryContract",
    "screen.salary_contract",
    "DailySalaryContract",
  ),
  contractPath(
    "/m/member/agent/getDevidendContract",
    "screen.dividend_contract",
    "DividendContract",
  ),
  contractPath("/m/member/agent/getHourContract", "screen.hourly_contract", "HourlySalaryContract"),
  security,
  screenAt("/m/verifyEmail", () => import("../features/security/verify-email-screen.tsx"), {
    title: "security.email",
    back: "/m/home",
  }),
  notice,
  agentNotice,
  activity,
  activityDetail,
  screenAt("/m/set", () => import("../features/member/settings-screen.tsx"), {
    title: "member.settings",
  }),
  ownScreenAt("/m/feedback", () => import("../features/feedback/feedback-screen.tsx"), {
    title: "feedback.title",
    gate: "session",
  }),
  help,
  offline,
  anythingElse,
]);

const spelled = spellings([...SHORT_ADDRESSES, ...pathsOf(tree)]);

function pathsOf({ options, children }: AnyRoute): string[] {
  const path: unknown = Reflect.get(options, "path");
  const below: AnyRoute[] = Object.values(children ?? {});
  return [...(typeof path === "string" ? [path] : []), ...below.flatMap(pathsOf)];
}

export const router = createRouter({
  routeTree: tree,
  // An address shows its screen however it is spelled (games §2.13).
  rewrite: {
    input: ({ url }) => {
      url.pathname = screenPath(spelled(url.pathname));
      return url;
    },
  },
  defaultPreload: "intent",
  defaultPendingComponent: ScreenLoading,
  defaultPendingMs: 120,
  defaultPendingMinMs: 0,
  defaultErrorComponent: LoadFailed,
});

// The router takes scroll restoration over, which breaks the preview of a swipe back on iOS.
history.scrollRestoration = "auto";
