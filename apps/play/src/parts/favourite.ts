import { FAVOURITE_IDS_KEY, FAVOURITES_KEY } from "@perya/client/queries";
import type { Game } from "@perya/contract/catalogue";
import { type InfiniteData, useMutation, useQuery } from "@tanstack/react-query";
import { sayFault } from "../shell/fault.ts";
import { api, queries, queryClient } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";

type Pages = InfiniteData<{ readonly games: readonly Game[] }>;

/** Lotteries have no star (specification, games §2.8). */
export function hasStar({ gameType }: Pick<Game, "gameType">): boolean {
  return gameType !== "LOTT" && gameType !== "ELOTT";
}

/**
 * Whether the player keeps a game, and the tap that changes it: shown at once, sent after that,
 * and taken back where the server refuses. Nothing is read while nobody is logged in.
 */
export function useFavourite({ nodeId, vassalage }: Pick<Game, "nodeId" | "vassalage">) {
  const loggedIn = useSession(({ session }) => session !== null);
  const ids = useQuery({ ...queries.favouriteIds(), enabled: loggedIn });
  const kept = loggedIn && ids.data?.includes(nodeId) === true;
  const change = useMutation({
    scope: { id: `favourite ${nodeId}` },
    mutationFn: (keep: boolean): Promise<{ kept: boolean }> => {
      const body = { nodeId, vendor: vassalage };
      return keep
        ? api.call("POST /api/v1/member/favourites", { body })
        : api.call("DELETE /api/v1/member/favourites", { body });
    },
    onMutate: (keep) => show(nodeId, keep),
    onError: (error) => {
      sayFault(error);
      void queryClient.invalidateQueries({ queryKey: FAVOURITE_IDS_KEY });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: FAVOURITES_KEY }),
  });
  return {
    kept,
    /** A tap before it is known what is kept waits for that: it must not undo what it cannot see. */
    toggle: () => {
      queryClient
        .ensureQueryData(queries.favouriteIds())
        .then((list) => change.mutate(!list.includes(nodeId)), sayFault);
    },
  };
}

function show(nodeId: number, keep: boolean): void {
  queryClient.setQueryData<number[]>(FAVOURITE_IDS_KEY, (ids) => {
    const others = ids?.filter((id) => id !== nodeId) ?? [];
    return keep ? [nodeId, ...others] : others;
  });
  if (keep) return;
  queryClient.setQueriesData<Pages>({ queryKey: FAVOURITES_KEY }, (old) =>
    old === undefined
      ? undefined
      : {
          ...old,
          pages: old.pages.map((page) => ({
            ...page,
            games: page.games.filter((game) => game.nodeId !== nodeId),
          })),
        },
  );
}
