import { parsed, readStorage, writeStorage } from "@perya/client/browser-storage";

const STORAGE_KEY = "MC_RECENT_SEARCHES";
const KEPT = 8;

export function recentSearches(): string[] {
  const value = parsed(readStorage("localStorage", STORAGE_KEY));
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, KEPT) : [];
}

/** Puts a search first; the same name in another case is the same search. */
export function rememberSearch(name: string): string[] {
  const others = recentSearches().filter((one) => one.toLowerCase() !== name.toLowerCase());
  return store([name, ...others].slice(0, KEPT));
}

export function forgetSearches(): string[] {
  return store([]);
}

function store(names: string[]): string[] {
  writeStorage("localStorage", STORAGE_KEY, JSON.stringify(names));
  return names;
}
