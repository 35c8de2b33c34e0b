import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import { keptKite } from "./kite-keeper.ts";
import { KiteView } from "./kite-view.ts";
import { saranggolaRoutes } from "./saranggola.routes.ts";
import { Saranggola, type SaranggolaOptions } from "./saranggola.ts";

export type SaranggolaModuleOptions = ModuleParts & Omit<SaranggolaOptions, "view">;

export function saranggolaModule(options: SaranggolaModuleOptions) {
  const { bus, tell } = options;
  const view = new KiteView(bus, (brand, event) => tell("saranggola", brand, event));
  const saranggola = new Saranggola({ ...options, view });
  return {
    calls: saranggolaRoutes(saranggola),
    channels: {
      saranggola: async (_session, brand) =>
        view.snapshot(brand ?? "") ?? { version: 0, data: null },
    },
    keeps: [
      {
        name: "saranggola",
        kept: keptKite(saranggola.flights, options.clock),
        trouble: "the kite came down",
      },
    ],
    giveWay: () => view.giveWay(),
  } satisfies ServerModule;
}
