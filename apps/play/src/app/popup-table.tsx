import type { ComponentType } from "react";
import { lazyPart } from "../shell/lazy-part.tsx";
import type { Popup, PopupProps } from "../shell/popups.ts";
import { withTexts } from "../shell/text.ts";

/** Popups that any page can open; the screens draw the others. */
const POPUPS: Partial<Record<Popup, ComponentType<PopupProps>>> = {
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

/** The popup of this name; nothing where a screen draws it. */
export default function PopupOf({ popup, ...props }: PopupProps & { readonly popup: Popup }) {
  const Own = POPUPS[popup];
  return Own === undefined ? null : <Own {...props} />;
}
