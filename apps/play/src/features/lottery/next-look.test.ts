import type { LotteryDraw } from "@perya/contract/lottery";
import { describe, expect, it } from "vitest";
import { isDrawing, nextLookMs, nextTicketLookMs } from "./next-look.ts";

const schedule = { everyMinutes: 3 };
/** The second of a draw. */
const AT = Date.UTC(2026, 10, 21, 4);
const draw = (drawsAt: number): LotteryDraw => ({
  id: "drw_00000000000000000000000000",
  gameCode: "MABILIS_3D",
  gameName: "Mabilis 3D",
  kind: "3d",
  number: "20261121-01",
  drawsAt,
  state: "open",
  numbers: null,
  seedHash: "",
  serverSeed: null,
});

describe("the list of lotteries is read again", () => {
  it("just after the next draw", () => {
    const lottery = { schedule, next: draw(AT), last: draw(AT - 180_000) };
    expect(nextLookMs([lottery], AT - 30_000)).toBe(30_400);
    expect(nextLookMs([lottery], AT - 170_000)).toBe(60_000);
  });

  it("every 1.5 seconds while numbers are due, and for no longer than a minute", () => {
    const waiting = { schedule, next: draw(AT + 180_000), last: draw(AT - 180_000) };
    expect(isDrawing(waiting, AT + 500)).toBe(true);
    expect(nextLookMs([waiting], AT + 500)).toBe(1_500);
    expect(isDrawing(waiting, AT + 61_000)).toBe(false);
    const done = { ...waiting, last: draw(AT) };
    expect(isDrawing(done, AT + 500)).toBe(false);
    expect(nextLookMs([done], AT + 500)).toBe(60_000);
  });
});

describe("tickets are read again", () => {
  const placed = { state: "placed", drawsAt: AT } as const;

  it("just after the draw of each, and every 1.5 seconds until it is settled", () => {
    expect(nextTicketLookMs([placed, { ...placed, drawsAt: AT + 9_000 }], AT - 30_000)).toBe(
      30_400,
    );
    expect(nextTicketLookMs([placed], AT + 500)).toBe(1_500);
  });

  it("no more where no ticket waits, or one has waited for a minute", () => {
    expect(nextTicketLookMs([], AT)).toBe(false);
    expect(nextTicketLookMs([{ ...placed, state: "won" }], AT + 500)).toBe(false);
    expect(nextTicketLookMs([placed], AT + 60_000)).toBe(false);
  });
});
