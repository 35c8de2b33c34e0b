/** Stakes that a player steps through, in minor units, rising. */
export type Ladder = readonly bigint[];

/** Multiples of 20 minor units, because a line of Parol Fortune costs a twentieth. */
export const PAROL_LADDER: Ladder = pesos(1, 2, 4, 5, 10, 20, 40, 50, 100, 200, 500, 1_000, 2_000);
export const RING_LADDER: Ladder = pesos(5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000);
export const SARANGGOLA_LADDER: Ladder = pesos(
  1,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  1_000,
  2_000,
  5_000,
);
/** The values of the colour board's chips. */
export const CHIPS: Ladder = pesos(1, 5, 10, 50, 100, 500);

/** The stakes within a brand's limit; the lowest is always included. */
export function within(ladder: Ladder, maxMinor: bigint): Ladder {
  const allowed = ladder.filter((stake) => stake <= maxMinor);
  return allowed.length > 0 ? allowed : ladder.slice(0, 1);
}

/** The next stake in a direction, or the same one at the end of the ladder. */
export function stepStake(ladder: Ladder, from: bigint, direction: 1 | -1): bigint {
  if (direction === 1) return ladder.find((stake) => stake > from) ?? from;
  return ladder.findLast((stake) => stake < from) ?? from;
}

function pesos(...amounts: readonly number[]): Ladder {
  return amounts.map((amount) => BigInt(amount * 100));
}
