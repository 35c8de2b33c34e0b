import { tabStore } from "@perya/client/browser-storage";
import { useLocation, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { useSession } from "../../shell/session.ts";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** In whose time in this tab the words of the address came to stand there. */
    wordsOf?: string;
  }
}

const STORAGE_KEY = "MC_WORDS_OF";
/** What is typed to search for games, as addresses have it. */
const WORDS = ["q", "name", "minBet"];

const store = tabStore();

/** The tab's storage is emptied when its player leaves, and whoever comes then has another. */
export function wordsOf(): string {
  const known = store.getItem(STORAGE_KEY);
  if (known !== null) return known;
  const fresh = crypto.getRandomValues(new Uint32Array(2)).join("-");
  store.setItem(STORAGE_KEY, fresh);
  return fresh;
}

/** What the history notes with an address. */
export function ownMark(hasWords: boolean): { readonly wordsOf?: string } {
  return hasWords ? { wordsOf: wordsOf() } : {};
}

/**
 * False where the words of the address are those of a player who has left, however the next one
 * came to it: they are to be shown no more, and `forget` puts the address without them in its place.
 */
export function useOwnWords(hasWords: boolean, forget: () => void): boolean {
  const router = useRouter();
  // Whoever leaves or comes empties the tab's storage first.
  useSession(({ session }) => session);
  const marked = useLocation({ select: ({ state }) => state.wordsOf });
  const { wordsOf: own } = ownMark(hasWords);
  const isOwn = !hasWords || marked === undefined || marked === own;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `forget` is anew with every render.
  useEffect(() => {
    if (!isOwn) forget();
    // A link that was opened is whoever's opened it.
    else if (hasWords && marked === undefined) {
      const { href, state } = router.history.location;
      router.history.replace(href, { ...state, ...ownMark(true) });
    }
  }, [isOwn, hasWords, marked, own, router]);
  return isOwn;
}

/** A path of the app without what was typed to search for games. */
export function withoutWords(path: string): string {
  const [page = "", given = ""] = path.split("?");
  const search = new URLSearchParams(given);
  for (const name of WORDS) search.delete(name);
  return search.toString() === "" ? page : `${page}?${search}`;
}
