import { RECENT_GAMES_KEY } from "@perya/client/queries/player-games";
import { api, queryClient } from "../../shell/server.ts";
import { currentSession } from "../../shell/session.ts";

/** Puts a game that is being opened to the front of the recent ones; nobody waits for it. */
export function noteOpened(nodeId: number): void {
  if (currentSession() === null) return;
  api.call("GET /api/v1/member/recent-games/add", { query: { nodeId } }).then(
    () => queryClient.invalidateQueries({ queryKey: RECENT_GAMES_KEY }),
    // A list that misses one game is no reason to disturb a player who is about to play.
    () => undefined,
  );
}
