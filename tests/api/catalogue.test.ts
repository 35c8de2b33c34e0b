import { describe, expect, it } from "vitest";
import { SPECIFIED_TYPES } from "../setup/specified-types.ts";
import { type Caller, logIn, serverOfFile, VISITOR } from "./running-server.ts";

const server = await serverOfFile();

/** The fields of the specification's game (games §3); any other field of a reply is ours. */
const GAME_FIELDS = [
  ...["gameId", "gameName", "nodeId", "nodeName", "displayName", "gameType", "vassalage"],
  ...["gameClassify", "gameClassifyNew", "minBet", "isNew", "showIcon", "iconUrl", "roomId"],
  ...["supportPlay", "freeplay", "isGameH5", "lottoMode", "gameCode"],
];

describe("the catalogue", () => {
  it("[G1-02 G3-04] has every kind of game, cockfights only where the brand has them on", async () => {
    for (const gameType of SPECIFIED_TYPES) {
      const { games, totalCount } = await get(`/api/v1/games?gameType=${gameType}&pageSize=60`);
      expect(totalCount > 0, gameType).toBe(gameType !== "COCKFIGHT");
      const types = new Set(games.map((game: { gameType: string }) => game.gameType));
      expect([...types].every((type) => gameType === "SPORTS" || type === gameType)).toBe(true);
    }
    const ofESports = await get("/api/v1/games?gameType=ESPORTS");
    expect(await get("/api/v1/games?gameType=ESPORT")).toEqual(ofESports);
    const own = await get("/api/v1/games?vassalage=BGS");
    expect(own.games.map(({ houseGame }: { houseGame: string }) => houseGame)).toEqual([
      "parol-fortune",
      "color-game",
      "saranggola",
    ]);
  });

  it("[G3-01 G3-05] pages games with all of their fields and the count of pages and games", async () => {
    const page = await get("/api/v1/games?gameType=RNG&pageNo=2&pageSize=50");
    expect(Object.keys(page).sort()).toEqual(["games", "pageNum", "totalCount", "totalPages"]);
    expect(page).toMatchObject({ pageNum: 2, totalPages: Math.ceil(page.totalCount / 50) });
    expect(page.games).toHaveLength(50);
    const first = await get("/api/v1/games?gameType=RNG&pageNo=1&pageSize=50");
    expect(first.pageNum).toBe(1);
    expect(new Set([...first.games, ...page.games].map(idOf)).size).toBe(100);
    for (const game of page.games)
      expect(Object.keys(game)).toEqual(expect.arrayContaining(GAME_FIELDS));
    const [arena] = (await get("/api/v1/games?vassalage=AV")).games;
    expect(arena).toMatchObject({ isGameH5: "VASSALAGE", lottoMode: null });
    const [lottery] = (await get("/api/v1/games?gameType=ELOTT")).games;
    expect(lottery).toMatchObject({ lottoMode: "Entertainment" });
  });

  it("[G3-06 G3-07 G7-05 G7-06 G7-10] pages a player's favourites and recents, and tells which page it is", async () => {
    const bea = await logIn(server, "bea");
    const { games } = await get("/api/v1/games?gameType=RNG&pageSize=3");
    for (const { nodeId, vassalage } of games) {
      await send("/api/v1/member/favourites", bea, { nodeId, vendor: vassalage });
      await get(`/api/v1/member/recent-games/add?nodeId=${nodeId}`, bea);
    }
    const [third, second, first] = games.map(idOf).reverse();
    for (const [no, ids] of [
      [1, [third, second]],
      [2, [first]],
      // A page after the last one is empty, and still tells the number of games.
      [3, []],
    ] as const) {
      const kept = await get(`/api/v1/member/favourites?pageNo=${no}&pageSize=2`, bea);
      expect({ ...kept, content: kept.content.map(idOf) }).toEqual({
        ...{ content: ids, totalPages: 2, pageNum: no, pageSize: 2 },
      });
      const list = await get(`/api/v1/member/favourite-ids?pageNo=${no}&pageSize=2`, bea);
      expect(list).toEqual({ list: ids });
      const opened = await get(`/api/v1/member/recent-games?page=${no}&pageSize=2`, bea);
      expect({ ...opened, list: opened.list.map(idOf) }).toEqual({ list: ids, totalPages: 2 });
    }
  });

  it.each([
    ["POST", true],
    ["DELETE", false],
  ])(
    "[G7-07 G7-08] a %s by a logged-in player, with node and vendor in its body, leaves a game kept: %s",
    async (method, kept) => {
      const linda = await logIn(server, "linda");
      const { games } = await get("/api/v1/games?gameType=RNG&pageSize=1");
      const [{ nodeId, vassalage: vendor }] = games;
      const change = async (body: object, caller: Caller = linda) => {
        const { status, json } = await answerTo(method, "/api/v1/member/favourites", caller, body);
        return [status, json.value ?? json.fields?.[0]?.field ?? json.code];
      };
      const ids = async () => (await get("/api/v1/member/favourite-ids", linda)).list;
      const before = await ids();
      expect(before.includes(nodeId)).toBe(!kept);
      expect(await change({ nodeId })).toEqual([400, "vendor"]);
      expect(await change({ vendor })).toEqual([400, "nodeId"]);
      expect(await change({ nodeId, vendor }, VISITOR)).toEqual([401, "not_logged_in"]);
      expect(await ids()).toEqual(before);
      expect(await change({ nodeId, vendor })).toEqual([200, { kept }]);
      expect((await ids()).includes(nodeId)).toBe(kept);
    },
  );

  it("[G3-02 G3-03] has its vendors by category, each with its classes, and both mappings", async () => {
    type Class = { key: string; vendors: string[] };
    type Vendor = { vassalage: string; gameType: string; gameClassify: Class[] };
    type Category = { gameCategory: string; vendorNames: Vendor[] };
    const { content, byVendor, byGameType } = await get("/api/v1/vendors");
    const live = content.find(
      ({ gameCategory }: { gameCategory: string }) => gameCategory === "LIVE",
    );
    const [luna] = live.vendorNames;
    expect(luna).toMatchObject({
      vassalage: "LUN",
      accountTypeName: "Luna Live",
      displayName: "Luna Live",
      gameType: "LIVE",
      mobileLargeIcon: "/art/vendor/LUN.svg",
    });
    const roulette = luna.gameClassify.find(({ key }: { key: string }) => key === "ROU");
    expect(roulette.vendors).toContain("LUN");
    // A class has the vendors of its category that have games of it, under every vendor.
    const slots = content.find(({ gameCategory }: Category) => gameCategory === "RNG");
    const classes = slots.vendorNames.flatMap(({ gameClassify }: Vendor) => gameClassify);
    const vendorsOf = (wanted: string) =>
      classes.filter(({ key }: Class) => key === wanted).map(({ vendors }: Class) => vendors);
    expect(vendorsOf("TABLE")).toEqual([["BGS"]]);
    const makers = ["BGS", "PGE", "ANI", "LWY", "BNH"];
    expect(vendorsOf("VIDEO")).toEqual(makers.map(() => makers));
    // Both mappings agree with the categories, for every vendor and every type.
    const pairs = content.flatMap(({ vendorNames }: Category) =>
      vendorNames.map(({ vassalage, gameType }) => `${vassalage} ${gameType}`),
    );
    const ofTypes = Object.entries<string[]>(byGameType).flatMap(([type, vendors]) =>
      vendors.map((vendor) => `${vendor} ${type}`),
    );
    const ofVendors = Object.entries<string[]>(byVendor).flatMap(([vendor, types]) =>
      types.map((type) => `${vendor} ${type}`),
    );
    const sorted = (list: string[]) => [...new Set(list)].sort();
    expect(pairs.length).toBeGreaterThan(10);
    expect(sorted(ofTypes)).toEqual(sorted(pairs));
    expect(sorted(ofVendors)).toEqual(sorted(pairs));
  });

  it("[G7-03] tells by GET with typeId and merchant_code which game types a vendor has, as its lists have them", async () => {
    const ask = async (query: string) => {
      const answer = await fetch(`${server.url}/api/v1/games/types?${query}`);
      return { status: answer.status, json: await answer.json() };
    };
    const { json } = await ask("typeId=PGE&merchant_code=perya");
    expect(json.value.gameTypes.map(({ gameType }: { gameType: string }) => gameType)).toEqual([
      "RNG",
    ]);
    const [slots] = json.value.gameTypes;
    const count = async (query: string) =>
      (await get(`/api/v1/games?gameType=RNG&vassalage=PGE&pageSize=1&${query}`)).totalCount;
    expect(slots.gameCount).toBe(await count(""));
    expect(slots.newCount).toBe(await count("gameClassify=NEW"));
    expect(slots.gameClassify.length).toBeGreaterThan(0);
    for (const { key, gameCount } of slots.gameClassify) {
      expect(gameCount, key).toBe(await count(`gameClassify=${key}`));
    }
    const { list } = await get("/api/v1/games/hot");
    const hot = list.filter((game: { vassalage: string }) => game.vassalage === "PGE");
    expect(slots.hotCount).toBe(hot.length);

    for (const [query, field] of [
      ["typeId=NOBODY&merchant_code=perya", "typeId"],
      ["merchant_code=perya", "typeId"],
      ["typeId=pge&merchant_code=perya", "typeId"],
      ["typeId=PGE", "merchant_code"],
      ["typeId=PGE&merchant_code=another", "merchant_code"],
    ]) {
      const refused = await ask(query ?? "");
      expect(refused.status, query).toBe(400);
      expect(refused.json.code, query).toBe("invalid_input");
      const [fault] = refused.json.fields;
      expect([fault.field, fault.message !== ""], query).toEqual([field, true]);
    }
  });

  it("[G2.7-32] sends a vendor's icon as SVG, or as PNG to a client that does not accept SVG", async () => {
    const icon = async (accept: string) => {
      const answer = await fetch(`${server.url}/art/vendor/PISTA-COLOR.png`, {
        headers: { accept },
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const { headers } = answer;
      expect([answer.status, headers.get("vary")]).toEqual([200, "accept, accept-encoding"]);
      return { type: headers.get("content-type"), bytes };
    };
    // The Accept headers of Chromium for an <img>, and of a tool.
    const drawn = await icon("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8");
    const same = await fetch(`${server.url}/art/vendor/PGE.svg`);
    expect(drawn.type).toBe("image/svg+xml; charset=utf-8");
    expect(drawn.bytes.toString()).toBe(await same.text());
    const pixels = await icon("image/png,*/*");
    expect(pixels.type).toBe("image/png");
    expect(pixels.bytes.toString("latin1", 1, 4)).toBe("PNG");
    expect((await icon("image/webp,*/*")).type).toBe("image/png");
    const small = await fetch(`${server.url}/art/vendor/PISTA-SMALL.png`, {
      headers: { accept: "image/png" },
    });
    const picture = Buffer.from(await small.arrayBuffer());
    // The first chunk of a PNG has its width and height.
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([84, 84]);
  });

  it("[G2.7-25] narrows by classification: NEW to new games, ROU and BAC to their own, HOT, FAV and RECENT to none", async () => {
    const classified = async (gameClassify: string) =>
      await get(`/api/v1/games?gameType=LIVE&pageSize=60&gameClassify=${gameClassify}`);
    const all = await classified("");
    const fresh = await classified("NEW");
    expect(fresh.totalCount).toBeGreaterThan(0);
    expect(fresh.totalCount).toBeLessThan(all.totalCount);
    expect(fresh.games.every(({ isNew }: { isNew: boolean }) => isNew)).toBe(true);
    for (const key of ["ROU", "BAC"]) {
      const { games } = await classified(key);
      expect(games.length, key).toBeGreaterThan(0);
      expect(games.every((one: { gameClassify: string }) => one.gameClassify === key)).toBe(true);
    }
    // These are separate lists, so they do not narrow this one.
    for (const key of ["HOT", "FAV", "RECENT"]) {
      expect(await classified(key), key).toEqual(all);
    }
  });
});

describe("live models", () => {
  const models = (query: string) => get(`/api/v1/live-models?${query}`);

  it("[G7-15] are the list of models on the air, by active and streaming, each at her own table", async () => {
    const onAir = await models("active=true&streaming=true");
    expect(onAir).toHaveLength(6);
    expect(await models("")).toEqual(onAir);
    const [first] = onAir;
    expect(first).toMatchObject({ id: "ligaya", name: "Ligaya", active: true, streaming: true });
    const table = await get(`/api/v1/games/${first.nodeId}`);
    expect(table).toMatchObject({ gameType: "LIVE", displayName: first.gameName, status: "up" });
    const picture = await fetch(server.url + first.portraitUrl);
    expect(picture.headers.get("content-type")).toMatch(/^image\/svg\+xml/);
    expect(await models("active=true&streaming=false")).toHaveLength(2);
    expect(await models("active=false&streaming=false")).toEqual([]);
    const wrong = await fetch(`${server.url}/api/v1/live-models?active=yes`);
    expect([wrong.status, (await wrong.json()).fields[0].field]).toEqual([400, "active"]);
  });
});

describe("the brand's contents", () => {
  it("[A3-22 A3-23] are fetched by type and for platform M; the type H has the content of home", async () => {
    const lists = ["banners", "player", "popup", "promotion"] as const;
    const filled = async (types: string) => {
      const value = await get(`/api/v1/announcements?platform=M&types=${types}`);
      return lists.filter((list) => value[list].length > 0);
    };
    expect(await filled("B")).toEqual(["banners"]);
    expect(await filled("PL")).toEqual(["player"]);
    expect(await filled("PU")).toEqual(["popup"]);
    expect(await filled("PR")).toEqual(["promotion"]);
    expect(await filled("H")).toEqual(["banners", "player", "popup"]);
    expect(await filled("H,PR,B")).toEqual(lists);
    const home = await get("/api/v1/announcements?types=H,B");
    expect(home.banners).toEqual((await get("/api/v1/announcements?types=B")).banners);
    for (const wrong of ["types=X", "types=A", "types=B&platform=W"]) {
      expect((await fetch(`${server.url}/api/v1/announcements?${wrong}`)).status, wrong).toBe(400);
    }
  });

  it("[G3-11] have banners with an address in each of the groups m_home and m_game", async () => {
    for (const groupName of ["m_home", "m_game"]) {
      const { banners } = await get(`/api/v1/announcements?types=B&groupName=${groupName}`);
      expect(banners.length, groupName).toBeGreaterThan(0);
      for (const banner of banners) {
        expect(banner.groupName).toBe(groupName);
        expect(banner.url).toMatch(/^\/m\//);
      }
    }
  });
});

async function get(path: string, { headers }: Caller = VISITOR) {
  const response = await fetch(server.url + path, { headers });
  const { value } = await response.json();
  return value;
}

async function send(path: string, caller: Caller, body: unknown) {
  expect((await answerTo("POST", path, caller, body)).status).toBe(200);
}

async function answerTo(method: string, path: string, { headers }: Caller, body: unknown) {
  const response = await fetch(server.url + path, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

function idOf({ nodeId }: { readonly nodeId: number }): number {
  return nodeId;
}
