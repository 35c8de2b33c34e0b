import { tabStore } from "@perya/client/browser-storage";
import { useLocation, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { useSession } from "../../shell/session.ts";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Identifies the player in this tab who typed the words of the address. */
    wordsOf?: string;
  }
}

const STORAGE_KEY = "MC_WORDS_OF";
/** The parameters of an address that hold typed search texts. */
const WORDS = ["q", "name", "minBet"];

const store = tabStore();

/** The tab's storage is emptied when its player leaves, so the next player gets another id. */
export function wordsOf(): string {
  const known = store.getItem(STORAGE_KEY);
  if (known !== null) return known;
  const fresh = crypto.getRandomValues(new Uint32Array(2)).join("-");
  store.setItem(STORAGE_KEY, fresh);
  return fresh;
}

/** The history's note beside an address. */
export function ownMark(hasWords: boolean): { readonly wordsOf?: string } {
  return hasWords ? { wordsOf: wordsOf() } : {};
}

/**
 * False if another player typed the words in the address. They must not be shown, and `forget`
 * replaces the address by one without them.
 */
export function useOwnWords(hasWords: boolean, forget: () => void): boolean {
  const router = useRouter();
  // A player who leaves or comes empties the tab's storage first.
  useSession(({ session }) => session);
  const marked = useLocation({ select: ({ state }) => state.wordsOf });
  const { wordsOf: own } = ownMark(hasWords);
  const isOwn = !hasWords || marked === undefined || marked === own;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `forget` is anew with every render.
  useEffect(() => {
    if (!isOwn) forget();
    // The words of an opened link belong to the player who opened it.
    else if (hasWords && marked === undefined) {
      const { href, state } = router.history.location;
      router.history.replace(href, { ...state, ...ownMark(true) });
    }
  }, [isOwn, hasWords, marked, own, router]);
  return isOwn;
}

/** A path of the app without the typed search texts. */
export function withoutWords(path: string): string {
  const [page = "", given = ""] = path.split("?");
  const search = new URLSearchParams(given);
  for (const name of WORDS) search.delete(name);
  return search.toString() === "" ? page : `${page}?${search}`;
}
