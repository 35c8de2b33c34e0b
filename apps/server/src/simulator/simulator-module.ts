import type { ServerModule } from "../platform/server-module.ts";
import { simulatorPages } from "./simulator-pages.ts";
import { END_ROUND, VendorSimulator, type VendorSimulatorOptions } from "./vendor-simulator.ts";

export interface SimulatorModuleOptions extends VendorSimulatorOptions {
  /** False in an installation that simulates nothing. */
  readonly isOn: boolean;
  /** The players' address, should the pages be reached at another. */
  readonly framedBy: string;
}

/** The simulated vendors. Their job has a handler where there are none too, as one may be left. */
export function simulatorModule({ isOn, framedBy, ...options }: SimulatorModuleOptions) {
  const simulator = isOn ? new VendorSimulator(options) : null;
  return {
    connections: simulator?.connections() ?? [],
    tasks: { [END_ROUND]: async (payload: unknown) => simulator?.end(payload) },
    pages: (app) => {
      if (simulator !== null) {
        simulatorPages(app, { simulator, entropy: options.entropy, framedBy });
      }
    },
  } satisfies ServerModule & { readonly connections: unknown };
}
