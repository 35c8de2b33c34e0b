import { expect, it } from "vitest";
import { withoutWords } from "./own-words.ts";

it.each([
  ["/m/search?q=gold", "/m/search"],
  ["/m/gameList?gameType=LIVE&name=%22gold%22&minBet=5", "/m/gameList?gameType=LIVE"],
  ["/m/launch?vassalage=EVO&gameType=LIVE", "/m/launch?vassalage=EVO&gameType=LIVE"],
  ["/m/home", "/m/home"],
])("%s without the typed search texts is %s", (path, rest) => {
  expect(withoutWords(path)).toBe(rest);
});
