/** Reads fields of an address's query. An invalid value is absent. */
import { readShellSearch } from "./popups.ts";

/** A query as it was typed. */
export type Given = Readonly<Record<string, unknown>>;

/** The longest id that is looked up, in characters. */
export const ID_MAX = 60;
const NAME_MAX = 60;
const PAGE_MAX = 10_000;

/**
 * The router merges a validator's result over the typed search, so a screen would still see each
 * value that the result omits: the result therefore names it as absent.
 */
export function searchOf<S extends object>(read: (given: Given) => S): (given: Given) => S {
  return (given) => ({
    ...Object.fromEntries(Object.keys(given).map((key) => [key, undefined])),
    ...readShellSearch(given),
    ...read(given),
  });
}

export function oneOf<const T>(known: readonly T[], given: unknown): T | undefined {
  return known.find((one) => one === given);
}

export function matching(pattern: RegExp, given: unknown): string | undefined {
  return typeof given === "string" && pattern.test(given) ? given : undefined;
}

export function code(given: unknown): string | undefined {
  return matching(/^[A-Za-z0-9_]{1,30}$/, given)?.toUpperCase();
}

/** The name of a game in the search box; a number is a name too. */
export function nameOf(given: unknown): string | undefined {
  const name = typeof given === "number" ? String(given) : given;
  return typeof name === "string" ? textOf(name.trim(), NAME_MAX) : undefined;
}

/** At most so much of a text; absent where it is empty. */
export function textOf(given: unknown, longest: number): string | undefined {
  return typeof given === "string" && given !== "" ? given.slice(0, longest) : undefined;
}

/** The first page needs no name. */
export function laterPage(given: unknown): number | undefined {
  const page = Number(given);
  return Number.isInteger(page) && page > 1 && page <= PAGE_MAX ? page : undefined;
}

/** Only keys with a value; the router would show a key without one. */
export function present<S extends object>(search: { [K in keyof S]: S[K] | undefined }): S {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined);
  // Only undefined values are removed.
  return Object.fromEntries(entries) as S;
}
