import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { type Api, createApi } from "./api.ts";
import { browserLive, type Live } from "./live.ts";
import { OWN_KEY } from "./own-key.ts";
import { seal } from "./seal.ts";
import type { Session } from "./session.ts";
import type { AnySession } from "./stored-session.ts";

interface ConnectOptions<S extends AnySession> {
  readonly session: Session<S>;
  /** As the language picker stores it: TY, EN. */
  readonly getLanguage: () => string;
  /** The page runs as an installed app. */
  readonly isStandalone: () => boolean;
  /** Is called with the error of each query and mutation that fails. */
  readonly onFault: (error: Error) => void;
  /** Is called in each tab when the server ends the session. */
  readonly onLapse: () => void;
}

interface Line {
  readonly api: Api;
  readonly queryClient: QueryClient;
  readonly live: Live;
}

/** A page's connection to the server: calls, cached queries, live channels. */
export function connect<S extends AnySession>(options: ConnectOptions<S>): Line {
  const { session, getLanguage, isStandalone } = options;
  const getSessionToken = () => session.currentSession()?.token ?? null;
  const api = createApi({
    ...{ getSessionToken, getLanguage, isStandalone, seal },
    onSessionEnded: session.lapseSession,
  });
  const queryClient = createQueryClient(options);
  const live = browserLive({
    getSessionToken,
    onSessionEnded: () => {
      const token = getSessionToken();
      if (token !== null) session.lapseSession(token);
    },
    onServerTime: api.alignClock,
  });
  followSession(options, queryClient, live);
  return { api, queryClient, live };
}

function createQueryClient<S extends AnySession>({ session, onFault }: ConnectOptions<S>) {
  /** The sign-out under way when each query was asked. */
  const askedIn = new WeakMap<object, number | null>();
  const queryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: onFault,
      onSuccess: (_, query) =>
        query.queryKey[0] === OWN_KEY && session.noteAlive(askedIn.get(query) ?? null),
    }),
    mutationCache: new MutationCache({ onError: onFault }),
    defaultOptions: {
      queries: {
        // The API client has tried again already, and a refusal stays a refusal.
        retry: false,
        // A phone without a network shows its data and says so, rather than waiting.
        networkMode: "always",
        staleTime: 30_000,
        gcTime: 10 * 60_000,
      },
      mutations: { networkMode: "always" },
    },
  });
  queryClient.getQueryCache().subscribe((event) => {
    const isAsked = event.type === "updated" && event.action.type === "fetch";
    if (isAsked && event.query.queryKey[0] === OWN_KEY) {
      askedIn.set(event.query, session.leavingSince());
    }
  });
  return queryClient;
}

function followSession<S extends AnySession>(
  { session: { currentSession, useSession }, onLapse }: ConnectOptions<S>,
  queryClient: QueryClient,
  live: Live,
): void {
  /** The player of the page's rows: a lapsed session keeps them, because that player may return. */
  let player = currentSession()?.userName ?? null;

  /** Another player's rows must not stay on the screen or in the cache: each observer is reset. */
  const dropRows = () => {
    const rows = { queryKey: [OWN_KEY] };
    for (const query of queryClient.getQueryCache().findAll(rows)) query.reset();
    queryClient.removeQueries({ ...rows, type: "inactive" });
    // Without a session there is nothing to ask.
    if (currentSession() !== null) void queryClient.refetchQueries(rows);
  };

  useSession.subscribe(({ session, lapsed }, before) => {
    if (session?.token === before.session?.token && lapsed === before.lapsed) return;
    if (!lapsed) {
      const next = session?.userName ?? null;
      // The same player's rows stay until they are read again.
      if (next === player) void queryClient.invalidateQueries({ queryKey: [OWN_KEY] });
      else dropRows();
      // Searches and typed values must not stay in the cache.
      if (next === null) {
        queryClient.removeQueries({ type: "inactive" });
        queryClient.getMutationCache().clear();
      }
      player = next;
    } else {
      onLapse();
    }
    live.restart();
  });
}
