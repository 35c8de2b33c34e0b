import { expect, it } from "vitest";
import { hottest } from "./hot-matches.ts";
import type { HotMatch } from "./sports.ts";

it("hot matches are three per sport: live ones first, the latest begun leading, then the next to come", () => {
  const board = [
    match("over", 1),
    match("live", 2),
    match("live", 3),
    match("next", 5),
    match("next", 4),
    match("voided", 6),
    match("live", 7, "esports"),
  ];
  expect(hottest(board, "football").map(({ startsAt }) => startsAt)).toEqual([3, 2, 4]);
  expect(hottest(board, "esports").map(({ startsAt }) => startsAt)).toEqual([7]);
  expect(hottest([match("over", 1)], "football")).toEqual([]);
});

function match(
  phase: HotMatch["phase"],
  startsAt: number,
  sport: HotMatch["sport"] = "football",
): HotMatch {
  const sides = { home: "Bukidnon", away: "Siargao" };
  const score = { home: 0, away: 0 };
  return { id: `fix_${startsAt}`, sport, ...sides, startsAt, phase, score };
}
