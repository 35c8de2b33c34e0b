import { SPORTS_LOBBIES } from "@perya/contract/launch-terms";
import { type Given, oneOf, present } from "../../shell/search-fields.ts";

/** The sports of our own lobbies. */
export type Sport = (typeof SPORTS_LOBBIES)[keyof typeof SPORTS_LOBBIES];
const SPORTS_PARTS = ["matches", "bets", "results"] as const;
export type SportsPart = (typeof SPORTS_PARTS)[number];

export function readSportsSearch(given: Given): { sport?: Sport; part?: SportsPart } {
  return present({
    sport: oneOf(Object.values(SPORTS_LOBBIES), given.sport),
    part: oneOf(SPORTS_PARTS, given.part),
  });
}
