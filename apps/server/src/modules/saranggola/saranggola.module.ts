import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import { keptFlights } from "./flight-keeper.ts";
import { saranggolaRoutes } from "./saranggola.routes.ts";
import { Saranggola, type SaranggolaOptions } from "./saranggola.ts";
import { SaranggolaView } from "./saranggola-view.ts";

export type SaranggolaModuleOptions = ModuleParts & Omit<SaranggolaOptions, "view">;

export function saranggolaModule(options: SaranggolaModuleOptions) {
  const { bus, tell } = options;
  const view = new SaranggolaView(bus, (brand, event) => tell("saranggola", brand, event));
  const saranggola = new Saranggola({ ...options, view });
  const kept = keptFlights(saranggola.flights, options.clock);
  return {
    calls: saranggolaRoutes(saranggola),
    channels: {
      saranggola: async (_session, brand) =>
        view.snapshot(brand ?? "") ?? { version: 0, data: null },
    },
    keeps: [{ name: "saranggola", kept, trouble: "the flight came down" }],
    giveWay: () => view.giveWay(),
  } satisfies ServerModule;
}
