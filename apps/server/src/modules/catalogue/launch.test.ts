import type { GameType } from "@perya/contract/catalogue";
import type { LaunchBody } from "@perya/contract/launch";
import { isLotteryVendor } from "@perya/contract/launch-terms";
import { refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { describe, expect, it } from "vitest";
import { codeOf } from "../../../../../tests/server/answers.ts";
import {
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
} from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import type { Session } from "../identity/identity.ts";
import {
  Catalogue,
  gameReply,
  insertGames,
  insertLiveModels,
  insertVendors,
  type NewGame,
} from "./catalogue.ts";
import { Launcher } from "./launch.ts";

const clock = manualClock();
const TYPES = [0, 1, 2, 4, 40, 41, 42] as const;
const CONNECTED = ["PGE", "AV", "SV3"];
/** Vendor, type and what launches look at; in the order of the nodes from 1. */
const GAMES: readonly (Partial<NewGame> & { vendor: string; gameType: GameType })[] = [
  { vendor: "BGS", gameType: "RNG", houseGame: "parol-fortune", supportPlay: true, freeplay: true },
  { vendor: "BGS", gameType: "RNG" },
  { vendor: "PGE", gameType: "RNG", freeplay: true },
  { vendor: "PGE", gameType: "RNG", supportPlay: true },
  { vendor: "PGE", gameType: "RNG" },
  { vendor: "LWY", gameType: "RNG", freeplay: true },
  { vendor: "ANI", gameType: "RNG", freeplay: true },
  { vendor: "AV", gameType: "ESPORTS", isGameH5: "VASSALAGE" },
  { vendor: "SV3", gameType: "COCKFIGHT", isGameH5: "VASSALAGE" },
  { vendor: "TCG_SEA", gameType: "LOTT", gameCode: "SEA_3D", lottoMode: "Tradition" },
  { vendor: "LOTT", gameType: "LOTT", gameCode: "L_642" },
  { vendor: "TCG_LOTTO_VN", gameType: "ELOTT", gameCode: "VN_5D", lottoMode: "Entertainment" },
  { vendor: "ELOTT", gameType: "ELOTT", gameCode: "E_KENO", freeplay: true },
  { vendor: "LRO", gameType: "SPORTS", supportPlay: true },
  { vendor: "IA", gameType: "ESPORTS", supportPlay: true },
];

const players = new Map<number, Session>();

const db = await databaseOfFile();
const ledger = ledgerOfFile(db);
const catalogue = new Catalogue(db.pool, clock, (vendor) => CONNECTED.includes(vendor));
const launcher = new Launcher(
  catalogue,
  async ({ session, language }, game) =>
    `${game.vendor} ${game.game_id} ${session.type} ${language}`,
);
const merchant = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: false } } });
/** The same games, and no ELOTT entry for TCG_LOTTO_VN or LOTT; cockfights are on. */
const traditional = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: true } } });
for (const brand of [merchant, traditional]) {
  const games = GAMES.filter(({ vendor }) => brand === merchant || vendor !== "TCG_LOTTO_VN");
  const vendors = new Map(games.map((one) => [one.vendor, one.gameType]));
  await insertVendors(
    db.pool,
    brand.id,
    [...vendors].map(([code, gameType]) => ({
      code,
      gameType,
      displayName: code,
      status: code === "LWY" ? ("maintenance" as const) : ("up" as const),
    })),
  );
  await insertGames(db.pool, brand.id, games.map(newGame));
}
for (const type of TYPES) {
  const made = await makeMember({ pool: db.pool, ledger, clock }, merchant, { type });
  players.set(type, made);
}

describe("the generic launcher", () => {
  it("[G4-07 G7-11] takes what names the game and leads to our own screen or to its vendor", async () => {
    expect(await launch(0, await generic(1))).toBe("page /m/play/parol-fortune");
    expect(await launch(0, await generic(3))).toBe("vendor PGE game-3 0 EN");
    expect(await launch(0, await generic(5))).toBe("vendor PGE game-5 0 EN");
    expect(await launch(0, await generic(8))).toBe("vendor AV game-8 0 EN");
    expect(await launch(0, await generic(14))).toBe("page /m/sportsLobby?sport=football");
    expect(await launch(4, await generic(15))).toBe("page /m/sportsLobby?sport=esports");
  });

  it("refuses a field that is not the game's, a missing one and the lottery's, by name", async () => {
    const body = await generic(3);
    const wrong: readonly [change: Partial<LaunchBody>, said: string][] = [
      [{ vendor: "AV" }, "vendor mismatch"],
      [{ gameCategory: "LIVE" }, "gameCategory mismatch"],
      [{ gameId: "game-4" }, "gameId mismatch"],
      [{ supportFreePlay: false }, "supportFreePlay mismatch"],
      [{ nodeId: 4 }, "gameId mismatch"],
      [{ nodeId: 99 }, "not_found"],
      [{ prizeMode: "LOTT" }, "prizeMode not_allowed"],
      [{ gameCode: "lobby" }, "gameCode not_allowed"],
    ];
    for (const [change, said] of wrong) expect(await launch(0, { ...body, ...change })).toBe(said);
    for (const field of ["gameCategory", "gameId", "nodeId", "supportFreePlay"] as const) {
      const { [field]: _, ...rest } = body;
      expect(await launch(0, rest)).toBe(`${field} required`);
    }
  });

  it("answers maintenance for a vendor whose connection goes while it is asked for its address", async () => {
    const gone = new Launcher(catalogue, async () => null);
    const session = present(players.get(0) ?? null, "a member");
    const result = await gone.launch(merchant, session, await generic(3), "EN");
    expect(codeOf(result)).toBe("maintenance");
  });

  it("answers maintenance for a vendor that is down and for one that is not connected", async () => {
    for (const nodeId of [2, 6, 7]) {
      expect(await launch(0, await generic(nodeId)), `node ${nodeId}`).toBe("maintenance");
    }
  });

  it("starts accounts without real money in games that can be played for free, and in no others", async () => {
    for (const type of TYPES) {
      const real = [0, 1, 2].includes(type);
      for (const [nodeId, free] of [
        [1, true],
        [3, true],
        [4, true],
        [5, false],
        [8, false],
      ] as const) {
        const said = await launch(type, await generic(nodeId));
        const opens = real || free;
        expect(said === "real_account_needed", `type ${type}, node ${nodeId}: ${said}`).toBe(
          !opens,
        );
        expect(/^(page|vendor) /.test(said)).toBe(opens);
      }
    }
  });

  it("opens no vendor's page for a blocked member, whose bets it would refuse", async () => {
    const deps = { pool: db.pool, ledger, clock };
    const blocked = await makeMember(deps, merchant, { blocked: true });
    const opened = await launcher.launch(merchant, blocked, await generic(3), "EN");
    expect(opened).toEqual({ ok: false, error: refusal("member_blocked") });
  });

  it("knows no cockfight if the brand has it off", async () => {
    const body = await generic(9, traditional);
    expect(await launch(0, body)).toBe("not_found");
    expect(await launch(0, body, traditional)).toBe("vendor SV3 game-9 0 EN");
  });

  it("and a bet on the game are open to the same accounts, and the list says so", async () => {
    for (let nodeId = 1; nodeId <= GAMES.length; nodeId++) {
      if (nodeId === 9) continue;
      const game = present(await catalogue.game(merchant, nodeId), "a game");
      for (const type of TYPES) {
        const said = await launch(type, await bodyOf(nodeId));
        const bet = { vendor: game.vendor, gameId: game.game_id };
        const closed = await catalogue.playRefusal(merchant, type, bet);
        expect(closed?.code ?? "open", `type ${type}, node ${nodeId}`).toBe(
          /^(page|vendor) /.test(said) ? "open" : said,
        );
      }
      const { status } = gameReply(game, merchant);
      expect(status).toBe(
        (await launch(0, await bodyOf(nodeId))) === "maintenance" ? "maintenance" : "up",
      );
    }
    const other = { vendor: "AV", gameId: "game-3" };
    expect(await catalogue.playRefusal(merchant, 0, other)).toEqual({ code: "not_found" });
  });

  it("and the list of vendors agree on which can be played", async () => {
    const vendors = await catalogue.vendors(merchant);
    const open = vendors.filter(({ status }) => status === "up").map(({ code }) => code);
    expect(open.sort()).toEqual(
      ["AV", "BGS", "ELOTT", "IA", "LOTT", "LRO", "PGE", "TCG_LOTTO_VN", "TCG_SEA"].sort(),
    );
  });
});

describe("a dealer at a live table", () => {
  it("is on the air if the vendor is up and connected, by active and streaming", async () => {
    const model = (id: string, nodeId: number, active: boolean, streaming: boolean) => ({
      ...{ id, name: id, nodeId, active, streaming },
    });
    await insertLiveModels(db.pool, merchant.id, [
      model("tala", 3, true, true),
      model("hiraya", 4, true, false),
      model("amihan", 6, true, true),
      model("bituin", 7, true, true),
      model("ligaya", 5, false, false),
    ]);
    const shown = async (active: boolean, streaming: boolean, brand = merchant) =>
      (await catalogue.liveModels(brand, { active, streaming })).map(({ id }) => id);
    expect(await shown(true, true)).toEqual(["tala"]);
    expect(await shown(true, false)).toEqual(["hiraya", "amihan", "bituin"]);
    expect(await shown(false, false)).toEqual(["ligaya"]);
    expect(await shown(false, true)).toEqual([]);
    expect(await shown(true, true, traditional)).toEqual([]);
    const onAirUnasked = insertLiveModels(db.pool, merchant.id, [model("x", 3, false, true)]);
    await expect(onAirUnasked).rejects.toThrow(/live_models_check/);
  });
});

describe("the lottery launcher", () => {
  it("[G4-02 G4-03 G4-04 G4-05] takes vendor, game code, prize mode and play type for the lottery's vendors", async () => {
    expect(await launch(0, lottery(10))).toBe(
      "page /m/lottery?vendor=TCG_SEA&gameCode=SEA_3D&prizeMode=SEA&playType=trad",
    );
    expect(await launch(0, lottery(12))).toBe(
      "page /m/lottery?vendor=TCG_LOTTO_VN&gameCode=VN_5D&prizeMode=ELOTT&playType=ent",
    );
    const lobby = {
      vendor: "ELOTT",
      gameCode: "lobby",
      prizeMode: "ELOTT",
      playType: "ent",
    } as const;
    expect(await launch(0, lobby)).toBe(
      "page /m/lottery?vendor=ELOTT&gameCode=lobby&prizeMode=ELOTT&playType=ent",
    );
  });

  it("[G2.6-11 G2.6-12 G2.6-13] has the prize mode of the brand's vendors: ELOTT, LOTT, and SEA for TCG_SEA alone", async () => {
    const body = lottery(11);
    expect(await launch(0, { ...body, prizeMode: "ELOTT" })).toMatch(/^page /);
    expect(await launch(0, { ...body, prizeMode: "LOTT" }, traditional)).toMatch(/^page /);
    for (const prizeMode of ["ZY", "SEA", "LOTT"] as const) {
      expect(await launch(0, { ...body, prizeMode })).toBe("prizeMode mismatch");
    }
    expect(await launch(0, { ...body, prizeMode: "ELOTT" }, traditional)).toBe(
      "prizeMode mismatch",
    );
    expect(await launch(0, { ...lottery(10), prizeMode: "ELOTT" })).toBe("prizeMode mismatch");
    expect(await launch(0, { ...body, playType: "ent" })).toBe("playType mismatch");
    expect(await launch(0, { ...lottery(12), playType: "trad" })).toBe("playType mismatch");
    const lobby = { vendor: "LOTT", gameCode: "lobby", prizeMode: "ELOTT" } as const;
    expect(await launch(0, { ...lobby, playType: "ent" })).toBe("playType mismatch");
    expect(await launch(0, { ...lobby, playType: "trad" })).toMatch(/^page /);
  });

  it("refuses what is missing, the generic launcher's fields, and a wrong game or vendor", async () => {
    const body = lottery(10);
    for (const field of ["gameCode", "prizeMode", "playType"] as const) {
      const { [field]: _, ...rest } = body;
      expect(await launch(0, rest)).toBe(`${field} required`);
    }
    expect(await launch(0, { ...body, nodeId: 10 })).toBe("nodeId not_allowed");
    expect(await launch(0, { ...body, gameCode: "L_642" })).toBe("not_found");
    const lobby = { vendor: "TCG_LOTTO_VN", gameCode: "lobby", playType: "ent" } as const;
    expect(await launch(0, { ...lobby, prizeMode: "LOTT" }, traditional)).toBe("not_found");
  });

  it("starts accounts without real money in games that can be played for free, never in a lobby", async () => {
    for (const type of TYPES) {
      const real = [0, 1, 2].includes(type);
      expect(await launch(type, lottery(13))).toMatch(/^page /);
      const refused = real ? /^page / : /^real_account_needed$/;
      expect(await launch(type, lottery(10))).toMatch(refused);
      const lobby = { ...lottery(13), gameCode: "lobby" };
      expect(await launch(type, lobby)).toMatch(refused);
    }
  });

  it("answers maintenance for a vendor that is down, for a game and for the lobby", async () => {
    const set = (status: string) =>
      db.pool.query("UPDATE vendors SET status = $2 WHERE merchant_id = $1 AND code = 'TCG_SEA'", [
        merchant.id,
        status,
      ]);
    await set("maintenance");
    expect(await launch(0, lottery(10))).toBe("maintenance");
    expect(await launch(0, { ...lottery(10), gameCode: "lobby" })).toBe("maintenance");
    await set("up");
  });
});

async function launch(type: number, body: LaunchBody, brand = merchant): Promise<string> {
  const session = present(players.get(type) ?? null, "a player of the type");
  const result = await launcher.launch(brand, session, body, "EN");
  if (!result.ok) return codeOf(result);
  const { value } = result;
  return value.opens === "page" ? `page ${value.path}` : `vendor ${value.url}`;
}

/** What the client sends for the game of a node. */
async function generic(nodeId: number, brand = merchant): Promise<LaunchBody> {
  const game = gameReply(present(await catalogue.game(brand, nodeId), "a game"), brand);
  return {
    gameCategory: game.gameType,
    vendor: game.vassalage,
    gameId: game.gameId,
    nodeId,
    supportFreePlay: game.supportPlay || game.freeplay,
  };
}

function bodyOf(nodeId: number): Promise<LaunchBody> {
  const body = lottery(nodeId);
  return isLotteryVendor(body.vendor) ? Promise.resolve(body) : generic(nodeId);
}

function lottery(nodeId: number): LaunchBody & { readonly gameCode: string } {
  const game = present(GAMES[nodeId - 1] ?? null, "a game");
  return {
    vendor: game.vendor,
    gameCode: game.gameCode ?? "",
    prizeMode: game.vendor === "TCG_SEA" ? "SEA" : "ELOTT",
    playType: game.gameType === "ELOTT" ? "ent" : "trad",
  };
}

function newGame(given: (typeof GAMES)[number]): NewGame {
  const nodeId = GAMES.indexOf(given) + 1;
  return {
    nodeId,
    gameId: given.houseGame ?? `game-${nodeId}`,
    name: `Game ${nodeId}`,
    vendorName: given.vendor,
    classify: "",
    gameCode: `G_${nodeId}`,
    minBetMinor: 100,
    isNew: false,
    supportPlay: false,
    freeplay: false,
    isGameH5: null,
    lottoMode: null,
    rtp: null,
    houseGame: null,
    sort: nodeId,
    hotSort: null,
    ...given,
  };
}
