import type { ListedLottery, LotteryTicket } from "@perya/contract/lottery";
import { drawTimes } from "@perya/games/lottery-games";

/** How long the numbers of a late draw are polled. */
const IMPATIENT_MS = 60_000;
const ASK_AGAIN_MS = 1_500;
const AFTER_DRAW_MS = 400;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 60_000;

type Drawn = Pick<ListedLottery, "schedule" | "next" | "last">;

/** Whether a draw is due and its numbers are not known. */
export function isDrawing({ schedule, last }: Omit<Drawn, "next">, nowMs: number): boolean {
  const due = drawTimes(schedule, nowMs - IMPATIENT_MS, nowMs).at(-1);
  return due !== undefined && (last === null || last.drawsAt < due);
}

/** Milliseconds until the next read of the list: just after the next draw, or soon. */
export function nextLookMs(list: readonly Drawn[], nowMs: number): number {
  const waits = list.map((lottery) => {
    if (isDrawing(lottery, nowMs)) return ASK_AGAIN_MS;
    if (lottery.next === null) return LONGEST_MS;
    return lottery.next.drawsAt - nowMs + AFTER_DRAW_MS;
  });
  return Math.max(SHORTEST_MS, Math.min(LONGEST_MS, ...waits));
}

/** Milliseconds until the next read of tickets; false when none waits for its draw. */
export function nextTicketLookMs(
  tickets: readonly Pick<LotteryTicket, "state" | "drawsAt">[],
  nowMs: number,
): number | false {
  const waits = tickets.flatMap(({ state, drawsAt }) =>
    // The numbers may be known a moment before their tickets are paid.
    state === "placed" && nowMs - drawsAt < IMPATIENT_MS
      ? [Math.max(ASK_AGAIN_MS, drawsAt - nowMs + AFTER_DRAW_MS)]
      : [],
  );
  return waits.length > 0 && Math.min(...waits);
}
