import type { HotMatch } from "./sports.ts";

/** Home has room for three matches per sport. */
const SHOWN = 3;

/** The matches of a sport that are live, the latest begun first, then those that come next. */
export function hottest<M extends HotMatch>(
  matches: readonly M[],
  sport: HotMatch["sport"],
): readonly M[] {
  const own = matches.filter((one) => one.sport === sport);
  const live = own.filter(({ phase }) => phase === "live").sort((a, b) => b.startsAt - a.startsAt);
  const next = own.filter(({ phase }) => phase === "next").sort((a, b) => a.startsAt - b.startsAt);
  return [...live, ...next].slice(0, SHOWN);
}
