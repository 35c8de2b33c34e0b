import type { Api, Reply } from "@perya/client/api";

/** Free play as the brand's permission keys name it. */
const FREE_PLAY_MODULE = "FREEPLAY3";

/** Asks for a trial account with trial credit, logged in at once. */
export function requestTrial({
  call,
}: Pick<Api, "call">): Promise<Reply<"POST /api/v1/auth/test-play">> {
  return call("POST /api/v1/auth/test-play", { body: { moduleId: FREE_PLAY_MODULE } });
}
