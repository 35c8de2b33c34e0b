import { useEffect, useState } from "react";
import { useText } from "../../shell/text.ts";

/** How long a language must stay chosen before vendors and hot games load in it (games §9). */
const LANGUAGE_SETTLES_MS = 250;

/** The value that last stayed unchanged for `ms` milliseconds. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** The language of the server calls: of several changes in a row, the last. */
export function useSettledLanguage(): string {
  return useDebounced(useText().language, LANGUAGE_SETTLES_MS);
}
