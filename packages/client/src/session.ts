import { create } from "zustand";
import { leaveTab } from "./kept-intentions.ts";
import { SessionChanged } from "./refused.ts";

/** The specification's key, in local storage and in session storage. */
const SESSION_KEY = "MC_SESSION_INFO";
const AUTO_LOGIN_KEY = "autoLogin";
const TRIAL_NAME_KEY = "trialName";
/** The token of the last session that the server ended: of that one, nobody signed out. */
const LAPSED_KEY = "MC_SESSION_LAPSED";
/** The token of the session whose player signs out: whoever hears first that it ended, it is left. */
const LEAVING_KEY = "MC_SESSION_LEAVING";
/** As RememberedLogins has it. */
const REMEMBERED_KEY = "MC_REMEMBERED_LOGIN";
/** Whose the rest of what the device keeps is, and of what the tab keeps: a lapse leaves it. */
const LAST_PLAYER_KEY = "MC_LAST_PLAYER";
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

/** Of the session that this page has, or had last. */
let lastToken = currentSession()?.token ?? null;
useSession.subscribe(({ session }) => {
  if (session !== null) lastToken = session.token;
});

/** Longer than a sign-out is on its way. */
const ON_ITS_WAY_MS = 30_000;

/** The word of a sign-out: of which session, and when by this device's clock. */
interface Leaving {
  readonly token: string;
  readonly at: number;
}

/** The sign-out that this page asked for; `over` is called when the page hears that it is done. */
let leaving: (Leaving & { readonly over: () => void }) | null = null;

export function currentSession(): SessionInfo | null {
  return useSession.getState().session;
}

/** Throws SessionChanged where another session stands here than the one that asked. */
export type StillAsks = (what: string) => void;

/** Who asks now, for what takes its time before it is sent: to be called when it is ready. */
export function askerNow(): StillAsks {
  const asker = currentSession()?.token;
  return (what) => {
    if (currentSession()?.token !== asker) throw new SessionChanged(`not sent: ${what}`);
  };
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
  // What one whose session lapsed would find again is not for another.
  if (isOfAnother("localStorage", session)) clearDevice();
  if (isOfAnother("sessionStorage", session)) clearTab();
  writeStorage("localStorage", AUTO_LOGIN_KEY, autoLogin ? "1" : null);
  writeStorage("localStorage", LAPSED_KEY, null);
  stay();
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
 * The player signs out: from here on no tab takes the end of `token` for a lapse, though the live
 * line may tell of it before the server's reply does.
 * @returns resolves where the page hears that it has ended
 */
export function beginLeaving(token: string): Promise<void> {
  const word: Leaving = { token, at: Date.now() };
  writeStorage("localStorage", LEAVING_KEY, JSON.stringify(word));
  return new Promise((over) => {
    leaving = { ...word, over };
  });
}

/** The sign-out came to nothing: the session goes on, and what ends it later is a lapse. */
export function stay(): void {
  leaving = null;
  writeStorage("localStorage", LEAVING_KEY, null);
}

/** No answer came to the sign-out; `over` is called if it turns out to have happened. */
export function doubtLeaving(over: () => void): void {
  if (leaving !== null) leaving = { ...leaving, over };
}

/** When the sign-out was asked for of which nobody knows whether it happened; null without one. */
export function leavingSince(): number | null {
  return wordOfLeaving()?.at ?? null;
}

/**
 * The server answered the player as one who is logged in: a sign-out of which nobody knows whether
 * it happened has not, in whichever tab it was asked for.
 * @param askedIn what `leavingSince` said as the server was asked: before the sign-out says nothing
 */
export function noteAlive(askedIn: number | null): void {
  const word = wordOfLeaving();
  if (word === null || word.token !== currentSession()?.token || word.at !== askedIn) return;
  // Before, the sign-out may still be on its way. A clock may be set back.
  if (Math.abs(Date.now() - word.at) > ON_ITS_WAY_MS) stay();
}

/**
 * After a sign-out: the session goes and is not started again by itself, and with it everything
 * that the browser kept of the person.
 */
export function leaveSession(): void {
  dropAutoLogin();
  store(null);
  forgetPassword();
  // Last the word that it was left: until storage says so, another tab goes by that.
  clearDevice();
  stay();
  // Whatever else this tab kept was this player's own.
  clearTab();
  useSession.setState({ session: null, lapsed: false });
}

/** Whether another session than that of `token` has begun, here or in another tab. */
export function isReplaced(token: string): boolean {
  catchUp();
  return (currentSession()?.token ?? token) !== token;
}

/**
 * The server said that `token` has ended; a newer session is left alone, also one that another tab
 * began while this page lay in the browser's cache and heard nothing, and one that was signed out
 * there or is being signed out has not lapsed. Whoever ended it wants a log-in by hand, so the next
 * start does not sign in by what is remembered.
 * @returns whether it lapsed
 */
export function lapseSession(token: string): boolean {
  if (currentSession()?.token !== token || catchUp()) return false;
  if (isLeaving(token)) {
    if (tellLeaving(token)) return false;
    // The page that asked for it may be gone, and the rest of it with that page.
    leaveSession();
    return false;
  }
  dropAutoLogin();
  // Before the session goes, so that other tabs know why it went.
  writeStorage("localStorage", LAPSED_KEY, token);
  store(null);
  useSession.setState({ session: null, lapsed: true });
  return true;
}

export function isTrial(session: SessionInfo | null): boolean {
  return session?.type === TRIAL_TYPE;
}

/** Other tabs of the same browser log in and out together. */
export function followOtherTabs(): void {
  // A page that comes back from the browser's cache was told of nothing while it lay there, nor
  // one that the phone put to sleep.
  window.addEventListener("pageshow", ({ persisted }) => persisted && catchUp());
  window.addEventListener("visibilitychange", catchUp);
  window.addEventListener("storage", ({ key, newValue }) => {
    if (key === SESSION_KEY || key === null) follow(parse(newValue));
    // What had lapsed here is signed out there.
    else if (key === LAPSED_KEY) catchUp();
    // Of this page's own sign-out another tab heard that it came to nothing.
    else if (key === LEAVING_KEY && newValue === null) leaving = null;
    // The live line told of its end before the browser told this tab of the sign-out.
    else if (key === LEAVING_KEY && useSession.getState().lapsed && isLeaving(lastToken)) {
      leaveSession();
    }
  });
  // What happened while the page was starting.
  catchUp();
}

/** Goes on as the other tabs left it, where this page heard nothing of it. */
function catchUp(): boolean {
  const session = parse(readStorage("localStorage", SESSION_KEY));
  const { session: known, lapsed } = useSession.getState();
  const missed =
    session === null
      ? (known !== null || lapsed) && wasLeft(lastToken)
      : session.token !== known?.token;
  if (missed) follow(session);
  return missed;
}

function follow(session: SessionInfo | null): void {
  const before = useSession.getState();
  // Another tab heard first that this page's sign-out is done.
  if (session === null && tellLeaving(before.session?.token)) return;
  const ended = session === null && readStorage("localStorage", LAPSED_KEY) === lastToken;
  // Signed out there, as in leaveSession.
  if (session === null ? !ended : isOfAnother("sessionStorage", session)) clearTab();
  storeInTab(session);
  useSession.setState({ session, lapsed: ended && (before.session !== null || before.lapsed) });
}

/**
 * Whether the session was ended by a sign-out, where storage holds none any more. A sign-out says
 * so; of a session that storage did not take, being forbidden or full, it says nothing.
 */
function wasLeft(token: string | null): boolean {
  return (
    readStorage("localStorage", AUTO_LOGIN_KEY) === "0" &&
    readStorage("localStorage", LAPSED_KEY) !== token
  );
}

function isLeaving(token: string | null): boolean {
  return wordOfLeaving()?.token === token;
}

function wordOfLeaving(): Leaving | null {
  const word: unknown = parsed(readStorage("localStorage", LEAVING_KEY));
  const isWord =
    typeof word === "object" &&
    word !== null &&
    "token" in word &&
    typeof word.token === "string" &&
    "at" in word &&
    typeof word.at === "number";
  return isWord ? { token: word.token as string, at: word.at as number } : leaving;
}

/** Tells this page's own sign-out, once, that it is done; false where there is none of `token`. */
function tellLeaving(token: string | undefined): boolean {
  if (leaving === null || leaving.token !== token) return false;
  const { over } = leaving;
  leaving = { ...leaving, over: () => undefined };
  over();
  return true;
}

function isOfAnother(where: Storage, { userName }: SessionInfo): boolean {
  return (readStorage(where, LAST_PLAYER_KEY) ?? userName) !== userName;
}

function store(session: SessionInfo | null): void {
  writeStorage("localStorage", SESSION_KEY, session === null ? null : JSON.stringify(session));
  noteLastPlayer("localStorage", session);
  storeInTab(session);
}

function noteLastPlayer(where: Storage, session: SessionInfo | null): void {
  if (session !== null) writeStorage(where, LAST_PLAYER_KEY, session.userName);
}

function storeInTab(session: SessionInfo | null): void {
  writeStorage("sessionStorage", SESSION_KEY, session === null ? null : JSON.stringify(session));
  noteLastPlayer("sessionStorage", session);
  writeStorage(
    "sessionStorage",
    TRIAL_NAME_KEY,
    isTrial(session) ? (session?.userName ?? null) : null,
  );
}

/**
 * A tab that was at another site meanwhile, to pay, still has what was its player's; a new one has
 * nothing yet and takes what the others share.
 */
function readStored(): SessionInfo | null {
  const session = parse(readStorage("localStorage", SESSION_KEY));
  const own = parse(readStorage("sessionStorage", SESSION_KEY));
  const isLeft =
    session === null ? own !== null && wasLeft(own.token) : isOfAnother("sessionStorage", session);
  if (isLeft) clearTab();
  // One that an earlier build began has left no word of whose it is.
  noteLastPlayer("localStorage", session);
  if (session !== null) storeInTab(session);
  return session ?? (isLeft ? null : own);
}

function parse(text: string | null): SessionInfo | null {
  const value = parsed(text);
  return isSession(value) ? value : null;
}

/** Null for what is none of ours. */
function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
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
  // The name alone, after a sign-out.
  REMEMBERED_KEY,
  ...["MC_LANGUAGE", "MC_THEME", "MC_SOUND"],
  ...["MC_DOWNLOAD_BAR_HIDDEN", "MC_POPUPS_HIDDEN", "MC_STATUS", "MC_VENDORS"],
  ...["lottList", "elottList", "getGameLotts"],
  // What everybody is shown before results; a player's own pairs and client seeds go.
  ...["chain", "key", "flight", "fight", "draw", "fixture"].map((kind) => `MC_SHOWN:${kind}`),
];

function forgetPassword(): void {
  const remembered = parsed(readStorage("localStorage", REMEMBERED_KEY));
  // Sealed, and yet nobody's any more; the rest of what RememberedLogins does may not be at hand.
  if (typeof remembered === "object" && remembered !== null) {
    const nameAlone = JSON.stringify({ ...remembered, password: "" });
    writeStorage("localStorage", REMEMBERED_KEY, nameAlone);
  }
}

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
