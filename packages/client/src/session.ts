import { create } from "zustand";
import { parsed, readStorage, type StorageName, writeStorage } from "./browser-storage.ts";
import { leaveTab } from "./kept-intentions.ts";
import { SessionChanged } from "./refused.ts";
import { createSignOut } from "./sign-out.ts";

/** The fields of every app's session. */
export interface AnySession {
  /** The half that is stored here; the other half is a cookie that no script can read. */
  readonly token: string;
  readonly merchantCode: string;
  readonly userName: string;
}

interface SessionState<S extends AnySession> {
  readonly session: S | null;
  /**
   * The server ended the session while its page was open: the page stays as it is, below the log-in
   * popup, so that no typed value is lost.
   */
  readonly lapsed: boolean;
}

interface SessionOptions<S extends AnySession> {
  /** Names in the browser's storage; two apps at one address have different ones. */
  readonly keys: {
    /** In local storage and in session storage. */
    readonly session: string;
    readonly autoLogin: string;
    /** The token of the last session that the server ended, without a sign-out. */
    readonly lapsed: string;
    /** The token of the session being signed out, so that each tab knows its end as a sign-out. */
    readonly leaving: string;
    /** The player of the device's and the tab's other data, which survive a lapse. */
    readonly lastPlayer: string;
  };
  /** Checks a value that was read from storage. */
  readonly isSession: (value: unknown) => value is S;
  /** Names in local storage that a sign-out leaves. It deletes all others, as the person's. */
  readonly ofTheDevice: readonly string[];
  /** A sign-out calls it to delete the person's part of an entry that stays. */
  readonly forgetPerson: () => void;
  /** Is called whenever this tab stores or deletes its session. */
  readonly noteInTab: (session: S | null) => void;
  readonly now: () => number;
}

/** Longer than a sign-out is under way. */
const ON_ITS_WAY_MS = 30_000;

/** Throws SessionChanged where another session stands here than the one that asked. */
export type StillAsks = (what: string) => void;

export type Session<S extends AnySession> = ReturnType<typeof createSession<S>>;

/**
 * The session as the browser stores it. All tabs share it. It ends by a sign-out, or because the
 * server ends it, which is a lapse.
 */
export function createSession<S extends AnySession>(options: SessionOptions<S>) {
  const { keys, ofTheDevice, forgetPerson, noteInTab, now } = options;
  const leaving = createSignOut(keys.leaving, now);
  const useSession = create<SessionState<S>>(() => ({ session: readStored(), lapsed: false }));

  /** The token of this page's present or last session. */
  let lastToken = currentSession()?.token ?? null;
  useSession.subscribe(({ session }) => {
    if (session !== null) lastToken = session.token;
  });

  function currentSession(): S | null {
    return useSession.getState().session;
  }

  /** For work that takes time before it is sent: call the returned check when it is ready. */
  function askerNow(): StillAsks {
    const asker = currentSession()?.token;
    return (what) => {
      if (currentSession()?.token !== asker) throw new SessionChanged(`not sent: ${what}`);
    };
  }

  /** Drops the session of another brand, which this address had before. */
  function keepSessionOf(merchantCode: string): void {
    const session = currentSession();
    if (session === null || session.merchantCode === merchantCode) return;
    store(null);
    useSession.setState({ session: null, lapsed: false });
  }

  /** `autoLogin`: the next start of the app may log in again with the remembered log-in. */
  function startSession(session: S, { autoLogin = false } = {}): void {
    // Data that wait for the player of a lapsed session must not reach another player.
    if (isOfAnother("localStorage", session)) clearDevice();
    if (isOfAnother("sessionStorage", session)) clearTab();
    writeStorage("localStorage", keys.autoLogin, autoLogin ? "1" : null);
    writeStorage("localStorage", keys.lapsed, null);
    leaving.stay();
    store(session);
    useSession.setState({ session, lapsed: false });
  }

  /** The last log-in asked to be remembered, and its session has not ended since. */
  function wantsAutoLogin(): boolean {
    return readStorage("localStorage", keys.autoLogin) === "1";
  }

  function dropAutoLogin(): void {
    writeStorage("localStorage", keys.autoLogin, "0");
  }

  /**
   * The server answered the player as logged in: a sign-out with an unknown end has not happened,
   * in whichever tab it was requested.
   * @param askedIn `leavingSince` when the call was made: a call from before the sign-out proves
   *   nothing
   */
  function noteAlive(askedIn: number | null): void {
    const word = leaving.word();
    if (word === null || word.token !== currentSession()?.token || word.at !== askedIn) return;
    // Sooner than that, the sign-out may still be under way. A clock may be set back.
    if (Math.abs(now() - word.at) > ON_ITS_WAY_MS) leaving.stay();
  }

  /**
   * After a sign-out: ends the session and its automatic log-in, and deletes everything that the
   * browser stored of the person.
   */
  function leaveSession(): void {
    dropAutoLogin();
    store(null);
    forgetPerson();
    // The word of the sign-out goes last: other tabs rely on it until storage says the same.
    clearDevice();
    leaving.stay();
    // The rest of this tab's data was this player's own.
    clearTab();
    useSession.setState({ session: null, lapsed: false });
  }

  /** Whether another session than that of `token` has begun, here or in another tab. */
  function isReplaced(token: string): boolean {
    catchUp();
    return (currentSession()?.token ?? token) !== token;
  }

  /**
   * The server said that `token` has ended. A newer session stays, even one that another tab began
   * while this page lay in the browser's cache. A session that was signed out there, or is being
   * signed out, has not lapsed. The next start does not log in automatically: the end of a session
   * calls for a log-in by hand.
   * @returns whether it lapsed
   */
  function lapseSession(token: string): boolean {
    if (currentSession()?.token !== token || catchUp()) return false;
    if (leaving.isOf(token)) {
      if (leaving.tell(token)) return false;
      // The page that asked for the sign-out may be gone, and could not finish it.
      leaveSession();
      return false;
    }
    dropAutoLogin();
    // Before the session is removed, so that other tabs know why.
    writeStorage("localStorage", keys.lapsed, token);
    store(null);
    useSession.setState({ session: null, lapsed: true });
    return true;
  }

  /** Other tabs of the same browser log in and out together. */
  function followOtherTabs(): void {
    // A page in the browser's cache, or on a phone that sleeps, hears nothing meanwhile.
    window.addEventListener("pageshow", ({ persisted }) => persisted && catchUp());
    window.addEventListener("visibilitychange", catchUp);
    window.addEventListener("storage", ({ key, newValue }) => {
      if (key === keys.session || key === null) follow(parse(newValue));
      // The session that had lapsed here was signed out there.
      else if (key === keys.lapsed) catchUp();
      // Another tab heard that this page's own sign-out failed.
      else if (key === keys.leaving && newValue === null) leaving.drop();
      // The live connection reported the end before the browser told this tab of the sign-out.
      else if (key === keys.leaving && useSession.getState().lapsed && leaving.isOf(lastToken)) {
        leaveSession();
      }
    });
    // For changes while the page was starting.
    catchUp();
  }

  /** Takes over the other tabs' state where this page missed a change. */
  function catchUp(): boolean {
    const session = parse(readStorage("localStorage", keys.session));
    const { session: known, lapsed } = useSession.getState();
    const missed =
      session === null
        ? (known !== null || lapsed) && wasLeft(lastToken)
        : session.token !== known?.token;
    if (missed) follow(session);
    return missed;
  }

  function follow(session: S | null): void {
    const before = useSession.getState();
    // Another tab heard first that this page's sign-out is done.
    if (session === null && leaving.tell(before.session?.token)) return;
    const ended = session === null && readStorage("localStorage", keys.lapsed) === lastToken;
    // Signed out there, as in leaveSession.
    if (session === null ? !ended : isOfAnother("sessionStorage", session)) clearTab();
    storeInTab(session);
    useSession.setState({ session, lapsed: ended && (before.session !== null || before.lapsed) });
  }

  /**
   * Whether a session that storage no longer holds ended by a sign-out. A sign-out notes so;
   * storage that was forbidden or full has no such note.
   */
  function wasLeft(token: string | null): boolean {
    return (
      readStorage("localStorage", keys.autoLogin) === "0" &&
      readStorage("localStorage", keys.lapsed) !== token
    );
  }

  function isOfAnother(where: StorageName, { userName }: S): boolean {
    return (readStorage(where, keys.lastPlayer) ?? userName) !== userName;
  }

  function store(session: S | null): void {
    writeStorage("localStorage", keys.session, session === null ? null : JSON.stringify(session));
    noteLastPlayer("localStorage", session);
    storeInTab(session);
  }

  function noteLastPlayer(where: StorageName, session: S | null): void {
    if (session !== null) writeStorage(where, keys.lastPlayer, session.userName);
  }

  function storeInTab(session: S | null): void {
    writeStorage("sessionStorage", keys.session, session === null ? null : JSON.stringify(session));
    noteLastPlayer("sessionStorage", session);
    noteInTab(session);
  }

  /**
   * A tab that was at another site to pay still has its player's data; a new tab has none and takes
   * the shared session.
   */
  function readStored(): S | null {
    const session = parse(readStorage("localStorage", keys.session));
    const own = parse(readStorage("sessionStorage", keys.session));
    const isLeft =
      session === null
        ? own !== null && wasLeft(own.token)
        : isOfAnother("sessionStorage", session);
    if (isLeft) clearTab();
    // An earlier build did not note the player of its session.
    noteLastPlayer("localStorage", session);
    if (session !== null) storeInTab(session);
    return session ?? (isLeft ? null : own);
  }

  function parse(text: string | null): S | null {
    const value = parsed(text);
    return options.isSession(value) ? value : null;
  }

  function clearDevice(): void {
    try {
      for (const key of Object.keys(window.localStorage)) {
        if (!ofTheDevice.includes(key)) window.localStorage.removeItem(key);
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

  return {
    useSession,
    currentSession,
    askerNow,
    keepSessionOf,
    startSession,
    wantsAutoLogin,
    dropAutoLogin,
    beginLeaving: leaving.begin,
    stay: leaving.stay,
    doubtLeaving: leaving.doubt,
    leavingSince: leaving.since,
    noteAlive,
    leaveSession,
    isReplaced,
    lapseSession,
    followOtherTabs,
  };
}
