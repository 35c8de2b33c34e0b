import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type Query, QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApi } from "./api.ts";
import { OWN_KEY } from "./own-key.ts";
import { createQueries } from "./queries.ts";
import { createScreenQueries } from "./screen-queries.ts";

type Asks = ReturnType<typeof createQueries> & ReturnType<typeof createScreenQueries>;

/** A screen's call to a server by HTTP. */
interface Question {
  readonly ask: (client: QueryClient, asks: Asks) => Promise<unknown>;
  /** Below /api/v1. */
  readonly address: string;
  /** How long the answer counts as fresh. */
  readonly minutes: number;
}

const FOREVER = Number.POSITIVE_INFINITY;
const FISH = { gameType: "FISH", pageSize: 35 } as const;
const LIST = [
  "games?platform=html5&gameName=&vassalage=&gameClassify=&minBet=&minLine=&isNew=&clientType=2",
  "&gameType=FISH&pageSize=35&merchant=perya&pageNo=1&language=EN",
].join("");
const HOME = "groupName=m_home&platform=M&merchantCode=perya&language=EN";

const ANYBODYS: Readonly<Record<string, Question>> = {
  status: asked((client, q) => client.fetchQuery(q.status()), "status", 5),
  vendors: asked((client, q) => client.fetchQuery(q.vendors("EN")), "vendors?language=EN", 10),
  hot: asked(
    (client, q) => client.fetchQuery(q.hot("EN")),
    "games/hot?isPlatform=2&platform=html5&language=EN&merchantCode=perya",
    5,
  ),
  games: asked((client, q) => client.fetchInfiniteQuery(q.games("EN", FISH)), LIST, 5),
  announcements: asked(
    (client, q) => client.fetchQuery(q.announcements("EN")),
    `announcements?${HOME}&types=H`,
    5,
  ),
  listBanners: asked(
    (client, q) => client.fetchQuery(q.listBanners("EN")),
    `announcements?${HOME.replace("m_home", "m_game")}&types=B`,
    10,
  ),
  promotions: asked(
    (client, q) => client.fetchQuery(q.promotions("EN")),
    `announcements?${HOME}&types=PR`,
    5,
  ),
  lotteryMenu: asked(
    (client, q) => client.fetchQuery(q.lotteryMenu("ELOTT")),
    "lottery/menus?prizeMode=ELOTT",
    5,
  ),
  serviceLink: asked((client, q) => client.fetchQuery(q.serviceLink()), "service-link", 5),
  domainRoutes: asked(
    (client, q) => client.fetchQuery(q.domainRoutes()),
    "domain-routes?device=0",
    5,
  ),
  vendorGameTypes: asked(
    (client, q) => client.fetchQuery(q.vendorGameTypes("PGE")),
    "games/types?typeId=PGE&merchant_code=perya",
    5,
  ),
  liveModels: asked(
    (client, q) => client.fetchQuery(q.liveModels()),
    "live-models?active=true&streaming=true",
    1,
  ),
  game: asked((client, q) => client.fetchQuery(q.game(7)), "games/7", 10),
  help: asked((client, q) => client.fetchQuery(q.help("EN")), "help?lang=EN", 0),
  winners: asked((client, q) => client.fetchQuery(q.winners()), "winners", 1),
  usernameAvailability: asked(
    (client, q) => client.fetchQuery(q.usernameAvailability("maria")),
    "auth/username-availability?username=maria",
    1,
  ),
  lotteryList: asked((client, q) => client.fetchQuery(q.lotteryList()), "lottery/list", 0),
  lotteryVietnam: asked((client, q) => client.fetchQuery(q.lotteryVietnam()), "lottery/vietnam", 5),
  lotteryPopularGames: asked(
    (client, q) => client.fetchQuery(q.lotteryPopularGames()),
    "lottery/popular-games",
    5,
  ),
  lotteryPopular: asked(
    (client, q) => client.fetchQuery(q.lotteryPopular("3D")),
    "lottery/popular-numbers?gameCode=3D",
    1,
  ),
  lotteryNumero: asked(
    (client, q) => client.fetchQuery(q.lotteryNumero("3D")),
    "lottery/numero?gameCode=3D",
    0,
  ),
  lotteryDraws: asked(
    (client, q) => client.fetchInfiniteQuery(q.lotteryDraws("3D")),
    "lottery/draws?gameCode=3D",
    0,
  ),
  cockfightMatch: asked(
    (client, q) => client.fetchQuery(q.cockfightMatch("cfm_1")),
    "cockfight/matches/cfm_1",
    FOREVER,
  ),
  lotteryWinners: asked((client, q) => client.fetchQuery(q.lotteryWinners()), "lottery/winners", 1),
  sportsBoard: asked((client, q) => client.fetchQuery(q.sportsBoard()), "sports/board", 0),
  sportsResults: asked(
    (client, q) => client.fetchInfiniteQuery(q.sportsResults("football")),
    "sports/results?sport=football",
    0,
  ),
};

const ONES_OWN: Readonly<Record<string, Question>> = {
  inboxUnread: asked((client, q) => client.fetchQuery(q.inboxUnread()), "inbox/unread", 1),
  loginPopups: asked(
    (client, q) => client.fetchQuery(q.loginPopups("EN")),
    "announcements/popular",
    5,
  ),
  wallet: asked((client, q) => client.fetchQuery(q.wallet()), "member/wallet", 1),
  memberInfo: asked((client, q) => client.fetchQuery(q.memberInfo()), "member/info", 5),
  favouriteIds: asked(
    (client, q) => client.fetchQuery(q.favouriteIds()),
    "member/favourite-ids?pageNo=1&pageSize=100",
    5,
  ),
  favourites: asked(
    (client, q) => client.fetchInfiniteQuery(q.favourites("EN", FISH)),
    "member/favourites?gameType=FISH&vendor=&pageSize=35&pageNo=1&language=EN",
    1,
  ),
  recentGames: asked(
    (client, q) => client.fetchInfiniteQuery(q.recentGames("EN", FISH)),
    "member/recent-games?gameType=FISH&vendor=&pageSize=35&clientType=2&page=1&language=EN",
    0,
  ),
  applications: asked(
    (client, q) => client.fetchQuery(q.applications("EN")),
    "promotions/applications",
    1,
  ),
  redRain: asked((client, q) => client.fetchQuery(q.redRain()), "red-rain", 0),
  sentPicture: asked(
    (client, q) => client.fetchQuery(q.sentPicture("upl_1")),
    "promotions/uploads/upl_1",
    FOREVER,
  ),
  notices: asked((client, q) => client.fetchQuery(q.notices("EN")), "notices", 1),
  agentNotices: asked(
    (client, q) => client.fetchQuery(q.agentNotices("EN")),
    "agent/announcements?types=A&groupName=m_home&merchantCode=perya",
    1,
  ),
  contractInfo: asked(
    (client, q) => client.fetchQuery(q.contractInfo()),
    "agent/contract-info",
    FOREVER,
  ),
  contractRequests: asked(
    (client, q) => client.fetchQuery(q.contractRequests("hourly")),
    "agent/contract-requests/hourly-salary",
    0,
  ),
  invitation: asked((client, q) => client.fetchQuery(q.invitation()), "member/invitation", FOREVER),
  security: asked((client, q) => client.fetchQuery(q.security()), "member/security", 1),
  externalAccounts: asked(
    (client, q) => client.fetchQuery(q.externalAccounts()),
    "member/external-accounts",
    1,
  ),
  sessions: asked((client, q) => client.fetchQuery(q.sessions()), "member/sessions", 0),
  logins: asked((client, q) => client.fetchInfiniteQuery(q.logins()), "member/logins", 0),
  lotteryTickets: asked(
    (client, q) => client.fetchInfiniteQuery(q.lotteryTickets()),
    "lottery/tickets",
    0,
  ),
  sportsBets: asked((client, q) => client.fetchInfiniteQuery(q.sportsBets()), "sports/bets", 0),
  cashierMethods: asked((client, q) => client.fetchQuery(q.cashierMethods()), "cashier/methods", 1),
  deposits: asked((client, q) => client.fetchInfiniteQuery(q.deposits()), "cashier/deposits", 0),
  deposit: asked((client, q) => client.fetchQuery(q.deposit("dep_1")), "cashier/deposits/dep_1", 0),
  withdrawals: asked(
    (client, q) => client.fetchInfiniteQuery(q.withdrawals()),
    "cashier/withdrawals",
    0,
  ),
  transactions: asked(
    (client, q) => client.fetchInfiniteQuery(q.transactions("deposit")),
    "transactions?kind=deposit",
    0,
  ),
  gameRecords: asked((client, q) => client.fetchInfiniteQuery(q.gameRecords()), "game-records", 0),
  round: asked((client, q) => client.fetchQuery(q.round("rnd_1")), "rounds/rnd_1", 0),
};

const QUESTIONS = { ...ANYBODYS, ...ONES_OWN };
/** A screen that reads these again also reads those below them again. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  security: ["externalAccounts", "sessions", "logins"],
};
/** All callers share one count, so one caller's leaving does not end it. */
const SHARED = ["inboxUnread"];

let server: Server;
let requests: string[];
let signals: AbortSignal[];
/** The reply to a call, by its address. */
let answer: (url: URL) => object;
let client: QueryClient;
let asks: Asks;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  [requests, signals, answer] = [[], [], () => ({})];
  server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://perya.test");
    requests.push(`${request.method} ${url.pathname}${url.search}`);
    const nothing = { list: [], content: [], games: [], gameTypes: [], promotion: [], banners: [] };
    const paging = { pageNum: 1, totalPages: 1, nextCursor: null };
    const value = { ...nothing, ...paging, version: 1, type: "", data: "", ...answer(url) };
    response.end(JSON.stringify({ value }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const at = server.address();
  if (at === null || typeof at === "string") throw new Error("no port");
  const api = createApi({
    baseUrl: `http://127.0.0.1:${at.port}`,
    getSessionToken: () => "storage-half",
    getLanguage: () => "EN",
    isStandalone: () => false,
    onSessionEnded: () => undefined,
    seal: async (plaintext) => plaintext,
    fetch: (input, init) => {
      if (init?.signal) signals.push(init.signal);
      return fetch(input, init);
    },
  });
  client = new QueryClient();
  asks = { ...createQueries(api, () => "perya"), ...createScreenQueries(api, () => "perya") };
});

afterEach(async () => {
  client.clear();
  server.closeAllConnections();
  server.close();
  vi.useRealTimers();
});

describe("a query of a screen", () => {
  it("is listed in this test", () => {
    expect(Object.keys(QUESTIONS).sort()).toEqual(Object.keys(asks).sort());
  });

  it.each(Object.entries(QUESTIONS))(
    "of %s is asked once for as long as its answer is fresh",
    async (_, { ask, address, minutes }) => {
      await ask(client, asks);
      expect(requests).toEqual([`GET /api/v1/${address}`]);
      const goodMs = (minutes === FOREVER ? 366 * 24 * 60 : minutes) * 60_000;
      const begunAt = Date.now();
      if (minutes > 0) {
        vi.setSystemTime(begunAt + goodMs - 1);
        await ask(client, asks);
        expect(requests).toHaveLength(1);
      }
      vi.setSystemTime(begunAt + goodMs);
      await ask(client, asks);
      expect(requests).toHaveLength(minutes === FOREVER ? 1 : 2);
    },
  );

  it.each(Object.entries(QUESTIONS).filter(([name]) => !SHARED.includes(name)))(
    "of %s is cancelled when nobody waits for it any more",
    async (_, { ask }) => {
      const asking = ask(client, asks).catch(() => "given up");
      await vi.waitFor(() => expect(signals).toHaveLength(1), 20_000);
      await client.cancelQueries();
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      expect(await asking).toBe("given up");
    },
  );

  it("is read again without any other but those below it", async () => {
    const known = new Map<string, Query>();
    for (const [name, { ask }] of Object.entries(QUESTIONS)) {
      await ask(client, asks);
      const fresh = cache().find((query) => ![...known.values()].includes(query));
      if (fresh !== undefined) known.set(name, fresh);
    }
    expect([...known.keys()]).toEqual(Object.keys(QUESTIONS));
    for (const [name, { queryKey }] of known) {
      await client.invalidateQueries({ queryKey });
      const reached = [...known].filter(([, query]) => query.state.isInvalidated);
      expect(reached.map(([one]) => one)).toEqual([name, ...(BELOW[name] ?? [])]);
      for (const [, query] of reached) query.setState({ isInvalidated: false });
    }
  });

  it("is below the player's own key if its answer is, so that it is dropped with the session", async () => {
    for (const { ask } of Object.values(QUESTIONS)) await ask(client, asks);
    await client.invalidateQueries({ queryKey: [OWN_KEY] });
    const reached = cache().filter(({ state }) => state.isInvalidated);
    expect(reached).toHaveLength(Object.keys(ONES_OWN).length);
  });

  it.each<[string, (asks: Asks, n: 0 | 1) => Promise<unknown>]>([
    ["vendors", (q, n) => client.fetchQuery(q.vendors(["EN", "TY"][n] ?? ""))],
    ["hot games", (q, n) => client.fetchQuery(q.hot(["EN", "TY"][n] ?? ""))],
    ["banners", (q, n) => client.fetchQuery(q.listBanners(["EN", "TY"][n] ?? ""))],
    ["promotions", (q, n) => client.fetchQuery(q.promotions(["EN", "TY"][n] ?? ""))],
    ["announcements", (q, n) => client.fetchQuery(q.announcements(["EN", "TY"][n] ?? ""))],
    ["a game", (q, n) => client.fetchQuery(q.game(n))],
    ["a vendor's types", (q, n) => client.fetchQuery(q.vendorGameTypes(`V${n}`))],
    ["menus", (q, n) => client.fetchQuery(q.lotteryMenu(n === 0 ? "LOTT" : "SEA"))],
    ["a picture", (q, n) => client.fetchQuery(q.sentPicture(`upl_${n}`))],
    [
      "contracts",
      (q, n) =>
        client.fetchQuery({
          ...q.contractRequests(n === 0 ? "daily" : "dividend"),
          staleTime: FOREVER,
        }),
    ],
    ["a name", (q, n) => client.fetchQuery(q.usernameAvailability(`jun${n}`))],
    ["numbers", (q, n) => client.fetchQuery(q.lotteryPopular(`${n}`))],
    ["a fight", (q, n) => client.fetchQuery(q.cockfightMatch(`${n}`))],
    ["a deposit", (q, n) => client.fetchQuery({ ...q.deposit(`${n}`), staleTime: FOREVER })],
    ["a round", (q, n) => client.fetchQuery({ ...q.round(`${n}`), staleTime: FOREVER })],
    ["favourites", (q, n) => client.fetchInfiniteQuery(q.favourites("EN", { pageSize: 9 + n }))],
    ["games", (q, n) => client.fetchInfiniteQuery(q.games("EN", FISH, n + 1))],
    [
      "results",
      (q, n) =>
        client.fetchInfiniteQuery({
          ...q.sportsResults(n === 0 ? "football" : "esports"),
          staleTime: FOREVER,
        }),
    ],
    [
      "records",
      (q, n) =>
        client.fetchInfiniteQuery({
          ...q.gameRecords(n === 0 ? undefined : "parol"),
          staleTime: FOREVER,
        }),
    ],
  ])("of %s never takes the answer for another argument", async (_, ask) => {
    await ask(asks, 0);
    await ask(asks, 1);
    expect(new Set(requests).size).toBe(2);
    // Both are cached, side by side.
    await ask(asks, 0);
    await ask(asks, 1);
    expect(requests).toHaveLength(2);
  });
});

describe("a list of pages", () => {
  /** Three of them, told apart by number. */
  const numbered = (url: URL) => {
    const pageNum = Number(url.searchParams.get("pageNo") ?? url.searchParams.get("page"));
    const games = [{ id: pageNum }];
    return { games, list: games, content: games, pageNum, totalPages: 3 };
  };

  it.each<[string, () => Promise<{ pages: readonly object[] }>]>([
    ["games", () => client.fetchInfiniteQuery({ ...asks.games("EN", FISH), pages: 9 })],
    ["favourites", () => client.fetchInfiniteQuery({ ...asks.favourites("EN", FISH), pages: 9 })],
    [
      "recent games",
      () => client.fetchInfiniteQuery({ ...asks.recentGames("EN", FISH), pages: 9 }),
    ],
  ])("of %s goes on to its last page, and no further", async (_, fetchAll) => {
    answer = numbered;
    const { pages } = await fetchAll();
    expect(pages).toMatchObject(
      [1, 2, 3].map((n) => ({ games: [{ id: n }], pageNum: n, totalPages: 3 })),
    );
    expect(requests).toHaveLength(3);
  });

  it("of games begins where the reader came in", async () => {
    answer = numbered;
    const { pages } = await client.fetchInfiniteQuery({ ...asks.games("EN", FISH, 2), pages: 9 });
    expect(pages.map(({ pageNum }) => pageNum)).toEqual([2, 3]);
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ["log-ins", "", () => client.fetchInfiniteQuery({ ...asks.logins(), pages: 9 })],
    ["tickets", "", () => client.fetchInfiniteQuery({ ...asks.lotteryTickets(), pages: 9 })],
    ["bets", "", () => client.fetchInfiniteQuery({ ...asks.sportsBets(), pages: 9 })],
    ["deposits", "", () => client.fetchInfiniteQuery({ ...asks.deposits(), pages: 9 })],
    ["withdrawals", "", () => client.fetchInfiniteQuery({ ...asks.withdrawals(), pages: 9 })],
    [
      "draws",
      "gameCode=3D",
      () => client.fetchInfiniteQuery({ ...asks.lotteryDraws("3D"), pages: 9 }),
    ],
    [
      "results",
      "sport=esports",
      () => client.fetchInfiniteQuery({ ...asks.sportsResults("esports"), pages: 9 }),
    ],
    [
      "transactions",
      "kind=withdrawal",
      () => client.fetchInfiniteQuery({ ...asks.transactions("withdrawal"), pages: 9 }),
    ],
    ["records", "", () => client.fetchInfiniteQuery({ ...asks.gameRecords(), pages: 9 })],
    [
      "a game's records",
      "gameId=parol",
      () => client.fetchInfiniteQuery({ ...asks.gameRecords("parol"), pages: 9 }),
    ],
  ])("of %s goes on by the cursor of the page before, to the end", async (_, filter, fetchAll) => {
    answer = ({ searchParams }) => {
      const next = { first: "second", second: null }[searchParams.get("cursor") ?? ""];
      return { nextCursor: next === undefined ? "first" : next };
    };
    await fetchAll();
    const sent = requests.map((line) => line.replace(/^[^?]*\??/, ""));
    const asFirst = ["cursor=first", "cursor=second"].map((cursor) =>
      filter === "" ? cursor : `${cursor}&${filter}`,
    );
    expect(sent).toEqual([filter, ...asFirst]);
  });

  it("of favourites' ids is read to the end before it is returned", async () => {
    const kept = Array.from({ length: 250 }, (_, i) => i + 1);
    answer = ({ searchParams }) => {
      const from = (Number(searchParams.get("pageNo")) - 1) * 100;
      return { list: kept.slice(from, from + 100) };
    };
    expect(await client.fetchQuery(asks.favouriteIds())).toEqual(kept);
    expect(requests).toHaveLength(3);
  });
});

it("a player's own picture is shown from its own bytes", async () => {
  answer = () => ({ type: "image/png", data: "iVBORw0=" });
  const shown = await client.fetchQuery(asks.sentPicture("upl_1"));
  expect(shown).toBe("data:image/png;base64,iVBORw0=");
});

it("a screen gets the list that it shows out of an answer", async () => {
  answer = () => ({
    list: ["row"],
    promotion: ["promotion"],
    banners: ["banner"],
    gameTypes: ["RNG"],
    version: { chat: "" },
  });
  expect([
    await client.fetchQuery(asks.applications("EN")),
    await client.fetchQuery(asks.contractRequests("daily")),
    await client.fetchQuery(asks.promotions("EN")),
    await client.fetchQuery(asks.listBanners("EN")),
    await client.fetchQuery(asks.vendorGameTypes("PGE")),
    await client.fetchQuery(asks.serviceLink()),
  ]).toEqual([["row"], ["row"], ["promotion"], ["banner"], ["RNG"], { chat: "" }]);
});

function asked(ask: Question["ask"], address: string, minutes: number): Question {
  return { ask, address, minutes };
}

function cache(): Query[] {
  return client.getQueryCache().getAll();
}
