import { RECENT_GAMES_KEY } from "@perya/client/queries/player-games";
import { api, queryClient } from "../../shell/server.ts";
import { currentSession } from "../../shell/session.ts";

/** Puts an opened game at the front of the recent ones; nothing waits for it. */
export function noteOpened(nodeId: number): void {
  if (currentSession() === null) return;
  api.call("GET /api/v1/member/recent-games/add", { query: { nodeId } }).then(
    () => queryClient.invalidateQueries({ queryKey: RECENT_GAMES_KEY }),
    // A game missing from a list is no reason to disturb a player who is about to play.
    () => undefined,
  );
}
