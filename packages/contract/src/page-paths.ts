/** Home-type paths that open no popup (accounts §2.1). */
export const HOME_PATHS: readonly string[] = [
  ...["/", "/m", "/m/", "/m/index", "/m/index.html", "/m/home"],
];

/**
 * Finds a path in the spelling that `paths` has. Paths in other capitals or with slashes at the end
 * lead the router to the same screen, which would then find nothing under its path.
 */
export function spellings(paths: readonly string[]): (path: string) => string {
  const known = new Map(paths.map((path) => [trimmed(path).toLowerCase(), trimmed(path)]));
  return (path) => known.get(trimmed(path).toLowerCase()) ?? trimmed(path);
}

function trimmed(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** Screens with a shorter address, which is the one that search engines find (games §2.13). */
const SHORT_PATHS = {
  "/m/slot-games": "/rng",
  "/m/live-games": "/live",
  "/m/poker-games": "/pvp",
  "/m/fishing-games": "/fish",
  "/m/activity": "/promotions",
  "/m/sport-games": "/sports",
  "/m/cockfight": "/cockfight",
} as const;

const CANONICAL: ReadonlyMap<string, string> = new Map(Object.entries(SHORT_PATHS));
const SCREENS: ReadonlyMap<string, string> = new Map(
  Object.entries(SHORT_PATHS).map(([screen, short]) => [short, screen]),
);

export const SHORT_ADDRESSES: readonly string[] = Object.values(SHORT_PATHS);

/** The one address under which a page is found, for each path that opens it. */
export function canonicalPath(path: string): string {
  if (HOME_PATHS.includes(path)) return "/";
  return CANONICAL.get(path) ?? path;
}

/** The screen behind a short address; any other path stays as it is. */
export function screenPath(path: string): string {
  return SCREENS.get(path) ?? path;
}

export function isShortPath(path: string): boolean {
  return SCREENS.has(path);
}
