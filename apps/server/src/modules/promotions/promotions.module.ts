import type { Clock } from "@perya/kernel/instant";
import type pg from "pg";
import type { ServerModule } from "../../platform/server-module.ts";
import type { Announcements } from "../content/content.ts";
import type { Gifts } from "../identity/identity.ts";
import { promotionRoutes } from "./promotions.routes.ts";
import { Promotions } from "./promotions.ts";

export interface PromotionsModuleOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly announcements: Announcements;
  readonly gifts: Pick<Gifts, "claimOf">;
}

export function promotionsModule(options: PromotionsModuleOptions) {
  const { pool, clock, announcements, gifts } = options;
  const promotions = new Promotions(pool, clock, announcements);
  return {
    promotions,
    calls: promotionRoutes(promotions, announcements, gifts),
    tasks: { promotions_sweep: () => promotions.sweep() },
    schedule: { promotions_sweep: "17 * * * *" },
  } satisfies ServerModule & { readonly promotions: Promotions };
}
