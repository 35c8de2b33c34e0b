import type { Channel } from "@perya/contract/socket";
import type { Sessions } from "./modules/identity/identity.ts";
import type { Parts } from "./parts.ts";
import { sessionCookieOf } from "./platform/http/cookies.ts";
import { senderOf, trustOf } from "./platform/http/sender.ts";
import { Live, type ReadSnapshot } from "./platform/sockets/live.ts";

/** On the bus: which sessions have ended, for the sockets that other processes hold of them. */
const SESSIONS_TOPIC = "sessions";

export function createLive(
  { config, log, clock, entropy, bus, brands, metrics }: Parts,
  sessions: Sessions,
  snapshots: Readonly<Record<Channel, ReadSnapshot>>,
): Live {
  const trust = trustOf(config.trustProxy);
  const secure = config.publicUrl.startsWith("https:");
  const live = new Live({
    ...{ log, clock, entropy, bus, snapshots },
    path: "/ws",
    sessionOf: async (host, token, cookieHeader) => {
      const merchant = await brands.byHost(host);
      if (merchant === null) return null;
      const halves = { storage: token, cookie: sessionCookieOf(cookieHeader, secure) };
      const session = await sessions.find(merchant, halves);
      return session?.ok === true ? session.value : null;
    },
    brandOf: async (host) => (await brands.byHost(host))?.id ?? null,
    endedOf: (sessionIds) => sessions.endedOf(sessionIds),
    senderOf: (request) => senderOf(request, trust),
    onCount: (open) => metrics.sockets.set(open),
  });
  // This process hears its own message too, so its sockets are closed in the same way.
  sessions.onEnded((sessionId, how) => bus.publish(SESSIONS_TOPIC, `${how} ${sessionId}`));
  bus.subscribe(SESSIONS_TOPIC, (message) => {
    const [how, sessionId = ""] = message.split(" ");
    sessions.dropFromCache(sessionId);
    if (how === "ended") live.endSession(sessionId);
    else live.dropSession(sessionId);
  });
  return live;
}
