import { fieldRefusal, type Refusal } from "@perya/contract/refusal";
import type { Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";

/** A keyset position as opaque text; its form may change at any time. */
export function encodeCursor(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

export function isCursorInstant(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LAST_MS;
}

const LAST_MS = 253_402_300_799_999;

/** Later than any row, within PostgreSQL's timestamps: for lists that are read newest first. */
export const FAR_FUTURE = 32_503_680_000_000;

/** Whether a value can be an id in a cursor; a text with `\0`, which no column can hold, cannot. */
export function isCursorId(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e]{1,100}$/.test(value);
}

export function isCursorNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Whether a value is a position: an object whose fields pass these checks. */
export function isPositionOf<T extends object>(
  fields: {
    readonly [K in keyof T]: (value: unknown) => value is T[K];
  },
) {
  const checks = Object.entries<(value: unknown) => boolean>(fields);
  return (value: unknown): value is T =>
    typeof value === "object" &&
    value !== null &&
    checks.every(([name, fits]) => fits(Reflect.get(value, name)));
}

/** The positions of lists that are sorted by time, by id, and by time and then id. */
export const isTimePosition = isPositionOf({ at: isCursorInstant });
export const isIdPosition = isPositionOf({ id: isCursorId });
export interface TimeAndId {
  readonly at: Instant;
  readonly id: string;
}
export const isTimeAndIdPosition = isPositionOf({ at: isCursorInstant, id: isCursorId });

/** Null for no cursor; a refusal that names the field for one that is not ours. */
export function decodeCursor<T>(
  cursor: string | undefined,
  isPosition: (value: unknown) => value is T,
): Result<T | null, Refusal> {
  if (cursor === undefined || cursor === "") return ok(null);
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (isPosition(value)) return ok(value);
  } catch {
    // Falls through to the refusal: a text that is no JSON is no cursor of ours.
  }
  return refuse(fieldRefusal("cursor", "bad_format"));
}

/**
 * A page of a list, and where the next one begins.
 * @param rows one more than the page shows, if there are as many
 */
export function paged<Row, Reply>(
  rows: readonly Row[],
  limit: number,
  replyOf: (row: Row) => Reply,
  positionOf: (row: Row) => object,
): { items: Reply[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items: shown.map(replyOf), nextCursor: more ? encodeCursor(positionOf(last)) : null };
}

/** Answers the page of a list that a call asks for; `read` is given one row more than it shows. */
export async function pageOf<Position extends object, Row, Reply>(
  query: { readonly cursor?: string | undefined; readonly limit: number },
  isPosition: (value: unknown) => value is Position,
  read: (from: Position | null, limit: number) => Promise<readonly Row[]>,
  replyOf: (row: Row) => Reply,
  positionOf: (row: Row) => Position,
) {
  const from = decodeCursor(query.cursor, isPosition);
  if (!from.ok) return from;
  return ok(paged(await read(from.value, query.limit + 1), query.limit, replyOf, positionOf));
}
