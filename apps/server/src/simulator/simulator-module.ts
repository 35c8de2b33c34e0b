import { demoBrand } from "../demo/demo-brand.ts";
import { SIMULATED_VENDORS } from "../demo/demo-catalogue.ts";
import type { ConnectionTerms } from "../modules/vendors/vendors.ts";
import { derivedKey } from "../platform/derived-key.ts";
import type { ModuleParts, ServerModule } from "../platform/server-module.ts";
import { simulatorPages } from "./simulator-pages.ts";
import { END_ROUND, VendorSimulator } from "./vendor-simulator.ts";

export interface SimulatorModuleOptions extends ModuleParts {
  /** This server's own address from the inside, once it listens. */
  readonly callBase: () => string;
  /** Connects vendors, as an operator does. */
  readonly connect: (...connections: readonly ConnectionTerms[]) => Promise<void>;
}

export function simulatorModule(options: SimulatorModuleOptions) {
  const { config, entropy } = options;
  // Never beside real money: what it simulates exists only in the demo brand.
  const simulator =
    config.demoData && config.environment !== "production"
      ? new VendorSimulator({
          ...options,
          secret: derivedKey(config.sessionSecret, "vendor-simulator"),
          merchantId: demoBrand.id,
          vendors: SIMULATED_VENDORS,
          pageOrigin: config.simulatorOrigin,
        })
      : null;
  return {
    tasks: { [END_ROUND]: async (payload: unknown) => simulator?.end(payload) },
    prepare: async () => {
      if (simulator !== null) await options.connect(...simulator.connections());
    },
    pages: (app) => {
      if (simulator !== null) {
        simulatorPages(app, { simulator, entropy, framedBy: config.publicUrl });
      }
    },
  } satisfies ServerModule;
}
