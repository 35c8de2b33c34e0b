const STORAGE_KEY = "MC_RECENT_SEARCHES";
const KEPT = 8;

export function recentSearches(): string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(value)
      ? value.filter((one) => typeof one === "string").slice(0, KEPT)
      : [];
  } catch {
    // Storage is forbidden or holds something else: no searches exist.
    return [];
  }
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
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(names));
  } catch {
    // Without storage they last as long as the screen.
  }
  return names;
}
