import { FAVOURITE_IDS_KEY, FAVOURITES_KEY } from "@perya/client/queries/player-games";
import type { Game } from "@perya/contract/catalogue";
import { type InfiniteData, type QueryKey, useMutation, useQuery } from "@tanstack/react-query";
import { sayFault } from "../../shell/fault.ts";
import { api, queries, queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";

type Pages = InfiniteData<{ readonly games: readonly Game[] }>;

const CHANGE_KEY = ["favourite change"] as const;
/** Games that were tapped before the favourites were known. */
const waiting = new Set<number>();

/** Lotteries have no star (specification, games §2.8). */
export function hasStar({ gameType }: Pick<Game, "gameType">): boolean {
  return gameType !== "LOTT" && gameType !== "ELOTT";
}

/**
 * Whether the player keeps a game, and the tap that changes it: shown at once, then sent, undone
 * where the server refuses, and read again. Nothing is read while nobody is logged in.
 */
export function useFavourite({ nodeId, vassalage }: Pick<Game, "nodeId" | "vassalage">) {
  const loggedIn = useSession(({ session }) => session !== null);
  const ids = useQuery({ ...queries.favouriteIds(), enabled: loggedIn });
  const kept = loggedIn && ids.data?.includes(nodeId) === true;
  const change = useMutation({
    mutationKey: CHANGE_KEY,
    scope: { id: `favourite ${nodeId}` },
    mutationFn: (keep: boolean): Promise<{ kept: boolean }> => {
      const body = { nodeId, vendor: vassalage };
      return keep
        ? api.call("POST /api/v1/member/favourites", { body })
        : api.call("DELETE /api/v1/member/favourites", { body });
    },
    onMutate: (keep) => show(nodeId, keep),
    onError: (error, _, takeBack) => {
      takeBack?.();
      sayFault(error);
    },
    onSettled: reread,
  });
  return {
    kept,
    /**
     * Before the favourites are known every star is unlit, so a tap means to keep the game: it
     * waits, and does nothing where the game is kept already.
     */
    toggle: () => {
      const known = queryClient.getQueryData<number[]>(FAVOURITE_IDS_KEY);
      if (known !== undefined) return change.mutate(!known.includes(nodeId));
      if (waiting.has(nodeId)) return;
      waiting.add(nodeId);
      queryClient
        .ensureQueryData(queries.favouriteIds())
        .then((list) => void (!list.includes(nodeId) && change.mutate(true)), sayFault)
        .finally(() => waiting.delete(nodeId));
    },
  };
}

/** Shows the change and returns its undo. Calls under way are cancelled: they lack the change. */
function show(nodeId: number, keep: boolean): () => void {
  void queryClient.cancelQueries({ queryKey: FAVOURITE_IDS_KEY });
  void queryClient.cancelQueries({ queryKey: FAVOURITES_KEY });
  const kept = queryClient.getQueryData<number[]>(FAVOURITE_IDS_KEY)?.includes(nodeId);
  setKept(nodeId, keep);
  const backs = keep ? [] : takenFromLists(nodeId);
  return () => {
    if (kept !== undefined) setKept(nodeId, kept);
    for (const putBack of backs) putBack();
  };
}

function setKept(nodeId: number, keep: boolean): void {
  queryClient.setQueryData<number[]>(FAVOURITE_IDS_KEY, (ids) => {
    const others = ids?.filter((id) => id !== nodeId);
    return keep && others !== undefined ? [nodeId, ...others] : others;
  });
}

/** Takes a game from every list of favourites; each returned function puts it back where it was. */
function takenFromLists(nodeId: number): (() => void)[] {
  const lists = queryClient.getQueriesData<Pages>({ queryKey: FAVOURITES_KEY });
  return lists.flatMap(([key, list]) =>
    (list?.pages ?? []).flatMap(({ games }, pageAt) => {
      const at = games.findIndex((game) => game.nodeId === nodeId);
      const game = games[at];
      if (game === undefined) return [];
      setGames(key, pageAt, (shown) => shown.filter((one) => one.nodeId !== nodeId));
      return [() => setGames(key, pageAt, (shown) => withGame(shown, at, game))];
    }),
  );
}

function withGame(games: readonly Game[], at: number, game: Game): readonly Game[] {
  const isThere = games.some(({ nodeId }) => nodeId === game.nodeId);
  return isThere ? games : [...games.slice(0, at), game, ...games.slice(at)];
}

function setGames(
  key: QueryKey,
  pageAt: number,
  change: (games: readonly Game[]) => readonly Game[],
): void {
  queryClient.setQueryData<Pages>(key, (list) => {
    if (list === undefined) return undefined;
    const pages = list.pages.map((page, at) =>
      at === pageAt ? { ...page, games: change(page.games) } : page,
    );
    return { ...list, pages };
  });
}

/** Only after the last of several changes: a list read earlier would lack the others. */
function reread(): void {
  if (queryClient.isMutating({ mutationKey: CHANGE_KEY }) > 1) return;
  void queryClient.invalidateQueries({ queryKey: FAVOURITE_IDS_KEY });
  void queryClient.invalidateQueries({ queryKey: FAVOURITES_KEY });
}
