import { demoBrand } from "../demo/demo-brand.ts";
import { SIMULATED_VENDORS } from "../demo/demo-catalogue.ts";
import { derivedKey } from "../platform/derived-key.ts";
import type { ModuleParts, ServerModule } from "../platform/server-module.ts";
import { simulatorPages } from "./simulator-pages.ts";
import { END_ROUND, VendorSimulator } from "./vendor-simulator.ts";

/** @param options `callBase`: this server's own address from the inside, once it listens */
export function simulatorModule(options: ModuleParts & { readonly callBase: () => string }) {
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
    ...{ connections: simulator?.connections() ?? [] },
    tasks: { [END_ROUND]: async (payload: unknown) => simulator?.end(payload) },
    pages: (app) => {
      if (simulator !== null) {
        simulatorPages(app, { simulator, entropy, framedBy: config.publicUrl });
      }
    },
  } satisfies ServerModule;
}
