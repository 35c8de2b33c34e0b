import { expect, it } from "vitest";
import { fromHighToLow } from "./prize-order.ts";

it("[G3-08] the winner board runs from the highest winAmount to the lowest", () => {
  const won = (minor: string) => ({
    vo: {
      winAmount: { minor: BigInt(minor), currency: "PHP" as const },
      account: "ma***a",
      gameName: "Suwerte 3D",
      gameCode: "SUWERTE_3D",
      at: 0,
    },
  });
  // As numbers, not as texts.
  const board = fromHighToLow(["900", "12000", "12000", "3", "100000"].map(won));
  expect(board.map(({ vo }) => vo.winAmount.minor)).toEqual([100_000n, 12_000n, 12_000n, 900n, 3n]);
});
