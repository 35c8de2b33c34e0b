import { createApi } from "@perya/client/api";
import { browserLive } from "@perya/client/live";
import { OWN_KEY } from "@perya/client/own-key";
import { createQueries } from "@perya/client/queries";
import { ApiRefusal } from "@perya/client/refused";
import { TOAST_MS } from "@perya/ui/toast-times";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { notify } from "./notify.ts";
import { isInstalled, runMode } from "./run-mode.ts";
import { seal } from "./seal.ts";
import { currentSession, lapseSession, leavingSince, noteAlive, useSession } from "./session.ts";
import { currentLanguage, textOf } from "./text.ts";

/** The page's one line to the server: calls, cached queries, live channels. */
export const api = createApi({
  getSessionToken: () => currentSession()?.token ?? null,
  getLanguage: currentLanguage,
  isStandalone: () => isInstalled(runMode()),
  onSessionEnded: lapseSession,
  seal,
});

/** Which sign-out each question was asked in. */
const askedIn = new WeakMap<object, number | null>();

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: askWhetherOpen,
    onSuccess: (_, query) => query.queryKey[0] === OWN_KEY && noteAlive(askedIn.get(query) ?? null),
  }),
  mutationCache: new MutationCache({ onError: askWhetherOpen }),
  defaultOptions: {
    queries: {
      // The API client has tried again already, and a refusal stays one.
      retry: false,
      // A phone without a network shows what it has and says so, rather than waiting.
      networkMode: "always",
      staleTime: 30_000,
      gcTime: 10 * 60_000,
    },
    mutations: { networkMode: "always" },
  },
});

queryClient.getQueryCache().subscribe((event) => {
  const isAsked = event.type === "updated" && event.action.type === "fetch";
  if (isAsked && event.query.queryKey[0] === OWN_KEY) askedIn.set(event.query, leavingSince());
});

export const merchantCode = () => queryClient.getQueryData(statusKey)?.info.merchantCode;
export const queries = createQueries(api, merchantCode);
const statusKey = queries.status().queryKey;

export const live = browserLive({
  getSessionToken: () => currentSession()?.token ?? null,
  onSessionEnded: () => {
    const session = currentSession();
    if (session !== null) lapseSession(session.token);
  },
  onServerTime: api.alignClock,
});

/** Whose rows the page holds: a session that lapsed leaves them, for the same player may return. */
let player = currentSession()?.userName ?? null;

useSession.subscribe(({ session, lapsed }, before) => {
  if (session?.token === before.session?.token && lapsed === before.lapsed) return;
  if (!lapsed) {
    const next = session?.userName ?? null;
    // The same player's rows stay until they are read again.
    if (next === player) void queryClient.invalidateQueries({ queryKey: [OWN_KEY] });
    else dropRows();
    // What was searched for and typed stays in no list of past questions.
    if (next === null) {
      queryClient.removeQueries({ type: "inactive" });
      queryClient.getMutationCache().clear();
    }
    player = next;
  } else {
    // In each tab, whichever heard of it first. Whoever holds the phone may look up only now.
    notify.error(() => textOf("error.session_ended"), "session", TOAST_MS.long);
  }
  live.restart();
});

/** Another player's rows must not be seen, nor stay where they are shown: each observer is told. */
function dropRows(): void {
  const rows = { queryKey: [OWN_KEY] };
  for (const query of queryClient.getQueryCache().findAll(rows)) query.reset();
  queryClient.removeQueries({ ...rows, type: "inactive" });
  // Without a session there is nothing to ask.
  if (currentSession() !== null) void queryClient.refetchQueries(rows);
}

/** A call that the whole site refuses: the status says whether it is the site or this one thing. */
export function askWhetherOpen(error: Error): void {
  if (!(error instanceof ApiRefusal)) return;
  const { code } = error.problem;
  if (code !== "maintenance" && code !== "region_restricted") return;
  const { queryKey } = queries.status();
  if (queryClient.getQueryState(queryKey)?.fetchStatus === "fetching") return;
  void queryClient.invalidateQueries({ queryKey });
}
