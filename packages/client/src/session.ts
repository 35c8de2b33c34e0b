import { create, type StoreApi } from "zustand";
import { SessionChanged } from "./refused.ts";
import { createSignOut, type SignOut } from "./sign-out.ts";
import {
  type AnySession,
  createStoredSession,
  type StoredSession,
  type StoredSessionOptions,
} from "./stored-session.ts";

interface SessionState<S extends AnySession> {
  readonly session: S | null;
  /**
   * The server ended the session while its page was open: the page stays as it is, below the log-in
   * popup, so that no typed value is lost.
   */
  readonly lapsed: boolean;
}

interface SessionOptions<S extends AnySession> extends StoredSessionOptions<S> {
  /** A sign-out calls it to delete the person's part of an entry that stays. */
  readonly forgetPerson: () => void;
  readonly now: () => number;
}

/** Throws SessionChanged where another session stands here than the one that asked. */
export type StillAsks = (what: string) => void;

export type Session<S extends AnySession> = ReturnType<typeof createSession<S>>;

/**
 * The session as the browser stores it. All tabs share it. It ends by a sign-out, or because the
 * server ends it, which is a lapse.
 */
export function createSession<S extends AnySession>(options: SessionOptions<S>) {
  const { keys, forgetPerson, now } = options;
  const stored = createStoredSession(options);
  const leaving = createSignOut(keys.leaving, now);
  const useSession = create<SessionState<S>>(() => ({ session: stored.read(), lapsed: false }));
  const { catchUp, listen } = createTabs(stored, leaving, useSession);

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

  /** Drops a session of another brand: the address may have served one earlier. */
  function keepSessionOf(merchantCode: string): void {
    const session = currentSession();
    if (session === null || session.merchantCode === merchantCode) return;
    stored.store(null);
    useSession.setState({ session: null, lapsed: false });
  }

  /** `autoLogin`: the next start of the app may log in again with the remembered log-in. */
  function startSession(session: S, { autoLogin = false } = {}): void {
    // Data that wait for the player of a lapsed session must not reach another player.
    if (stored.isOfAnother("localStorage", session)) stored.clearDevice();
    if (stored.isOfAnother("sessionStorage", session)) stored.clearTab();
    stored.keepAutoLogin(autoLogin);
    stored.noteLapse(null);
    leaving.stay();
    stored.store(session);
    useSession.setState({ session, lapsed: false });
  }

  /**
   * After a sign-out: ends the session and its automatic log-in, and deletes everything that the
   * browser stored of the person.
   */
  function leaveSession(): void {
    stored.dropAutoLogin();
    stored.store(null);
    forgetPerson();
    // The word of the sign-out goes last: other tabs rely on it until storage says the same.
    stored.clearDevice();
    leaving.stay();
    // The rest of this tab's data was this player's own.
    stored.clearTab();
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
    stored.dropAutoLogin();
    // Before the session is removed, so that other tabs know why.
    stored.noteLapse(token);
    stored.store(null);
    useSession.setState({ session: null, lapsed: true });
    return true;
  }

  return {
    useSession,
    currentSession,
    askerNow,
    keepSessionOf,
    startSession,
    wantsAutoLogin: stored.wantsAutoLogin,
    dropAutoLogin: stored.dropAutoLogin,
    beginLeaving: leaving.begin,
    stay: leaving.stay,
    doubtLeaving: leaving.doubt,
    leavingSince: leaving.since,
    /** The server answered the player as logged in; see `createSignOut`. */
    noteAlive: (askedIn: number | null) => leaving.noteAlive(currentSession()?.token, askedIn),
    leaveSession,
    isReplaced,
    lapseSession,
    /** Other tabs of the same browser log in and out together. */
    followOtherTabs: () => listen(keys, leaveSession),
  };
}

function createTabs<S extends AnySession>(
  stored: StoredSession<S>,
  leaving: SignOut,
  state: StoreApi<SessionState<S>>,
) {
  /** The token of this page's present or last session. */
  let lastToken = state.getState().session?.token ?? null;
  state.subscribe(({ session }) => {
    if (session !== null) lastToken = session.token;
  });

  /** Takes over the other tabs' state where this page missed a change. */
  function catchUp(): boolean {
    const session = stored.readShared();
    const { session: known, lapsed } = state.getState();
    const missed =
      session === null
        ? (known !== null || lapsed) && stored.wasLeft(lastToken)
        : session.token !== known?.token;
    if (missed) follow(session);
    return missed;
  }

  function follow(session: S | null): void {
    const before = state.getState();
    // Another tab heard first that this page's sign-out is done.
    if (session === null && leaving.tell(before.session?.token)) return;
    const ended = session === null && stored.hasLapsed(lastToken);
    // Signed out there, as in leaveSession.
    const isOver = session === null ? !ended : stored.isOfAnother("sessionStorage", session);
    if (isOver) stored.clearTab();
    stored.storeInTab(session);
    state.setState({ session, lapsed: ended && (before.session !== null || before.lapsed) });
  }

  /** @param onLeft is called when another tab signed out the session that had lapsed here */
  function listen(keys: SessionOptions<S>["keys"], onLeft: () => void): void {
    // A page in the browser's cache, or on a phone that sleeps, hears nothing meanwhile.
    window.addEventListener("pageshow", ({ persisted }) => persisted && catchUp());
    window.addEventListener("visibilitychange", catchUp);
    window.addEventListener("storage", ({ key, newValue }) => {
      if (key === keys.session || key === null) follow(stored.parse(newValue));
      // The session that had lapsed here was signed out there.
      else if (key === keys.lapsed) catchUp();
      // Another tab heard that this page's own sign-out failed.
      else if (key === keys.leaving && newValue === null) leaving.drop();
      // The live connection reported the end before the browser told this tab of the sign-out.
      else if (key === keys.leaving && state.getState().lapsed && leaving.isOf(lastToken)) {
        onLeft();
      }
    });
    // For changes while the page was starting.
    catchUp();
  }

  return { catchUp, listen };
}
