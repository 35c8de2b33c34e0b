/** An exact fraction: a game's return is counted, so it needs no rounding. */
export interface Rational {
  readonly numerator: bigint;
  /** Always above zero. */
  readonly denominator: bigint;
}

/** The fraction in lowest terms. @throws RangeError when the denominator is not above zero. */
export function rational(numerator: bigint, denominator: bigint): Rational {
  if (denominator <= 0n) throw new RangeError("a denominator must be above zero");
  const divisor = greatestCommonDivisor(numerator < 0n ? -numerator : numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** `{199, 216}` at two decimals → `92.12`: a percentage cut off, never rounded up. */
export function percentText(value: Rational, decimals: number): string {
  const scaled = (value.numerator * 100n * 10n ** BigInt(decimals)) / value.denominator;
  const digits = scaled.toString().padStart(decimals + 1, "0");
  if (decimals === 0) return digits;
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [big, small] = [a, b];
  while (small !== 0n) [big, small] = [small, big % small];
  return big;
}
