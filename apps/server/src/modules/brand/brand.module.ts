import type { Clock } from "@perya/kernel/instant";
import type pg from "pg";
import type { Logger } from "../../platform/log.ts";
import type { ServerModule, Tell } from "../../platform/server-module.ts";
import { brandRoutes } from "./brand.routes.ts";
import { type Installation, SETTINGS_SEEN_MS } from "./brand.ts";
import { BrandWatch } from "./brand-watch.ts";
import { createContacts } from "./contacts.ts";

export interface BrandModuleOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tell: Tell;
  readonly installation: Omit<Installation, "contacts">;
}

export function brandModule({ pool, clock, log, tell, ...given }: BrandModuleOptions) {
  const installation: Installation = { ...given.installation, contacts: createContacts() };
  const watch = new BrandWatch({
    ...{ pool, log, everyMs: SETTINGS_SEEN_MS },
    onChange: (merchantId, maintenance) => {
      log.info({ brand: merchantId, maintenance }, "a brand was closed or opened");
      const event = { type: "site", state: { maintenance } };
      tell("site", merchantId, { version: clock.now(), after: 0, event });
    },
  });
  return {
    installation,
    calls: brandRoutes(installation),
    channels: {
      site: async (_session: unknown, brand: string | null) => {
        const maintenance = brand !== null && (await watch.isUnderMaintenance(brand));
        return { version: clock.now(), data: { maintenance } };
      },
    },
    start: () => watch.start(),
    stop: () => watch.stop(),
  } satisfies ServerModule & { readonly installation: Installation };
}
