/**
 * Money: an integer count of a currency's smallest unit, tied to that currency. All multiplication
 * and division of money in the project is in this file, so every rounding has a name and one place
 * where it can be read.
 */

/** ISO 4217 codes that a brand may use, and `FUN`, the trial credit that never becomes money. */
export const CURRENCIES: {
  readonly PHP: CurrencyFacts;
  readonly FUN: CurrencyFacts;
} = {
  PHP: { exponent: 2, symbol: "₱" },
  FUN: { exponent: 2, symbol: "F" },
};

export interface CurrencyFacts {
  /** Decimals of the major unit. */
  readonly exponent: number;
  readonly symbol: string;
}

export type Currency = keyof typeof CURRENCIES;

export interface Money {
  readonly minor: bigint;
  readonly currency: Currency;
}

/** Money on the wire: JSON has no integers beyond 2^53. */
export interface MoneyWire {
  readonly minor: string;
  readonly currency: Currency;
}

export type Rounding = "down" | "up" | "half-even";

/** PostgreSQL's `bigint`; no amount may leave it. */
export const MAX_MINOR = 9_223_372_036_854_775_807n;

export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(CURRENCIES, code);
}

/** The currency that a row names. @throws RangeError for any other than ours */
export function currencyOf(code: string): Currency {
  if (!isCurrency(code)) throw new RangeError(`not a currency: ${code}`);
  return code;
}

/** @throws RangeError when the amount does not fit the database's `bigint`. */
export function money(minor: bigint, currency: Currency): Money {
  if (minor > MAX_MINOR || minor < -MAX_MINOR) {
    throw new RangeError(`amount out of range: ${minor}`);
  }
  return { minor, currency };
}

export function zero(currency: Currency): Money {
  return money(0n, currency);
}

export function add(a: Money, b: Money): Money {
  assertSameCurrency(a, b);
  return money(a.minor + b.minor, a.currency);
}

export function subtract(a: Money, b: Money): Money {
  assertSameCurrency(a, b);
  return money(a.minor - b.minor, a.currency);
}

/** -1, 0 or 1, as a sort comparator wants. */
export function compare(a: Money, b: Money): -1 | 0 | 1 {
  assertSameCurrency(a, b);
  return a.minor < b.minor ? -1 : a.minor > b.minor ? 1 : 0;
}

/** `amount × factor` for a whole factor: payouts such as 3 to 1. No rounding can occur. */
export function times(amount: Money, factor: bigint): Money {
  return money(timesMinor(amount.minor, factor), amount.currency);
}

/** `times` for callers that count minor units without a currency, as the games do. */
export function timesMinor(minor: bigint, factor: bigint): bigint {
  return minor * factor;
}

/** `minor × numerator ÷ denominator`, rounded as named; exact in between. */
export function scaleMinor(
  minor: bigint,
  numerator: bigint,
  denominator: bigint,
  rounding: Rounding,
): bigint {
  return divideRounded(minor * numerator, denominator, rounding);
}

/** Integer division with a named rounding; rounding is on the magnitude, so it is symmetric. */
export function divideRounded(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  if (denominator === 0n) throw new RangeError("division by zero");
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const quotient = n / d;
  const remainder = n % d;
  const magnitude = quotient + (roundsAway(quotient, remainder, d, rounding) ? 1n : 0n);
  return negative ? -magnitude : magnitude;
}

function roundsAway(quotient: bigint, remainder: bigint, d: bigint, rounding: Rounding): boolean {
  if (remainder === 0n || rounding === "down") return false;
  if (rounding === "up") return true;
  const twice = remainder * 2n;
  return twice > d || (twice === d && quotient % 2n === 1n);
}

export function toWire(amount: Money): MoneyWire {
  return { minor: amount.minor.toString(), currency: amount.currency };
}

export function fromWire(wire: MoneyWire): Money {
  return money(BigInt(wire.minor), wire.currency);
}

/** `JSON.parse` by it has each amount in the text as `Money`. */
export function moneyReviver(_key: string, value: unknown): unknown {
  return isMoneyWire(value) ? fromWire(value) : value;
}

/** `JSON.stringify` by it writes `Money` as `toWire` does. */
export function moneyReplacer(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

function isMoneyWire(value: unknown): value is MoneyWire {
  return (
    typeof value === "object" &&
    value !== null &&
    "minor" in value &&
    typeof value.minor === "string" &&
    "currency" in value
  );
}

/**
 * `1234.5` → 123450 minor units. Accepts digits with at most the currency's decimals, with or
 * without thousands commas; anything else is null (the caller names the field).
 */
export function parseDecimal(text: string, currency: Currency): Money | null {
  const { exponent } = CURRENCIES[currency];
  const match = /^(\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.(\d*))?$/.exec(text.trim());
  if (match === null) return null;
  const fraction = match[2] ?? "";
  if (fraction.length > exponent) return null;
  return money(
    BigInt((match[1] ?? "").replaceAll(",", "") + fraction.padEnd(exponent, "0")),
    currency,
  );
}

/** `-1,234.50`: grouping and decimals, no symbol; the same in every language of the product. */
export function formatDecimal(amount: Money): string {
  const { exponent } = CURRENCIES[amount.currency];
  const digits = (amount.minor < 0n ? -amount.minor : amount.minor)
    .toString()
    .padStart(exponent + 1, "0");
  const whole = digits.slice(0, digits.length - exponent).replace(/\B(?=(\d{3})+$)/g, ",");
  const sign = amount.minor < 0n ? "-" : "";
  return exponent === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-exponent)}`;
}

/** `₱1,234.50`; the sign stands before the symbol. */
export function formatMoney(amount: Money): string {
  const text = formatDecimal(amount);
  const { symbol } = CURRENCIES[amount.currency];
  return text.startsWith("-") ? `-${symbol}${text.slice(1)}` : symbol + text;
}

function assertSameCurrency(a: Money, b: Money): void {
  if (a.currency !== b.currency) {
    throw new TypeError(`currencies differ: ${a.currency}, ${b.currency}`);
  }
}
