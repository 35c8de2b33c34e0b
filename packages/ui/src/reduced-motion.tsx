import { useSyncExternalStore } from "react";

const QUERY = "(prefers-reduced-motion: reduce)";

/** True while the player's device asks for less motion; follows the setting live. */
export function useReducedMotion(): boolean {
  return useSyncExternalStore(subscribe, asksForLessMotion, () => true);
}

/** The present setting, for movement outside React. */
export function asksForLessMotion(): boolean {
  return matchMedia(QUERY).matches;
}

function subscribe(changed: () => void): () => void {
  const query = matchMedia(QUERY);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}
