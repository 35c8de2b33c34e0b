import type { Api } from "@perya/client/api";
import type { SessionInfo } from "../../shell/session.ts";

/** The brand's permission key of free play. */
const FREE_PLAY_MODULE = "FREEPLAY3";

/**
 * Asks for a trial account with trial credit; its reply has another name for the session's type.
 * @param module false where a trial is asked for by itself, without a game
 */
export async function requestTrial(
  { call }: Pick<Api, "call">,
  module: boolean,
): Promise<SessionInfo> {
  const { customerType, ...session } = module
    ? await call("POST /api/v1/auth/test-play", { body: { moduleId: FREE_PLAY_MODULE } })
    : await call("GET /api/v1/auth/trial-account");
  return { ...session, type: customerType };
}
