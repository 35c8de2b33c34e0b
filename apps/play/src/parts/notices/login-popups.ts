import { arePopupsHidden } from "./hidden-today.ts";

const SHOWN_KEY = "MC_POPUPS_SHOWN";

/**
 * Whether what pops up after a log-in is yet to be shown to this player: once a tab and player,
 * unless it was sent away for today. A sign-out clears what the tab kept.
 */
export function awaitLoginPopups(userName: string, nowMs: number, zone: string): boolean {
  if (arePopupsHidden(nowMs, zone)) return false;
  try {
    return sessionStorage.getItem(SHOWN_KEY) !== userName;
  } catch {
    return false;
  }
}

/** They were shown; false where that cannot be kept. */
export function keepLoginPopups(userName: string): boolean {
  try {
    sessionStorage.setItem(SHOWN_KEY, userName);
    return true;
  } catch {
    return false;
  }
}
