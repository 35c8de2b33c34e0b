import type { TextStore } from "@perya/client/browser-storage";

const STORAGE_KEY = "MC_EXTERNAL_NEXT";

/** The page that a player wanted, kept in this tab while they are at Google or Facebook. */
export function keepNext(next: string | undefined, store: () => TextStore = tab): void {
  try {
    if (next === undefined) store().removeItem(STORAGE_KEY);
    else store().setItem(STORAGE_KEY, next);
  } catch {
    // Without storage the way back ends on the home screen.
  }
}

/** Valid once, and only for a path of this app. */
export function takeNext(store: () => TextStore = tab): string | undefined {
  try {
    const next = store().getItem(STORAGE_KEY);
    store().removeItem(STORAGE_KEY);
    return next?.startsWith("/m/") ? next : undefined;
  } catch {
    return undefined;
  }
}

function tab(): TextStore {
  return sessionStorage;
}
