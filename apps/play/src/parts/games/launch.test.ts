import type { Game } from "@perya/contract/catalogue";
import { describe, expect, it } from "vitest";
import { launchBody, leadsToVendor, lobbyBody, openingGame, wayTo } from "./launch.ts";

const HOME = { pathname: "/m/home", vassalage: undefined };
const MAPPING = [
  { vassalage: "LOTT", gameType: "LOTT" },
  { vassalage: "TCG_LOTTO_VN", gameType: "ELOTT" },
] as const;

describe("the way to a game", () => {
  it("leads to our own screen, or to the launch", () => {
    expect(wayTo(game({ houseGame: "color-game", vassalage: "BGS" }), HOME)).toBe(
      "/m/play/color-game",
    );
    expect(wayTo(game({}), HOME)).toBe("/m/launch/7");
    expect(wayTo(game({ vassalage: "TCG_SEA", gameType: "LOTT" }), HOME)).toBe("/m/launch/7");
  });

  it("[G4-06] of a game that opens its vendor leads to the page of its type, and from there to the launch", () => {
    const pages = {
      SPORTS: "/m/sport-games",
      ESPORTS: "/m/sport-games",
      COCKFIGHT: "/m/cockfight",
      LIVE: "/m/live-games",
    } as const;
    for (const [gameType, pathname] of Object.entries(pages)) {
      // The table's keys are game types.
      const given = { gameType: gameType as Game["gameType"], vassalage: "AV" };
      const one = game({ ...given, isGameH5: "VASSALAGE" });
      expect(wayTo(one, HOME)).toBe(`${pathname}?vassalage=AV`);
      expect(wayTo(one, { pathname, vassalage: "AI" })).toBe(`${pathname}?vassalage=AV`);
      expect(wayTo(one, { pathname, vassalage: "AV" })).toBe("/m/launch/7");
    }
    const lottery = game({ vassalage: "ELOTT", gameType: "ELOTT", isGameH5: "VASSALAGE" });
    expect(leadsToVendor(lottery, HOME)).toBe(false);
  });
});

describe("the body of the launch call", () => {
  it("[G7-11 G4-07] is the generic launcher's for every vendor but the lottery's", () => {
    expect(launchBody(game({ supportPlay: true }), MAPPING)).toEqual({
      gameCategory: "RNG",
      vendor: "PGE",
      gameId: "pge-7",
      nodeId: 7,
      supportFreePlay: true,
    });
    expect(launchBody(game({}), MAPPING)).toMatchObject({ supportFreePlay: false });
  });

  it("[G4-03 G4-04 G2.6-11 G2.6-13] is the lottery launcher's for lottery vendors: the lobby where a game has no code", () => {
    const lottery = (change: Partial<Game>, mapping: Parameters<typeof launchBody>[1] = MAPPING) =>
      launchBody(game({ gameType: "LOTT", ...change }), mapping);
    expect(lottery({ vassalage: "LOTT", gameCode: "L_642" })).toEqual({
      vendor: "LOTT",
      gameCode: "L_642",
      prizeMode: "ELOTT",
      playType: "trad",
    });
    expect(lottery({ vassalage: "LOTT", gameCode: "" }, [])).toMatchObject({
      gameCode: "lobby",
      prizeMode: "LOTT",
    });
    expect(lottery({ vassalage: "TCG_SEA" })).toMatchObject({ prizeMode: "SEA" });
    expect(lottery({ vassalage: "ELOTT", gameType: "ELOTT" })).toMatchObject({ playType: "ent" });
    expect(lottery({ vassalage: "LOTT", lottoMode: "Entertainment" })).toMatchObject({
      playType: "ent",
    });
  });
});

describe("a launched vendor", () => {
  it("[G2.2-09 G4-03 G4-05] sends a lottery's player to its lobby, in the play type of its category", () => {
    expect(lobbyBody("LOTT", "LOTT", MAPPING)).toEqual({
      vendor: "LOTT",
      gameCode: "lobby",
      prizeMode: "ELOTT",
      playType: "trad",
    });
    expect(lobbyBody("ELOTT", "ELOTT", [])).toMatchObject({ prizeMode: "LOTT", playType: "ent" });
    expect(lobbyBody("TCG_SEA", "LOTT", MAPPING)).toMatchObject({ prizeMode: "SEA" });
  });

  it("[G2.2-09] opens by the game that leads to its page, else by its first, and does not open without games", () => {
    const [first, lobby] = [game({ nodeId: 8 }), game({ nodeId: 9, isGameH5: "VASSALAGE" })];
    expect(openingGame([first, lobby])).toBe(lobby);
    expect(openingGame([first])).toBe(first);
    expect(openingGame([])).toBeUndefined();
  });
});

function game(change: Partial<Game>): Game {
  return {
    ...{ gameId: "pge-7", nodeId: 7, nodeName: "", gameName: "", displayName: "Laro" },
    ...{ gameType: "RNG", vassalage: "PGE", vendorName: "", gameClassify: "" },
    ...{ gameClassifyNew: "", gameCode: "PGE_7", minBet: "1.00", isNew: false, showIcon: true },
    ...{ iconUrl: "", roomId: null, supportPlay: false, freeplay: false, isGameH5: null },
    ...{ lottoMode: null, rtp: null, houseGame: null, status: "up" },
    ...change,
  };
}
