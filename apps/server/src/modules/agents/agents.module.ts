import type { Clock } from "@perya/kernel/instant";
import type pg from "pg";
import type { ServerModule } from "../../platform/server-module.ts";
import { agentRoutes } from "./agents.routes.ts";
import { Agents } from "./agents.ts";

export function agentsModule({ pool, clock }: { readonly pool: pg.Pool; readonly clock: Clock }) {
  return { calls: agentRoutes(new Agents(pool, clock), clock) } satisfies ServerModule;
}
