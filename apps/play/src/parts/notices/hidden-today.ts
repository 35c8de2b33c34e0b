import { businessDay } from "@perya/kernel/instant";

const HIDDEN_KEY = "MC_POPUPS_HIDDEN";

/** Pop-ups stay hidden through the stored day, in the brand's zone. */
export function arePopupsHidden(nowMs: number, zone: string): boolean {
  try {
    // ISO days sort as text.
    return (localStorage.getItem(HIDDEN_KEY) ?? "") >= businessDay(nowMs, zone);
  } catch {
    return false;
  }
}

export function hidePopupsToday(nowMs: number, zone: string, hidden: boolean): void {
  try {
    if (hidden) localStorage.setItem(HIDDEN_KEY, businessDay(nowMs, zone));
    else localStorage.removeItem(HIDDEN_KEY);
  } catch {
    // Without storage they come again with the next log-in.
  }
}
