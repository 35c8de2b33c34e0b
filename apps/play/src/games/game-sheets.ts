import type { HashSheets } from "../parts/browser/use-hash-sheet.ts";

export const GAME_SHEETS = ["info", "history", "sound", "stake", "auto", "funds", "road"] as const;

export type GameSheets = HashSheets<(typeof GAME_SHEETS)[number]>;
