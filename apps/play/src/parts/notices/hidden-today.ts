import { readStorage, writeStorage } from "@perya/client/browser-storage";
import { businessDay } from "@perya/kernel/instant";

const HIDDEN_KEY = "MC_POPUPS_HIDDEN";

/** Pop-ups stay hidden through the stored day, in the brand's zone. */
export function arePopupsHidden(nowMs: number, zone: string): boolean {
  // ISO days sort as text.
  return (readStorage("localStorage", HIDDEN_KEY) ?? "") >= businessDay(nowMs, zone);
}

export function hidePopupsToday(nowMs: number, zone: string, hidden: boolean): void {
  writeStorage("localStorage", HIDDEN_KEY, hidden ? businessDay(nowMs, zone) : null);
}
