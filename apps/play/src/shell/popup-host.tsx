import { type ComponentType, useEffect, useState } from "react";
import { sayFault } from "./fault.ts";
import { lazyPart, Part } from "./lazy-part.tsx";
import { type Popup, useOpenPopup, usePopups } from "./popups.ts";
import { withTexts } from "./text.ts";

/** What every popup gets; it is mounted anew each time that it opens. */
export interface PopupDoor {
  readonly open: boolean;
  readonly close: () => void;
  readonly id: string | undefined;
}

/** Popups that any page can open; the others are their own screen's. */
const DOORS: Partial<Record<Popup, ComponentType<PopupDoor>>> = {
  menu: lazyPart(() => import("./menu-drawer.tsx")),
  language: lazyPart(() => import("./language-sheet.tsx")),
  referral: lazyPart(() => import("../features/invite/referral-popup.tsx")),
  member: lazyPart(() => import("../features/member/member-menu.tsx")),
  agent: lazyPart(() => import("../features/agent/agent-menu.tsx")),
  providers: lazyPart(() => import("../features/providers/provider-list.tsx")),
  facebook: lazyPart(() => import("../features/social/facebook-popup.tsx")),
  telegram: lazyPart(() => import("../features/social/telegram-popup.tsx")),
  speed: lazyPart(() => import("../features/speed/speed-sheet.tsx")),
  download: lazyPart(() => import("../features/app/download-popup.tsx")),
  login: lazyPart(() => import("../features/auth/login-popup.tsx")),
  register: lazyPart(() => import("../features/auth/register-popup.tsx")),
  forget: lazyPart(() => import("../features/auth/forget-popup.tsx")),
  changePsw: lazyPart(() => import("../features/auth/password-popup.tsx")),
  reset: lazyPart(() => import("../features/auth/reset-popup.tsx")),
  game: lazyPart(() => import("../features/games/game-sheet.tsx")),
  announcements: lazyPart(() => import("../features/notice/login-popup.tsx")),
  security: lazyPart(() => import("../features/security/security-popup.tsx")),
  signout: lazyPart(() => import("../features/auth/sign-out-dialog.tsx")),
  contract: lazyPart(() => withTexts("agent", import("../features/agent/contract-prompt.tsx"))),
};

interface Shown {
  readonly popup: Popup;
  readonly id: string | undefined;
  readonly open: boolean;
  /** Counts openings, so that each starts afresh. */
  readonly turn: number;
}

/**
 * Draws the popup that the address names, and lets it close before it goes. One that breaks or
 * does not come closes and says so; the page below it stays.
 */
export function PopupHost() {
  const { popup, id } = useOpenPopup();
  const { close } = usePopups();
  const [shown, setShown] = useState<Shown | null>(null);
  const next = nextShown(shown, popup, id);
  if (next !== shown) setShown(next);
  useEffect(() => {
    document.body.classList.toggle("popup-on", popup !== null);
  }, [popup]);
  if (next === null) return null;
  const Door = DOORS[next.popup];
  if (Door === undefined) return null;
  return (
    <Part
      turn={next.turn}
      onFault={(error) => {
        close();
        sayFault(error);
      }}
    >
      <Door key={next.turn} open={next.open} close={close} id={next.id} />
    </Part>
  );
}

/** The same object while nothing changed. */
function nextShown(shown: Shown | null, popup: Popup | null, id: string | undefined) {
  if (popup === null) return shown?.open ? { ...shown, open: false } : shown;
  if (shown?.open && shown.popup === popup && shown.id === id) return shown;
  return { popup, id, open: true, turn: (shown?.turn ?? 0) + 1 };
}
