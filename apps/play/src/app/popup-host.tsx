import { useState } from "react";
import { sayFault } from "../shell/fault.ts";
import { lazyPart, Part } from "../shell/lazy-part.tsx";
import { type Popup, useOpenPopup, usePopups } from "../shell/popups.ts";

/** The table of popups loads with the first popup: the first screen does without. */
const PopupOf = lazyPart(() => import("./popup-table.tsx"));

interface Shown {
  readonly popup: Popup;
  readonly id: string | undefined;
  readonly open: boolean;
  /** Counts openings, so that each starts afresh. */
  readonly turn: number;
}

/**
 * Draws the popup that the address names, and lets it close before it is removed. One that breaks
 * or does not load closes and says so; the page below it stays.
 */
export function PopupHost() {
  const { popup, id } = useOpenPopup();
  const { close } = usePopups();
  const [shown, setShown] = useState<Shown | null>(null);
  const next = nextShown(shown, popup, id);
  if (next !== shown) setShown(next);
  if (next === null) return null;
  return (
    <Part
      turn={next.turn}
      onFault={(error) => {
        close();
        sayFault(error);
      }}
    >
      <PopupOf key={next.turn} popup={next.popup} open={next.open} close={close} id={next.id} />
    </Part>
  );
}

/** The same object while nothing changed. */
function nextShown(shown: Shown | null, popup: Popup | null, id: string | undefined) {
  if (popup === null) return shown?.open ? { ...shown, open: false } : shown;
  if (shown?.open && shown.popup === popup && shown.id === id) return shown;
  return { popup, id, open: true, turn: (shown?.turn ?? 0) + 1 };
}
