import { hottest } from "@perya/contract/hot-matches";
import { SPORTS_LOBBIES } from "@perya/contract/launch-terms";
import { hotMatch, type SportsFixture } from "@perya/contract/sports";
import type { Catalogue } from "./modules/catalogue/catalogue.ts";
import type { HotMatches } from "./modules/content/content.ts";

export function hotMatchesOf(
  catalogue: Catalogue,
  board: () => Promise<{ readonly fixtures: readonly SportsFixture[] }>,
): HotMatches {
  return async (merchant) => {
    const { fixtures } = await board();
    const lobbies = await Promise.all(
      Object.entries(SPORTS_LOBBIES).map(async ([vendor, sport]) =>
        (await catalogue.hasVendor(merchant, vendor)) ? hottest(fixtures, sport) : [],
      ),
    );
    return lobbies.flat().map((one) => hotMatch.parse(one));
  };
}
