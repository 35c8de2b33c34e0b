import { leaveTab } from "@perya/client/kept-intentions";
import { create } from "zustand";

/** The specification's key, in local storage and in session storage. */
const SESSION_KEY = "MC_SESSION_INFO";
const AUTO_LOGIN_KEY = "autoLogin";
const TRIAL_NAME_KEY = "trialName";
/** Beside a session that is gone: the server ended it, nobody signed out. */
const LAPSED_KEY = "MC_SESSION_LAPSED";
const TRIAL_TYPE = 4;

export interface SessionInfo {
  /** The half that is kept in storage; the other half is a cookie that no script can read. */
  readonly token: string;
  readonly merchantCode: string;
  readonly userName: string;
  /** 0 member; 1 and 2 agents; 4 trial; 40 to 42 internal accounts. */
  readonly type: number;
  readonly firstTimeLogin: boolean;
}

interface SessionState {
  readonly session: SessionInfo | null;
  /**
   * The server ended the session while its page was open: the page stays as it is, below the
   * log-in popup, so that nothing typed is lost.
   */
  readonly lapsed: boolean;
}

export const useSession = create<SessionState>(() => ({ session: readStored(), lapsed: false }));

export function currentSession(): SessionInfo | null {
  return useSession.getState().session;
}

/** A session of another brand, which this address had before, is none here. */
export function keepSessionOf(merchantCode: string): void {
  const session = currentSession();
  if (session === null || session.merchantCode === merchantCode) return;
  store(null);
  useSession.setState({ session: null, lapsed: false });
}

/** `autoLogin`: the next start of the app may sign in again by what is remembered. */
export function startSession(session: SessionInfo, { autoLogin = false } = {}): void {
  writeStorage("localStorage", AUTO_LOGIN_KEY, autoLogin ? "1" : null);
  writeStorage("localStorage", LAPSED_KEY, null);
  store(session);
  useSession.setState({ session, lapsed: false });
}

/** The last log-in asked to be remembered, and its session was not ended since by anyone. */
export function wantsAutoLogin(): boolean {
  return readStorage("localStorage", AUTO_LOGIN_KEY) === "1";
}

export function dropAutoLogin(): void {
  writeStorage("localStorage", AUTO_LOGIN_KEY, "0");
}

/**
 * After a sign-out: the session goes and is not started again by itself, and with it everything
 * that the browser kept of the person.
 */
export function leaveSession(): void {
  dropAutoLogin();
  store(null);
  clearDevice();
  // Whatever else this tab kept was this player's own.
  clearTab();
  useSession.setState({ session: null, lapsed: false });
}

/**
 * The server said that `token` has ended; a newer session is left alone, also one that another tab
 * began while this page lay in the browser's cache and heard nothing. Whoever ended it wants a
 * log-in by hand, so the next start does not sign in by what is remembered.
 */
export function lapseSession(token: string): boolean {
  if (currentSession()?.token !== token || takeOver()) return false;
  dropAutoLogin();
  // Before the session goes, so that other tabs know why it went.
  writeStorage("localStorage", LAPSED_KEY, "1");
  store(null);
  useSession.setState({ session: null, lapsed: true });
  return true;
}

export function isTrial(session: SessionInfo | null): boolean {
  return session?.type === TRIAL_TYPE;
}

/** Other tabs of the same browser log in and out together. */
export function followOtherTabs(): void {
  // A page that comes back from the browser's cache was told of nothing while it lay there.
  window.addEventListener("pageshow", ({ persisted }) => persisted && takeOver());
  window.addEventListener("storage", (event) => {
    if (event.key !== SESSION_KEY && event.key !== null) return;
    const session = parse(event.newValue);
    writeStorage("sessionStorage", SESSION_KEY, session === null ? null : event.newValue);
    const ended = session === null && readStorage("localStorage", LAPSED_KEY) === "1";
    // Signed out there, as in leaveSession.
    if (session === null && !ended) clearTab();
    useSession.setState((before) => ({
      session,
      lapsed: ended && (before.session !== null || before.lapsed),
    }));
  });
}

/** Goes on with the session of another tab, where storage holds another than this page knows. */
function takeOver(): boolean {
  const session = parse(readStorage("localStorage", SESSION_KEY));
  if (session === null || session.token === currentSession()?.token) return false;
  store(session);
  useSession.setState({ session, lapsed: false });
  return true;
}

function store(session: SessionInfo | null): void {
  const text = session === null ? null : JSON.stringify(session);
  writeStorage("localStorage", SESSION_KEY, text);
  writeStorage("sessionStorage", SESSION_KEY, text);
  writeStorage(
    "sessionStorage",
    TRIAL_NAME_KEY,
    isTrial(session) ? (session?.userName ?? null) : null,
  );
}

function readStored(): SessionInfo | null {
  return parse(
    readStorage("localStorage", SESSION_KEY) ?? readStorage("sessionStorage", SESSION_KEY),
  );
}

function parse(text: string | null): SessionInfo | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isSession(value) ? value : null;
  } catch {
    return null;
  }
}

function isSession(value: unknown): value is SessionInfo {
  return (
    typeof value === "object" &&
    value !== null &&
    "token" in value &&
    typeof value.token === "string" &&
    value.token !== "" &&
    "userName" in value &&
    typeof value.userName === "string" &&
    "type" in value &&
    typeof value.type === "number"
  );
}

/** What is the device's or the brand's stays: a new name is the person's until it stands here. */
const OF_THE_DEVICE: readonly string[] = [
  AUTO_LOGIN_KEY,
  // The name alone by then: see RememberedLogins.
  ...["MC_REMEMBERED_LOGIN", "MC_LANGUAGE", "MC_THEME", "MC_SOUND"],
  ...["MC_DOWNLOAD_BAR_HIDDEN", "MC_POPUPS_HIDDEN", "MC_STATUS", "MC_VENDORS"],
  ...["lottList", "elottList", "getGameLotts"],
];

function clearDevice(): void {
  try {
    for (const key of Object.keys(window.localStorage)) {
      if (!OF_THE_DEVICE.includes(key)) window.localStorage.removeItem(key);
    }
  } catch {
    // See readStorage.
  }
}

function clearTab(): void {
  try {
    leaveTab(window.sessionStorage);
  } catch {
    // See readStorage.
  }
}

type Storage = "localStorage" | "sessionStorage";

/** Storage can be forbidden or full; the session then lasts as long as the page. */
function readStorage(where: Storage, key: string): string | null {
  try {
    return window[where].getItem(key);
  } catch {
    return null;
  }
}

function writeStorage(where: Storage, key: string, value: string | null): void {
  try {
    if (value === null) window[where].removeItem(key);
    else window[where].setItem(key, value);
  } catch {
    // See readStorage.
  }
}
