import { z } from "zod";
import { BRAND_PAGES, TEMPLATES } from "./brand-info.ts";
import { call } from "./call.ts";
import { EXTERNAL_PROVIDERS } from "./external-login.ts";
import { currencyWire, instantWire, languageWire, moneyWire } from "./wire.ts";

const contact = z.object({
  title: z.string(),
  csType: z.string(),
  /** The contact's places, comma-separated; one that names none is shown in all. */
  csPosition: z.string(),
  /** `3`: its path is encrypted under the contact key; `1`: it leads nowhere outside. */
  type: z.enum(["1", "3"]),
  url: z.string().nullable(),
  /** The address as JWE compact (`dir`, `A256GCM`). */
  path: z.string().nullable(),
});
export type ServiceContact = z.output<typeof contact>;

/** Firebase Authentication, or a service with its interface: it sends codes and proves numbers. */
const phoneService = z.object({
  apiKey: z.string(),
  /** The service's address; null: Google's own. */
  address: z.string().nullable(),
});
export type PhoneService = z.output<typeof phoneService>;

const menuCheck = z.object({ key: z.string(), type: z.enum(["VIP", "MISSION", "REFERRAL"]) });

const statusReply = z.object({
  info: z.object({
    merchantCode: z.string(),
    brandName: z.string(),
    currency: currencyWire,
    minimumAge: z.number().int(),
    /** The largest stake of a round in the house's games, minor units. */
    stakeMaxMinor: z.string(),
    /** The inviter's reward for a friend who joined. */
    referralReward: moneyWire,
    /** IANA name of the zone in which the brand counts days. */
    zone: z.string(),
    defaultLanguage: languageWire,
    languages: z.array(languageWire),
    /** Flags and permission keys by name; a key that is absent is off. */
    whitelabel: z.record(z.string(), z.boolean()),
    closedPaths: z.array(z.string()),
    customerService: z.array(contact),
    /** AES-256 key of the contacts' paths, base64url; it only hides links from scrapers. */
    contactKey: z.string(),
    menuCheck: z.array(menuCheck),
    promoAvailability: z.record(z.string(), z.object({ enabled: z.boolean() })),
    domainRoute: z.string(),
    speedDisplay: z.enum(["banded", "measured"]),
    mobileTemplate: z.object({ mem_cen: z.enum(TEMPLATES), dep_func: z.enum(TEMPLATES) }),
    paths: z.partialRecord(z.enum(BRAND_PAGES), z.string()),
    register: z.object({ username: z.boolean(), mobileNum: z.boolean() }),
    /** A forgotten password is reset by SMS code; otherwise by a link in an e-mail. */
    recoveryByPhone: z.boolean(),
    externalLogin: z.array(z.enum(EXTERNAL_PROVIDERS)),
    /** The service that proves numbers instead of our own codes; null where none is configured. */
    phoneService: phoneService.nullable(),
    resources: z.array(z.object({ resourceType: z.string(), url: z.string() })),
    homeButtonPath: z.string(),
    /** The operator's licence by language; empty where the brand states none. */
    licence: z.record(z.string(), z.string()),
    paymentMethods: z.array(z.string()),
    mainDomain: z.string(),
    imageCDNs: z.array(z.string()),
  }),
  location: z.object({ ip: z.string() }),
  maintenance: z.boolean(),
  regionRestriction: z.boolean(),
});

export const systemCalls = {
  "GET /api/v1/status": call({
    summary: "The brand's settings, flags and state; loaded first and cached by the browser",
    callers: ["visitor"],
    inMaintenance: true,
    reply: statusReply,
  }),
  "GET /api/v1/service-link": call({
    summary: "How the brand's support is reached now; the status answers it too",
    callers: ["visitor"],
    inMaintenance: true,
    reply: z.object({
      version: z.object({
        /** Decrypts the paths in this reply. */
        contactKey: z.string(),
        pathList: z.array(contact),
      }),
    }),
  }),
  "GET /api/v1/domain-routes": call({
    summary: "The brand's addresses, from which a player picks the fastest; the main one first",
    callers: ["visitor"],
    query: z.object({
      /** 0: the mobile site, which is the only device. */
      device: z.enum(["0"]).default("0"),
    }),
    // A host name, with its port where needed, reached by the same scheme as the page itself.
    reply: z.object({ domainList: z.array(z.object({ domainName: z.string() })) }),
  }),
  "GET /api/v1/encryption-key": call({
    summary: "The public key for encrypted bodies, rotated; ECDH-ES+A256KW with A256GCM",
    callers: ["visitor"],
    reply: z.object({
      kid: z.string(),
      jwk: z.object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string() }),
      /** The brand's code: an encrypted body names the brand and the call that it is meant for. */
      aud: z.string(),
      /** The server's clock, so that a phone with a wrong clock can still encrypt a body. */
      now: instantWire,
    }),
  }),
} as const;
