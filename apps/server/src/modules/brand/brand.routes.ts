import type { systemCalls } from "@perya/contract/system";
import { ok } from "@perya/kernel/result";
import type { Handlers } from "../../platform/http/handlers.ts";
import { originsOf } from "./addresses.ts";
import type { Merchant } from "./merchant.ts";
import { type Installation, serviceLinkReply, statusReply } from "./status.ts";

type BrandCalls = Omit<typeof systemCalls, "GET /api/v1/encryption-key">;

export function brandRoutes(installation: Installation): Handlers<BrandCalls, Merchant, unknown> {
  return {
    "GET /api/v1/status": async ({ merchant, address, regionClosed }) =>
      ok(await statusReply(merchant, installation, { address, regionClosed })),
    "GET /api/v1/service-link": async ({ merchant }) =>
      ok(await serviceLinkReply(merchant, installation)),
    "GET /api/v1/domain-routes": async ({ merchant }) => {
      const origins = originsOf(merchant, installation.publicUrl);
      return ok({ domainList: origins.map((origin) => ({ domainName: new URL(origin).host })) });
    },
  };
}
