import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import type { Brands } from "../brand/brand.ts";
import { serveArtwork } from "./artwork.ts";
import { catalogueRoutes } from "./catalogue.routes.ts";
import { Catalogue } from "./catalogue.ts";
import { launchRoutes } from "./launch.routes.ts";
import { Launcher, type OpenAtVendor } from "./launch.ts";
import { playerGameRoutes } from "./player-games.routes.ts";
import { PlayerGames } from "./player-games.ts";

export interface CatalogueModuleOptions extends ModuleParts {
  readonly brands: Brands;
  /** Whether an outside vendor is connected to this installation. */
  readonly connected: (vendor: string) => boolean;
  readonly openAtVendor: OpenAtVendor;
}

export function catalogueModule(options: CatalogueModuleOptions) {
  const { pool, clock, brands } = options;
  const catalogue = new Catalogue(pool, clock, options.connected);
  return {
    ...{ catalogue },
    calls: {
      ...catalogueRoutes(catalogue, clock),
      ...launchRoutes(new Launcher(catalogue, options.openAtVendor)),
      ...playerGameRoutes(new PlayerGames(pool, clock, catalogue)),
    },
    pages: (app) => serveArtwork(app, catalogue, (host) => brands.byHost(host)),
  } satisfies ServerModule;
}
