import { idOf } from "../../platform/jobs.ts";
import type { ServerModule } from "../../platform/server-module.ts";
import type { Gifts } from "../identity/identity.ts";
import { redRainRoutes } from "./red-rain.routes.ts";
import { CLOSE_RAIN, RedRains, type RedRainsOptions } from "./red-rain.ts";

export interface RedRainModuleOptions extends RedRainsOptions {
  readonly gifts: Pick<Gifts, "claimOf">;
}

export function redRainModule({ gifts, ...options }: RedRainModuleOptions) {
  const rains = new RedRains(options);
  return {
    calls: redRainRoutes(rains, options.clock, gifts),
    tasks: {
      [CLOSE_RAIN]: (payload: unknown) => rains.close(idOf(payload)),
      red_rain_plan: () => rains.plan(),
    },
    schedule: { red_rain_plan: "* * * * *" },
    prepare: () => rains.plan(),
  } satisfies ServerModule;
}
