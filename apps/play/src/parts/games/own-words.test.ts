import { expect, it } from "vitest";
import { withoutWords } from "./own-words.ts";

it.each([
  ["/m/search?q=gold", "/m/search"],
  ["/m/gameList?gameType=LIVE&name=%22gold%22&minBet=5", "/m/gameList?gameType=LIVE"],
  ["/m/launch?vassalage=EVO&gameType=LIVE", "/m/launch?vassalage=EVO&gameType=LIVE"],
  ["/m/home", "/m/home"],
])("%s has no words that were searched for as %s", (path, rest) => {
  expect(withoutWords(path)).toBe(rest);
});
