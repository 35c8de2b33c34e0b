import type { Api } from "@perya/client/api";
import type { SessionInfo } from "../shell/session.ts";

/** Free play as the brand's permission keys name it. */
const FREE_PLAY_MODULE = "FREEPLAY3";

/** Asks for a trial account with trial credit; its reply names the session's type otherwise. */
export async function requestTrial({ call }: Pick<Api, "call">): Promise<SessionInfo> {
  const { customerType, ...session } = await call("POST /api/v1/auth/test-play", {
    body: { moduleId: FREE_PLAY_MODULE },
  });
  return { ...session, type: customerType };
}
