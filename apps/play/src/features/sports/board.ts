import type { ChannelEvent } from "@perya/contract/socket";
import type { SportsBoardState, SportsFixture } from "@perya/contract/sports";
import type { Market, Selection } from "@perya/games/sports";

/** The board after an event of its channel: changed matches replace the old ones. */
export function boardAfter(
  board: SportsBoardState,
  { now, changed, gone }: ChannelEvent<"sports">,
): SportsBoardState {
  const replaced = new Set([...gone, ...changed.map(({ id }) => id)]);
  const kept = board.fixtures.filter(({ id }) => !replaced.has(id));
  return { now, fixtures: [...kept, ...changed].sort(byStart) };
}

/** Live matches and those just over, the latest start first; and coming ones, next first. */
export function sectionsOf(
  fixtures: readonly SportsFixture[],
  sport: SportsFixture["sport"],
): { readonly live: readonly SportsFixture[]; readonly next: readonly SportsFixture[] } {
  const own = fixtures.filter((one) => one.sport === sport);
  const begun = own.filter(({ phase }) => phase !== "next").sort((a, b) => byStart(b, a));
  const over = begun.filter(({ phase }) => phase !== "live");
  const next = own.filter(({ phase }) => phase === "next").sort(byStart);
  return { live: [...begun.filter(({ phase }) => phase === "live"), ...over], next };
}

/** The odds offered on a selection, in thousandths, or null. */
export function offeredOn(
  fixture: SportsFixture | undefined,
  market: Market,
  selection: Selection,
): number | null {
  const found = fixture?.markets.find((one) => one.market === market);
  return found?.selections.find((one) => one.selection === selection)?.odds ?? null;
}

/** `1.88`: odds as players read them, thousandths cut to hundredths. */
export function oddsText(odds: number): string {
  return (Math.floor(odds / 10) / 100).toFixed(2);
}

function byStart(a: SportsFixture, b: SportsFixture): number {
  return a.startsAt - b.startsAt || a.id.localeCompare(b.id);
}
