import { type IdKind, idPattern } from "@perya/kernel/ids";
import {
  CURRENCIES,
  type Currency,
  fromWire,
  type Money,
  type MoneyWire,
} from "@perya/kernel/money";
import { z } from "zod";

/** Schemas of values that many calls share. */

const currencyCodes = Object.keys(CURRENCIES) as [Currency, ...Currency[]]; // keys of a closed table

export const currencyWire = z.enum(currencyCodes);

/**
 * Any amount that the server answers, which its reader has as `Money`. 19 digits: PostgreSQL's
 * bigint.
 */
export const moneyWire = moneyOf(/^-?\d{1,19}$/);

/** An amount that a caller sends: positive, at most 15 digits of minor units. It is read as `Money`. */
export const positiveMoneyWire = moneyOf(/^[1-9]\d{0,14}$/);

/** The same, or nothing. */
export const givenMoneyWire = moneyOf(/^(?:0|[1-9]\d{0,14})$/);

/** What a reader has, in its form on the wire, which the server sends. */
export type OnWire<T> = T extends Money
  ? MoneyWire
  : T extends object
    ? { [K in keyof T]: OnWire<T[K]> }
    : T;

export function idWire<K extends IdKind>(kind: K) {
  return z.string().regex(idPattern(kind));
}

/** Milliseconds since the epoch. */
export const instantWire = z.number().int().min(0).max(8_640_000_000_000_000);

/**
 * Characters that other people or the player read: none that reverse a line, are invisible or break
 * it (Unicode's controls, format characters, line separators and letters without a shape), and no
 * more marks per letter than any language has, since those reach into other lines.
 */
const SHOWN_LINE =
  /^\p{M}{0,6}(?:[^\p{M}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]\p{M}{0,6})*$/u;
/** The same for several lines; U+200D only joins pictures that a keyboard makes of several. */
const SHOWN_LINES =
  /^\p{M}{0,6}(?:(?:[^\p{M}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|[\t\n\r\u200d])\p{M}{0,6})*$/u;

/** A line of free text: a name, a reason. */
export const shownLine = z.string().trim().regex(SHOWN_LINE);
/** Free text of several lines: a message, a remark. */
export const shownLines = z.string().regex(SHOWN_LINES);

const CURSOR_MAX = 200;

/** Keyset paging: the cursor of the last row seen, opaque to the caller. */
export const pageQuery = {
  cursor: z
    .string()
    .max(CURSOR_MAX)
    .regex(/^[A-Za-z0-9_-]*$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(50).default(20),
};

/** A page may be short or empty and still have a next one: only the last page has no cursor. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** Calendar day in the brand's zone. */
export const dayWire = z.iso.date();

export const languageWire = z.string().regex(/^[A-Z]{2}(?:_[A-Z]{2})?$/);

function moneyOf(minor: RegExp) {
  return z
    .strictObject({ minor: z.string().regex(minor), currency: currencyWire })
    .transform(fromWire);
}
