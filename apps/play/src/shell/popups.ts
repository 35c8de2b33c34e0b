import { type AnyRouter, useLocation, useRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import { refusalAt } from "./access.ts";
import { type SessionInfo, useSession } from "./session.ts";

/** The open popup is in the address, so that Back closes it. */
export const POPUPS = [
  "menu",
  "language",
  "login",
  "register",
  "forget",
  "changePsw",
  "reset",
  "game",
  "announcements",
  "apply",
  "applications",
  "filter",
  "download",
  "speed",
  "referral",
  "member",
  "agent",
  "providers",
  "facebook",
  "telegram",
  "signout",
  "confirm",
  "slip",
  "deposit",
  "withdrawal",
  "round",
  "security",
  "contract",
] as const;
export type Popup = (typeof POPUPS)[number];

export interface ShellSearch {
  readonly pop?: Popup;
  /** The popup's subject: a game, a deposit, a round, a setting of the security centre. */
  readonly id?: string;
  /** The page after a log-in. */
  readonly next?: string;
  /** The username that a registration or a new password left for the log-in. */
  readonly name?: string;
  /** The trial indicator: a free trial that starts from the log-in stays on this page. */
  readonly trial?: "0";
  /** A log-in that came back from Google or Facebook; valid once. */
  readonly flow?: string;
  /** An outside account to be added, as its provider sent it back; valid once. */
  readonly link?: string;
  /** The token of a mail's link; valid once, and useless for a log-in. */
  readonly token?: string;
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Opening a popup made this entry, so closing it is one step back. */
    popPushed?: boolean;
  }
}

/** Addresses that are a popup over the home screen. */
const PATH_POPUPS: Readonly<Record<string, Popup>> = {
  "/m/login": "login",
  "/m/register": "register",
  "/m/register.html": "register",
  "/m/forget": "forget",
  "/m/changePsw": "changePsw",
  "/m/reset": "reset",
};
/** Popups that a log-in replaces even after a lapse: the player types nothing there. */
const REPLACED_BY_LOGIN: readonly Popup[] = [
  ...(["login", "register", "forget", "reset"] as const),
  ...(["menu", "language", "signout"] as const),
];
/** The targets of popups that open each other while one of them has its own path. */
const OWN_PATHS = { login: "/m/login", register: "/m/register", forget: "/m/forget" } as const;

export function readShellSearch(search: Readonly<Record<string, unknown>>): ShellSearch {
  const next = shortText(search.next);
  const found = {
    pop: POPUPS.find((one) => one === search.pop),
    id: shortText(search.id),
    // Only a path of this app: an address from outside must not choose another site.
    next: next?.startsWith("/m/") ? next : undefined,
    name: shortText(typeof search.name === "string" ? search.name.trim() : search.name),
    trial: search.trial === "0" || search.trial === 0 ? "0" : undefined,
    flow: shortText(search.flow),
    link: shortText(search.link),
    token: shortText(search.token),
  };
  // Only undefined values are removed.
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** From the address as it was typed; a screen reads the fields that are not the shell's. */
export function readRootSearch(search: Readonly<Record<string, unknown>>): ShellSearch {
  // Named as absent, or the router continues with the typed value.
  return {
    ...Object.fromEntries(SHELL_FIELDS.map((key) => [key, undefined])),
    ...readShellSearch(search),
  };
}

const SHELL_FIELDS: readonly (keyof ShellSearch)[] = [
  ...(["pop", "id", "next", "name", "trial", "flow", "link", "token"] as const),
];

function shortText(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value);
  return text.length > 0 && text.length <= 200 ? text : undefined;
}

export interface OpenPopup extends ShellSearch {
  readonly popup: Popup | null;
}

export function useOpenPopup(): OpenPopup {
  const pathname = useLocation({ select: (location) => location.pathname });
  const search = useLocation({
    select: (location) => readShellSearch(location.search),
    structuralSharing: true,
  });
  const session = useSession((state) => state.session);
  return { ...search, popup: popupOf(pathname, search.pop, session) };
}

/** A player's own settings need a log-in; an address alone opens nothing. */
export function popupOf(
  pathname: string,
  pop: Popup | undefined,
  session: SessionInfo | null,
): Popup | null {
  const popup = pop ?? PATH_POPUPS[pathname] ?? null;
  // Free play has no password.
  if (popup === "changePsw") return refusalAt("unlessTrial", session) === null ? popup : null;
  const needsLogin = popup !== null && OF_PLAYERS.includes(popup);
  return needsLogin && session === null ? null : popup;
}

/**
 * Whether a popup is a step of its own over the open one, which is there again after it closes: the
 * log-in of a session that lapsed while the player filled in a sheet.
 */
export function opensOver(pop: Popup, open: Popup | null, lapsed: boolean): boolean {
  return pop === "login" && lapsed && open !== null && !REPLACED_BY_LOGIN.includes(open);
}

/** The address that a log-in leads back to, with the page's parameters: a tab, a vendor. */
export function pathHere(): string {
  return location.pathname + location.search;
}

/** Every popup's props; it is mounted again each time that it opens. */
export interface PopupProps {
  readonly open: boolean;
  readonly close: () => void;
  readonly id: string | undefined;
}

export interface Popups {
  /** Opens a popup over the page; an open one is replaced, but see `opensOver`. */
  open(pop: Popup, more?: Omit<ShellSearch, "pop">): void;
  close(): void;
  /** Closes the popup by going to a page. */
  leaveTo(path: string): void;
}

export function usePopups(): Popups {
  const router = useRouter();
  return useMemo(() => popupsOf(router), [router]);
}

/** Opens and closes popups through the address of a router. */
export function popupsOf(router: Pick<AnyRouter, "state" | "history" | "navigate">): Popups {
  const here = () => {
    const { pathname, search, state } = router.state.location;
    const open = PATH_POPUPS[pathname] ?? readShellSearch(search).pop ?? null;
    return { pathname, open, pushed: state.popPushed === true };
  };
  return {
    open(pop, more = {}) {
      const { pathname, open, pushed } = here();
      const path = ownPath(pop);
      const over = opensOver(pop, open, useSession.getState().lapsed);
      const popPushed = open === null || over || pushed;
      if (PATH_POPUPS[pathname] !== undefined && path !== null) {
        const state = over ? { popPushed } : {};
        void router.navigate({ to: path, search: more, replace: !over, state });
        return;
      }
      void router.navigate({
        to: ".",
        search: (old: ShellSearch) => ({ ...withoutPopup(old), ...more, pop }),
        state: (old) => ({ ...old, popPushed }),
        replace: open !== null && !over,
        resetScroll: false,
      });
    },
    close() {
      const { pathname, open, pushed } = here();
      if (open === null) return;
      if (pushed) router.history.back();
      else if (PATH_POPUPS[pathname] !== undefined) {
        void router.navigate({ to: "/m/home", replace: true });
      } else {
        void router.navigate({ to: ".", search: withoutPopup, replace: true, resetScroll: false });
      }
    },
    leaveTo(path) {
      const { open } = here();
      if (open === null) router.history.push(path);
      else router.history.replace(path);
    },
  };
}

function ownPath(pop: Popup): (typeof OWN_PATHS)[keyof typeof OWN_PATHS] | null {
  return pop === "login" || pop === "register" || pop === "forget" ? OWN_PATHS[pop] : null;
}

const OF_PLAYERS: readonly Popup[] = [
  ...(["security", "announcements", "apply", "applications"] as const),
  ...(["member", "agent", "contract"] as const),
];

/** Popups with a subject; below any other, `id` is the screen's own. */
const ABOUT: readonly (Popup | undefined)[] = [
  ...(["game", "deposit", "withdrawal", "round", "security", "contract"] as const),
];

function withoutPopup<S extends ShellSearch>(search: S): S {
  const rest = { ...search };
  for (const key of SHELL_FIELDS) if (key !== "id") Reflect.deleteProperty(rest, key);
  if (ABOUT.includes(search.pop)) Reflect.deleteProperty(rest, "id");
  return rest;
}
