import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import type { Announcements } from "../content/content.ts";
import type { Gifts } from "../identity/identity.ts";
import { promotionRoutes } from "./promotions.routes.ts";
import { Promotions } from "./promotions.ts";

export function promotionsModule(
  { pool, clock }: ModuleParts,
  announcements: Announcements,
  gifts: Gifts,
) {
  const promotions = new Promotions(pool, clock, announcements);
  return {
    ...{ promotions },
    calls: promotionRoutes(promotions, announcements, gifts),
    tasks: { promotions_sweep: () => promotions.sweep() },
    schedule: { promotions_sweep: "17 * * * *" },
  } satisfies ServerModule;
}
