import { type ComponentType, lazy, Suspense, useEffect, useState } from "react";
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
  menu: lazy(() => import("./menu-drawer.tsx")),
  language: lazy(() => import("./language-sheet.tsx")),
  referral: lazy(() => import("../features/invite/referral-popup.tsx")),
  member: lazy(() => import("../features/member/member-menu.tsx")),
  agent: lazy(() => import("../features/agent/agent-menu.tsx")),
  providers: lazy(() => import("../features/providers/provider-list.tsx")),
  facebook: lazy(() => import("../features/social/facebook-popup.tsx")),
  telegram: lazy(() => import("../features/social/telegram-popup.tsx")),
  speed: lazy(() => import("../features/speed/speed-sheet.tsx")),
  download: lazy(() => import("../features/app/download-popup.tsx")),
  login: lazy(() => import("../features/auth/login-popup.tsx")),
  register: lazy(() => import("../features/auth/register-popup.tsx")),
  forget: lazy(() => import("../features/auth/forget-popup.tsx")),
  changePsw: lazy(() => import("../features/auth/password-popup.tsx")),
  reset: lazy(() => import("../features/auth/reset-popup.tsx")),
  game: lazy(() => import("../features/games/game-sheet.tsx")),
  announcements: lazy(() => import("../features/notice/login-popup.tsx")),
  security: lazy(() => import("../features/security/security-popup.tsx")),
  signout: lazy(() => import("../features/auth/sign-out-dialog.tsx")),
  contract: lazy(() => withTexts("agent", import("../features/agent/contract-prompt.tsx"))),
};

interface Shown {
  readonly popup: Popup;
  readonly id: string | undefined;
  readonly open: boolean;
  /** Counts openings, so that each starts afresh. */
  readonly turn: number;
}

/** Draws the popup that the address names, and lets it close before it goes. */
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
    <Suspense>
      <Door key={next.turn} open={next.open} close={close} id={next.id} />
    </Suspense>
  );
}

/** The same object while nothing changed. */
function nextShown(shown: Shown | null, popup: Popup | null, id: string | undefined) {
  if (popup === null) return shown?.open ? { ...shown, open: false } : shown;
  if (shown?.open && shown.popup === popup && shown.id === id) return shown;
  return { popup, id, open: true, turn: (shown?.turn ?? 0) + 1 };
}
