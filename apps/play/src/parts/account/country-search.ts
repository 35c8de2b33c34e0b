import type { Reply } from "@perya/client/api";
import { searchForm } from "../../shell/search-form.ts";

export type Country = Reply<"GET /api/v1/countries">["countries"][number];

/** The brand's own country stays first; the others are sorted by name in the player's language. */
export function byName(
  countries: readonly Country[],
  tag: string,
  nameOf: (code: string) => string,
): Country[] {
  const { compare } = new Intl.Collator(tag);
  const others = countries.slice(1);
  others.sort((a, b) => compare(nameOf(a.code), nameOf(b.code)));
  return [...countries.slice(0, 1), ...others];
}

/** Countries whose name, code or dialling code matches the typed text. */
export function findCountries(
  countries: readonly Country[],
  typed: string,
  nameOf: (code: string) => string,
): Country[] {
  const wanted = searchForm(typed.trim());
  const digits = wanted.replace(/^\+/, "");
  if (digits === "") return [...countries];
  return countries.filter(
    ({ code, dialingCode }) =>
      searchForm(nameOf(code)).includes(wanted) ||
      code.toLowerCase() === wanted ||
      dialingCode.slice(1).startsWith(digits),
  );
}
