import { parsed, readStorage, writeStorage } from "./browser-storage.ts";

/** The record of a sign-out: its session, and its time by this device's clock. */
interface Leaving {
  readonly token: string;
  readonly at: number;
}

/** Longer than a sign-out is under way. */
const ON_ITS_WAY_MS = 30_000;

export type SignOut = ReturnType<typeof createSignOut>;

/**
 * Follows a sign-out until its end is known. All tabs read its record in storage.
 * @param key the record's name in storage
 */
export function createSignOut(key: string, now: () => number) {
  /** The sign-out that this page asked for; `over` is called when the page hears of its end. */
  let asked: (Leaving & { readonly over: () => void }) | null = null;

  function word(): Leaving | null {
    const kept: unknown = parsed(readStorage("localStorage", key));
    const isWord =
      typeof kept === "object" &&
      kept !== null &&
      "token" in kept &&
      typeof kept.token === "string" &&
      "at" in kept &&
      typeof kept.at === "number";
    return isWord ? { token: kept.token as string, at: kept.at as number } : asked;
  }

  function stay(): void {
    asked = null;
    writeStorage("localStorage", key, null);
  }

  return {
    /**
     * The player signs out: from now on no tab treats the end of `token` as a lapse, even if the
     * live connection reports it before the server's reply.
     * @returns resolves where the page hears that it has ended
     */
    begin(token: string): Promise<void> {
      const begun: Leaving = { token, at: now() };
      writeStorage("localStorage", key, JSON.stringify(begun));
      return new Promise((over) => {
        asked = { ...begun, over };
      });
    },
    /** The sign-out failed: the session goes on, and its later end is a lapse. */
    stay,
    /**
     * The server answered `token` as logged in: a sign-out with an unknown end has not happened, in
     * whichever tab it was requested.
     * @param askedIn `since` when the call was made: a call from before the sign-out proves nothing
     */
    noteAlive(token: string | undefined, askedIn: number | null): void {
      const kept = word();
      if (kept === null || kept.token !== token || kept.at !== askedIn) return;
      // Sooner than that, the sign-out may still be under way. A clock may be set back.
      if (Math.abs(now() - kept.at) > ON_ITS_WAY_MS) stay();
    },
    /** No answer came to the sign-out; `over` is called if it turns out to have happened. */
    doubt(over: () => void): void {
      if (asked !== null) asked = { ...asked, over };
    },
    /** When the sign-out with an unknown end was requested; null without one. */
    since: (): number | null => word()?.at ?? null,
    isOf: (token: string | null): boolean => word()?.token === token,
    /** Another tab heard that this page's own sign-out failed. */
    drop(): void {
      asked = null;
    },
    /** Reports once that this page's own sign-out is done; false if it has none of `token`. */
    tell(token: string | undefined): boolean {
      if (asked === null || asked.token !== token) return false;
      const { over } = asked;
      asked = { ...asked, over: () => undefined };
      over();
      return true;
    },
  };
}
