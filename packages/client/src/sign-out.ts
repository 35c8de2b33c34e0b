import { parsed, readStorage, writeStorage } from "./browser-storage.ts";

/** The word of a sign-out: of which session, and when by this device's clock. */
interface Leaving {
  readonly token: string;
  readonly at: number;
}

/**
 * Follows a sign-out until its end is known. All tabs read its word in storage.
 * @param key the word's name in storage
 */
export function createSignOut(key: string, now: () => number) {
  /** The sign-out that this page asked for; `over` is called when the page hears that it is done. */
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

  return {
    word,
    /**
     * The player signs out: from here on no tab takes the end of `token` for a lapse, though the
     * live line may tell of it before the server's reply does.
     * @returns resolves where the page hears that it has ended
     */
    begin(token: string): Promise<void> {
      const begun: Leaving = { token, at: now() };
      writeStorage("localStorage", key, JSON.stringify(begun));
      return new Promise((over) => {
        asked = { ...begun, over };
      });
    },
    /** The sign-out came to nothing: the session goes on, and what ends it later is a lapse. */
    stay(): void {
      asked = null;
      writeStorage("localStorage", key, null);
    },
    /** No answer came to the sign-out; `over` is called if it turns out to have happened. */
    doubt(over: () => void): void {
      if (asked !== null) asked = { ...asked, over };
    },
    /** When the sign-out was asked for of which nobody knows whether it happened; null without one. */
    since: (): number | null => word()?.at ?? null,
    isOf: (token: string | null): boolean => word()?.token === token,
    /** Another tab heard that this page's own sign-out came to nothing. */
    drop(): void {
      asked = null;
    },
    /** Tells this page's own sign-out, once, that it is done; false where there is none of `token`. */
    tell(token: string | undefined): boolean {
      if (asked === null || asked.token !== token) return false;
      const { over } = asked;
      asked = { ...asked, over: () => undefined };
      over();
      return true;
    },
  };
}
