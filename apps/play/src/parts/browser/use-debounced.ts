import { useEffect, useState } from "react";
import { useText } from "../../shell/text.ts";

/** How long a language must stand before vendors and hot games are read in it (games §9). */
const LANGUAGE_SETTLES_MS = 250;

/** The value as it was when it last stood still for `ms` milliseconds. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** The language in which the server is asked: of several changes in a row, the last. */
export function useSettledLanguage(): string {
  return useDebounced(useText().language, LANGUAGE_SETTLES_MS);
}
