import { parsed, readStorage, type StorageName, writeStorage } from "./browser-storage.ts";
import { leaveTab } from "./kept-intentions.ts";

/** The fields of every app's session. */
export interface AnySession {
  /** The half that is stored here; the other half is a cookie that no script can read. */
  readonly token: string;
  readonly merchantCode: string;
  readonly userName: string;
}

export interface StoredSessionOptions<S extends AnySession> {
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
  /** Is called whenever this tab stores or deletes its session. */
  readonly noteInTab: (session: S | null) => void;
}

export type StoredSession<S extends AnySession> = ReturnType<typeof createStoredSession<S>>;

/** A session in the browser's storage: the shared one in local storage, and the tab's own copy. */
export function createStoredSession<S extends AnySession>(options: StoredSessionOptions<S>) {
  const { keys, isSession, ofTheDevice, noteInTab } = options;

  /**
   * Whether a session that storage no longer holds ended by a sign-out. A sign-out notes so;
   * storage that was forbidden or full has no such note.
   */
  function wasLeft(token: string | null): boolean {
    return readStorage("localStorage", keys.autoLogin) === "0" && !hasLapsed(token);
  }

  function hasLapsed(token: string | null): boolean {
    return readStorage("localStorage", keys.lapsed) === token;
  }

  function isOfAnother(where: StorageName, { userName }: S): boolean {
    return (readStorage(where, keys.lastPlayer) ?? userName) !== userName;
  }

  function noteLastPlayer(where: StorageName, session: S | null): void {
    if (session !== null) writeStorage(where, keys.lastPlayer, session.userName);
  }

  function storeInTab(session: S | null): void {
    writeStorage("sessionStorage", keys.session, session === null ? null : JSON.stringify(session));
    noteLastPlayer("sessionStorage", session);
    noteInTab(session);
  }

  function readShared(): S | null {
    return parse(readStorage("localStorage", keys.session));
  }

  function parse(text: string | null): S | null {
    const value = parsed(text);
    return isSession(value) ? value : null;
  }

  function clearTab(): void {
    try {
      leaveTab(sessionStorage);
    } catch {
      // See readStorage.
    }
  }

  return {
    /** The last log-in asked to be remembered, and its session has not ended since. */
    wantsAutoLogin: () => readStorage("localStorage", keys.autoLogin) === "1",
    keepAutoLogin: (wanted: boolean) =>
      writeStorage("localStorage", keys.autoLogin, wanted ? "1" : null),
    dropAutoLogin: () => writeStorage("localStorage", keys.autoLogin, "0"),
    /** Other tabs read from it that the end of `token` was no sign-out. */
    noteLapse: (token: string | null) => writeStorage("localStorage", keys.lapsed, token),
    hasLapsed,
    wasLeft,
    isOfAnother,
    store(session: S | null): void {
      writeStorage("localStorage", keys.session, session === null ? null : JSON.stringify(session));
      noteLastPlayer("localStorage", session);
      storeInTab(session);
    },
    storeInTab,
    /**
     * A tab that was at another site to pay still has its player's data; a new tab has none and takes
     * the shared session.
     */
    read(): S | null {
      const session = readShared();
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
    },
    readShared,
    parse,
    clearDevice(): void {
      try {
        for (const key of Object.keys(localStorage)) {
          if (!ofTheDevice.includes(key)) localStorage.removeItem(key);
        }
      } catch {
        // See readStorage.
      }
    },
    clearTab,
  };
}
