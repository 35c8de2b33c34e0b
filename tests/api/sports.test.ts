import { describe, expect, it } from "vitest";
import type { Game } from "../../packages/contract/src/catalogue.ts";
import type { SportsFixture } from "../../packages/contract/src/sports.ts";
import { freshId, logIn, sendTo, serverOfFile } from "./running-server.ts";

const server = await serverOfFile();

async function read(path: string) {
  const { status, json } = await sendTo(server, "GET", `/api/v1/${path}`, { host: "localhost" });
  expect(status, `${path}: ${JSON.stringify(json)}`).toBe(200);
  return json.value;
}

describe("the demo brand's own sports", () => {
  it("[G1-02] are first in the list of sports, one entry per lobby", async () => {
    const { games }: { games: Game[] } = await read("games?gameType=SPORTS");
    expect(games.slice(0, 2).map(({ vassalage }) => vassalage)).toEqual(["LRO", "IA"]);
    expect(games.filter(({ vassalage }) => ["LRO", "IA"].includes(vassalage))).toHaveLength(2);
    for (const { status, supportPlay } of games.slice(0, 2)) {
      expect([status, supportPlay]).toEqual(["up", true]);
    }
  });

  it("are on the board with their odds, and without their seeds", async () => {
    const { now, fixtures }: { now: number; fixtures: SportsFixture[] } =
      await read("sports/board");
    for (const sport of ["football", "esports"]) {
      const next = fixtures.filter((one) => one.sport === sport && one.phase === "next");
      expect(next.length).toBeGreaterThanOrEqual(7);
      for (const { startsAt, markets, serverSeed } of next) {
        expect(startsAt).toBeGreaterThan(now - 5_000);
        expect(markets[0]?.market).toBe("result");
        expect(serverSeed).toBeNull();
      }
    }
  });

  it("refuse a bet whose odds fell, and answer the current odds", async () => {
    const { headers } = await logIn(server, "maria");
    const { fixtures }: { fixtures: SportsFixture[] } = await read("sports/board");
    const fixture = fixtures.findLast(({ phase }) => phase === "next");
    const offered = fixture?.markets[0]?.selections[0]?.odds ?? 0;
    const leg = { fixtureId: fixture?.id, market: "result", selection: "home", odds: offered + 10 };
    const body = { id: freshId("bet"), legs: [leg], stake: { minor: "100", currency: "PHP" } };
    const path = "/api/v1/sports/bets";
    const { status, json } = await sendTo(server, "POST", path, {
      host: "localhost",
      headers,
      body,
    });
    expect(status).toBe(409);
    expect(json).toMatchObject({ code: "odds_changed", odds: [offered] });
  });
});
