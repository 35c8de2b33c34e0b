import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import { agentRoutes } from "./agents.routes.ts";
import { Agents } from "./agents.ts";

export function agentsModule({ pool, clock }: ModuleParts) {
  return { calls: agentRoutes(new Agents(pool, clock), clock) } satisfies ServerModule;
}
