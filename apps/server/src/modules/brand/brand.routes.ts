import type { systemCalls } from "@perya/contract/system";
import { ok } from "@perya/kernel/result";
import type { Handlers } from "../../platform/http/call-server.ts";
import type { Merchant } from "./brand.ts";

type BrandCalls = Pick<typeof systemCalls, "GET /api/v1/status">;

export function brandRoutes(publicUrl: string): Handlers<BrandCalls, Merchant, unknown> {
  return {
    "GET /api/v1/status": async ({ merchant, address }) =>
      ok(statusReply(merchant, publicUrl, address)),
  };
}

/** What the browser learns first of a brand. */
export function statusReply(merchant: Merchant, publicUrl: string, address: string) {
  const { settings } = merchant;
  const flags = Object.entries(settings.flags).map(([name, on]) => [name, on === true] as const);
  return {
    info: {
      merchantCode: merchant.code,
      brandName: merchant.name,
      currency: merchant.currency,
      minimumAge: settings.minimumAge,
      stakeMaxMinor: `${settings.stakes.maxMinor}`,
      defaultLanguage: settings.defaultLanguage,
      languages: settings.languages,
      whitelabel: Object.fromEntries(flags),
      customerService: settings.customerService,
      domainRoute: publicUrl,
      mobileTemplate: { mem_cen: "1", dep_func: "1" },
      paths: {},
      register: {
        username: settings.registration.username,
        mobileNum: settings.registration.mobile,
      },
      recoveryByPhone: settings.recoveryByPhone,
      resources: settings.resources,
      mainDomain: new URL(publicUrl).host,
      imageCDNs: [publicUrl],
    },
    location: { ip: address },
    maintenance: settings.maintenance,
    regionRestriction: false,
  };
}
