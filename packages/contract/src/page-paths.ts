/** Home-type paths that open no popup (accounts §2.1). */
export const HOME_PATHS: readonly string[] = [
  ...["/", "/m", "/m/", "/m/index", "/m/index.html", "/m/home"],
];

/** Screens that have a shorter address, under which they are found (games §2.13). */
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

/** The one address under which a page is found, whichever it was opened by. */
export function canonicalPath(path: string): string {
  if (HOME_PATHS.includes(path)) return "/";
  return CANONICAL.get(path) ?? path;
}

/** The screen that a short address stands for; any other path as it is. */
export function screenPath(path: string): string {
  return SCREENS.get(path) ?? path;
}

export function isShortPath(path: string): boolean {
  return SCREENS.has(path);
}
