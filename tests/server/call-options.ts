import type { Clock, Entropy } from "@perya/kernel/instant";
import { type Brands, isOn, type Merchant } from "../../apps/server/src/modules/brand/brand.ts";
import type { Session } from "../../apps/server/src/modules/identity/identity.ts";
import type { CallServerOptions } from "../../apps/server/src/platform/http/handlers.ts";
import { localRateLimiter } from "../../apps/server/src/platform/http/rate-limit.ts";
import type { Logger } from "../../apps/server/src/platform/log.ts";

/** Options of a server whose calls nobody logs in for and nobody seals. */
export function openOptions(deps: {
  readonly log: Logger;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly brands: Brands;
}): CallServerOptions<Merchant, Session> {
  const { log, clock, entropy, brands } = deps;
  return {
    log,
    clock,
    entropy,
    trustProxy: false,
    regions: null,
    secure: true,
    checkReplies: true,
    rateLimiter: localRateLimiter(clock),
    metrics: { observe: () => undefined },
    merchantOf: (host) => brands.byHost(host),
    underMaintenance: ({ settings }) => settings.maintenance,
    isOn,
    sessionOf: async () => null,
    isAtRest: async () => true,
    hasPaidIn: async () => false,
    operatorOf: async () => null,
    openBody: () => Promise.reject(new Error("no call of this server is sealed")),
  };
}
