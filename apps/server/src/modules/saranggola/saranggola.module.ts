import type { Bus } from "../../platform/bus.ts";
import type { ServerModule, Tell } from "../../platform/server-module.ts";
import { keptKite } from "./kite-keeper.ts";
import { KiteView } from "./kite-view.ts";
import { saranggolaRoutes } from "./saranggola.routes.ts";
import { Saranggola, type SaranggolaOptions } from "./saranggola.ts";

export interface SaranggolaModuleOptions extends Omit<SaranggolaOptions, "view"> {
  readonly bus: Bus;
  readonly tell: Tell;
}

export function saranggolaModule({ bus, tell, ...options }: SaranggolaModuleOptions) {
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
        kept: keptKite(saranggola, options.clock),
        trouble: "the kite came down",
      },
    ],
    giveWay: () => view.giveWay(),
  } satisfies ServerModule;
}
