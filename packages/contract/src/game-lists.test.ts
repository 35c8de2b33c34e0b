import { expect, it } from "vitest";
import { fixesType, listOf } from "./game-lists.ts";

it("[G2.1-01 G2.1-02 G2.1-03 G2.7-01 G2.7-02 G2.7-03 G2.7-04 G2.7-05] the path of a list fixes what it lists, whatever the query says", () => {
  const lists = {
    "/m/slot-games": { gameType: "RNG" },
    "/m/provider": { gameType: "RNG" },
    "/m/live-games": { gameType: "LIVE" },
    "/m/poker-games": { gameType: "PVP" },
    "/m/fishing-games": { gameType: "FISH" },
    "/m/sport-games": { gameType: "SPORTS" },
    "/m/lott": { gameType: "LOTT" },
    "/m/elott": { gameType: "ELOTT" },
    "/m/roulette": { gameType: "LIVE", classify: "ROU" },
    "/m/baccarat": { gameType: "LIVE", classify: "BAC" },
    "/m/inHouse": { gameType: "RNG", vendor: "BGS" },
    "/m/pg-soft": { gameType: "RNG", vendor: "PGE" },
  };
  for (const [path, list] of Object.entries(lists)) {
    expect(listOf(path, undefined), path).toEqual(list);
    expect(listOf(path, "PVP"), path).toEqual(list);
    expect(fixesType(path), path).toBe(true);
  }
});

it.each(["/m/gameList", "/m/gameCenter", "/m/slotsCenter", "/m/fav-games"])(
  "[G2.1-06 G2.7-07 G2.7-09] %s lists the type of its query, slots without one, and sports for e-sports and cockfights",
  (path) => {
    expect(listOf(path, undefined)).toEqual({ gameType: "RNG" });
    expect(listOf(path, "FISH")).toEqual({ gameType: "FISH" });
    expect(listOf(path, "ESPORTS")).toEqual({ gameType: "SPORTS" });
    expect(listOf(path, "COCKFIGHT")).toEqual({ gameType: "SPORTS" });
    expect(fixesType(path)).toBe(false);
  },
);

it("[G2.1-04] the cockfight centre takes its type from the query, and lists sports without one", () => {
  expect(listOf("/m/cockfight", undefined)).toEqual({ gameType: "SPORTS" });
  expect(listOf("/m/cockfight", "COCKFIGHT")).toEqual({ gameType: "COCKFIGHT" });
});
