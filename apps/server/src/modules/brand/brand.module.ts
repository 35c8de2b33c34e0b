import type { ModuleParts, ServerModule } from "../../platform/server-module.ts";
import { brandRoutes } from "./brand.routes.ts";
import { type Installation, SETTINGS_SEEN_MS } from "./brand.ts";
import { BrandWatch } from "./brand-watch.ts";
import { createContacts } from "./contacts.ts";

export type BrandModuleOptions = ModuleParts & Pick<Installation, "externalLogins">;

export function brandModule(options: BrandModuleOptions) {
  const { config, log, clock, pool, tell, externalLogins } = options;
  const { publicUrl, imageCdns, phoneService: service } = config;
  const phoneService =
    service === null ? null : { apiKey: service.apiKey, address: service.serviceUrl };
  const contacts = createContacts();
  const installation = { publicUrl, imageCdns, externalLogins, phoneService, contacts };
  const watch = new BrandWatch({
    ...{ pool, log, everyMs: SETTINGS_SEEN_MS },
    onChange: (merchantId, maintenance) => {
      log.info({ brand: merchantId, maintenance }, "a brand was closed or opened");
      const event = { type: "site", state: { maintenance } };
      tell("site", merchantId, { version: clock.now(), after: 0, event });
    },
  });
  return {
    ...{ installation },
    calls: brandRoutes(installation),
    channels: {
      site: async (_session, brand) => {
        const maintenance = brand !== null && (await watch.isUnderMaintenance(brand));
        return { version: clock.now(), data: { maintenance } };
      },
    },
    start: () => watch.start(),
    stop: () => watch.stop(),
  } satisfies ServerModule;
}
