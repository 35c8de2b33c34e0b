import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../shell/server.ts";
import type { Country } from "./country-search.ts";

export interface CountryChoice {
  readonly countries: readonly Country[];
  /** The brand's own until another is picked; null while the list is on its way. */
  readonly country: Country | null;
  choose(code: string): void;
  /** For a log-in that was remembered by its dialling code alone. */
  chooseDialingCode(dialingCode: string): void;
}

const NONE: readonly Country[] = [];

export function useCountry(first: string | null = null): CountryChoice {
  const { data } = useQuery({
    queryKey: ["countries"],
    queryFn: ({ signal }) => api.call("GET /api/v1/countries", { signal }),
    // Countries do not change while a page is open.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [code, choose] = useState(first);
  const countries = data?.countries ?? NONE;
  return {
    countries,
    country: countries.find((one) => one.code === code) ?? countries[0] ?? null,
    choose,
    chooseDialingCode: (dialingCode) => {
      const found = countries.find((one) => one.dialingCode === dialingCode);
      if (found !== undefined) choose(found.code);
    },
  };
}
