import { writeStorage } from "@perya/client/browser-storage";
import { arePopupsHidden } from "./hidden-today.ts";

const SHOWN_KEY = "MC_POPUPS_SHOWN";

/**
 * Whether the pop-ups after a log-in are still to be shown to this player: once per tab and player,
 * unless hidden for today. A sign-out clears what the tab kept.
 */
export function awaitLoginPopups(userName: string, nowMs: number, zone: string): boolean {
  if (arePopupsHidden(nowMs, zone)) return false;
  try {
    return sessionStorage.getItem(SHOWN_KEY) !== userName;
  } catch {
    return false;
  }
}

/** Notes that they were shown; false without storage. */
export function keepLoginPopups(userName: string): boolean {
  return writeStorage("sessionStorage", SHOWN_KEY, userName);
}
