import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../shell/server.ts";
import type { JudgedBy } from "../forms/awaited-lists.tsx";
import { digitsOf } from "./account-rules.ts";
import type { GivenNumber } from "./code-request.ts";
import type { Country } from "./country-search.ts";

export interface CountryChoice {
  readonly countries: readonly Country[];
  /** The brand's own until another is chosen; null while the list loads. */
  readonly country: Country | null;
  /** The fewest digits of a number; while the list loads, no number has enough. */
  readonly minDigits: number;
  /** The list itself: a form that judges a number waits for it. */
  readonly list: JudgedBy;
  /** The number typed by the player; null while the list loads. */
  numberOf(typed: string): GivenNumber | null;
  choose(code: string): void;
  /** For a log-in that was remembered with its dialling code alone. */
  chooseDialingCode(dialingCode: string): void;
}

const NONE: readonly Country[] = [];

export function useCountry(first: string | null = null): CountryChoice {
  const list = useQuery({
    queryKey: ["countries"],
    queryFn: ({ signal }) => api.call("GET /api/v1/countries", { signal }),
    // Countries do not change while a page is open.
    staleTime: Number.POSITIVE_INFINITY,
  });
  // By its code, or by its dialling code until the list has loaded and gives the code.
  const [wanted, setWanted] = useState<{ code: string } | { dialingCode: string } | null>(
    first === null ? null : { code: first },
  );
  const countries = list.data?.countries ?? NONE;
  const isWanted = (one: Country) =>
    wanted !== null &&
    ("code" in wanted ? one.code === wanted.code : one.dialingCode === wanted.dialingCode);
  const country = countries.find(isWanted) ?? countries[0] ?? null;
  return {
    countries,
    country,
    minDigits: country?.minDigits ?? Number.POSITIVE_INFINITY,
    list,
    numberOf: (typed) =>
      country && { countryDialingCode: country.dialingCode, mobileNum: digitsOf(typed) },
    choose: (code) => setWanted({ code }),
    chooseDialingCode: (dialingCode) => setWanted({ dialingCode }),
  };
}
