import type { LotteryGame } from "@perya/contract/lottery";
import { describe, expect, it } from "vitest";
import {
  type Draft,
  draftFault,
  emptyDraft,
  linesToBuy,
  luckyPick,
  maxLineStake,
  tapNumber,
  ticketPrice,
  wholeLine,
  withLine,
} from "./ticket-draft.ts";

const tapped = (kind: "3d" | "6-49", draft: Draft, ...numbers: number[]) =>
  numbers.reduce((now, number) => tapNumber(kind, now, number), draft);

describe("a lottery ticket's draft", () => {
  it("takes digits in their order, repeats included, and no more than three", () => {
    const draft = tapped("3d", emptyDraft("3d"), 7, 0, 7, 9);
    expect(draft.picked).toEqual([7, 0, 7]);
    expect(wholeLine("3d", draft)).toEqual({ play: "straight", numbers: [7, 0, 7] });
  });

  it("takes six numbers of forty-nine, and a second tap removes one", () => {
    const draft = tapped("6-49", emptyDraft("6-49"), 49, 1, 2, 3, 1, 4, 5, 6, 7);
    expect(draft.picked).toEqual([49, 2, 3, 4, 5, 6]);
    expect(wholeLine("6-49", tapped("6-49", draft, 49))).toBeNull();
  });

  it("buys the whole line in hand with those on the ticket, unless the ticket may not hold it", () => {
    const one = withLine(emptyDraft("3d"), { play: "rambol", numbers: [3, 2, 1] });
    const twin = { ...tapped("3d", one, 1, 2, 3), play: "rambol" as const };
    expect(draftFault("3d", one.lines, { play: "rambol", numbers: [1, 2, 3] }, 10)).toBe(
      "same_line",
    );
    expect(linesToBuy("3d", twin, 10)).toHaveLength(1);
    expect(linesToBuy("3d", { ...twin, play: "straight" }, 10)).toHaveLength(2);
    expect(linesToBuy("3d", { ...twin, play: "straight" }, 1)).toHaveLength(1);
    expect(draftFault("3d", [], { play: "rambol", numbers: [4, 4, 4] }, 10)).toBe("no_orders");
  });

  it("draws a lucky pick by the rules", () => {
    const draws = [5, 5, 5, 6, 7, 8, 9, 10];
    const below = () => draws.shift() ?? 0;
    expect(luckyPick("3d", "rambol", below)).toEqual([5, 6, 7]);
    const all = [48, 48, 0, 9, 8, 7, 6];
    expect(luckyPick("6-49", "six", () => all.shift() ?? 0)).toEqual([1, 7, 8, 9, 10, 49]);
  });

  it("steps its stake along whole pesos, and down to the most that its lines may cost", () => {
    const php = (minor: string) => ({ minor: BigInt(minor), currency: "PHP" as const });
    const bets = [{ bet: "straight", maxStake: php("1050"), returnPercent: "80", prizes: [] }];
    const game = {
      ...{ gameCode: "SUWERTE_3D", gameId: "lott-suwerte-3d", nodeId: 1, name: "Suwerte 3D" },
      ...{ vendor: "LOTT", kind: "3d", playType: "trad", prizeMode: "LOTT", open: true },
      ...{ schedule: { hours: [14] }, bets, maxStake: php("3000") },
    } as const satisfies Omit<LotteryGame, "bets"> & { bets: unknown };
    const line = { play: "straight" as const, numbers: [1, 2, 3] };
    const price = (lines: number, wish: bigint, more: Partial<LotteryGame> = {}) => {
      const of = { ...game, bets: [...bets] as LotteryGame["bets"], ...more };
      const { total, ...stakes } = ticketPrice(of, Array(lines).fill(line), wish, "PHP");
      return { ...stakes, totalMinor: total.minor };
    };
    expect(price(2, 500n)).toEqual({ each: 500n, totalMinor: 1_000n, less: 200n, more: 1_000n });
    expect(price(1, 1_000n)).toEqual({ each: 1_000n, totalMinor: 1_000n, less: 500n, more: null });
    expect(price(1, 1_050n)).toMatchObject({ each: 1_050n, less: 1_000n, more: null });
    expect(price(1, 2_000n)).toMatchObject({ each: 1_000n });
    expect(price(4, 1_000n)).toEqual({ each: 500n, totalMinor: 2_000n, less: 200n, more: null });
    expect(price(0, 100n)).toEqual({ each: 100n, totalMinor: 0n, less: null, more: 200n });
    // Less than the smallest stake remains: the stake is the rest.
    const tight = { maxStake: php("90") };
    expect(price(1, 100n, tight)).toEqual({ each: 90n, totalMinor: 90n, less: null, more: null });
  });

  it("costs no more per line and in all than the brand's limits", () => {
    const php = (minor: string) => ({ minor: BigInt(minor), currency: "PHP" as const });
    const bet = (name: "straight" | "rambol6", most: string) => ({
      bet: name,
      maxStake: php(most),
      returnPercent: "80.00",
      prizes: [],
    });
    const game: LotteryGame = {
      gameCode: "SUWERTE_3D",
      gameId: "lott-suwerte-3d",
      nodeId: 1,
      name: "Suwerte 3D",
      vendor: "LOTT",
      kind: "3d",
      playType: "trad",
      prizeMode: "LOTT",
      open: true,
      schedule: { hours: [14] },
      bets: [bet("straight", "1000"), bet("rambol6", "4000")],
      maxStake: php("6000"),
    };
    const straight = { play: "straight" as const, numbers: [1, 2, 3] };
    const rambol = { play: "rambol" as const, numbers: [1, 2, 3] };
    expect(maxLineStake(game, [])).toBe(1_000n);
    expect(maxLineStake(game, [rambol])).toBe(4_000n);
    expect(maxLineStake(game, [rambol, straight])).toBe(1_000n);
    expect(maxLineStake(game, [rambol, rambol, rambol])).toBe(2_000n);
  });
});
