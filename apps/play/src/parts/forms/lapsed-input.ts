import { useEffect, useEffectEvent, useState } from "react";
import { currentSession, useSession } from "../../shell/session.ts";

type Typed = Readonly<Record<string, string>>;

interface Kept {
  readonly sheet: string;
  readonly player: string;
  readonly typed: Typed;
}

/** In memory alone, and of the one sheet that was open. */
let kept: Kept | null = null;

/** What this player had typed in the sheet when their session lapsed; its form begins with it. */
export function useLapsedInput(sheet: string): Typed {
  const [before] = useState(() => lapsedInput(sheet, currentSession()?.userName ?? null));
  useEffect(dropLapsedInput, []);
  return before;
}

/**
 * Keeps the typed values of a sheet when the session lapses below it, until the same player is
 * back. `read` names the kept values: never a password or a code.
 */
export function useKeptOnLapse(sheet: string, read: () => Typed): void {
  const [player] = useState(() => currentSession()?.userName ?? null);
  const readNow = useEffectEvent(read);
  useEffect(
    () => () => {
      const { lapsed } = useSession.getState();
      if (lapsed && player !== null) keepLapsedInput(sheet, player, readNow());
    },
    [sheet, player],
  );
}

export function keepLapsedInput(sheet: string, player: string, typed: Typed): void {
  kept = { sheet, player, typed };
}

export function lapsedInput(sheet: string, player: string | null): Typed {
  return kept?.sheet === sheet && kept.player === player ? kept.typed : {};
}

export function dropLapsedInput(): void {
  kept = null;
}
