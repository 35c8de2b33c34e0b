import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import { isOn, type Merchant } from "../brand/brand.ts";
import { cockfightRoutes } from "./cockfight.routes.ts";
import { COCKFIGHT, Cockfight, type CockfightOptions } from "./cockfight.ts";
import { CockfightView } from "./cockfight-view.ts";

export interface CockfightModuleOptions extends ModuleParts, Omit<CockfightOptions, "view"> {
  readonly brandById: (id: string) => Promise<Merchant | null>;
}

export function cockfightModule(options: CockfightModuleOptions) {
  const { bus, tell, brandById } = options;
  const view = new CockfightView(bus, (brand, event) => tell("cockfight", brand, event));
  const cockfight = new Cockfight({ ...options, view });
  return {
    calls: cockfightRoutes(cockfight),
    channels: {
      cockfight: async (_session, brand) => {
        // The view learns which brands have it only with a match's next step.
        const merchant = brand === null ? null : await brandById(brand);
        const isShown = merchant !== null && isOn(merchant, COCKFIGHT);
        return (isShown ? view.snapshot(merchant.id) : null) ?? { version: 0, data: null };
      },
    },
    keeps: [{ name: "cockfight", kept: cockfight.kept(), trouble: "the match was left" }],
    giveWay: () => view.giveWay(),
  } satisfies ServerModule;
}
