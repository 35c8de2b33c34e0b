import type { ExternalProvider } from "@perya/contract/external-login";
import { closedPaths } from "@perya/contract/permission-keys";
import type { PhoneService } from "@perya/contract/system";
import { money, toWire } from "@perya/kernel/money";
import { originsOf } from "./addresses.ts";
import type { SealedContacts } from "./contacts.ts";
import type { Merchant } from "./merchant.ts";
import type { BrandSettings } from "./settings.ts";

/** The part of an installation that the status contains besides the brand's settings. */
export interface Installation {
  readonly publicUrl: string;
  readonly imageCdns: readonly string[];
  externalLogins(merchant: Merchant): ExternalProvider[];
  /** How browsers call a service that proves numbers; null: there is none. */
  readonly phoneService: PhoneService | null;
  contacts(settings: BrandSettings): Promise<SealedContacts>;
}

/** Menu entries that show while the flag of their key is on (games §3). */
const MENU_CHECK = [
  { key: "VIPBENEFIT", type: "VIP" },
  { key: "MISSION", type: "MISSION" },
  { key: "REFERRAL", type: "REFERRAL" },
] as const;

export async function statusReply(
  merchant: Merchant,
  installation: Installation,
  caller: { readonly address: string; readonly regionClosed: boolean },
) {
  const { settings } = merchant;
  const [mainOrigin] = originsOf(merchant, installation.publicUrl);
  const flags = Object.entries(settings.flags).map(([name, on]) => [name, on === true] as const);
  return {
    info: {
      merchantCode: merchant.code,
      brandName: merchant.name,
      currency: merchant.currency,
      minimumAge: settings.minimumAge,
      stakeMaxMinor: `${settings.stakes.maxMinor}`,
      referralReward: toWire(money(settings.referralRewardMinor, merchant.currency)),
      zone: merchant.zone,
      defaultLanguage: settings.defaultLanguage,
      languages: settings.languages,
      whitelabel: Object.fromEntries(flags),
      closedPaths: closedPaths((key) => settings.flags[key] === true),
      ...(await installation.contacts(settings)),
      menuCheck: [...MENU_CHECK],
      promoAvailability: Object.fromEntries(
        MENU_CHECK.map(({ key }) => [key, { enabled: settings.flags[key] === true }]),
      ),
      domainRoute: mainOrigin,
      speedDisplay: settings.speedDisplay,
      mobileTemplate: settings.mobileTemplate,
      paths: settings.paths,
      register: {
        username: settings.registration.username,
        mobileNum: settings.registration.mobile,
      },
      recoveryByPhone: settings.recoveryByPhone,
      externalLogin: installation.externalLogins(merchant),
      phoneService: installation.phoneService,
      resources: settings.resources,
      homeButtonPath: settings.homeButtonPath,
      licence: settings.licence,
      paymentMethods: [...new Set(settings.cashier.methods.map(({ name }) => name))],
      mainDomain: new URL(mainOrigin).host,
      imageCDNs: [...installation.imageCdns],
    },
    location: { ip: caller.address },
    maintenance: settings.maintenance,
    regionRestriction: caller.regionClosed,
  };
}

export async function serviceLinkReply({ settings }: Merchant, installation: Installation) {
  const { contactKey, customerService } = await installation.contacts(settings);
  return { version: { contactKey, pathList: customerService } };
}
