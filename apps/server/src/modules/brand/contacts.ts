import type { ServiceContact } from "@perya/contract/system";
import { CompactEncrypt, exportJWK, generateSecret } from "jose";
import type { BrandSettings } from "./settings.ts";

export interface SealedContacts {
  readonly contactKey: string;
  readonly customerService: ServiceContact[];
}

/**
 * Seals the addresses of contacts (AES-256-GCM as JWE compact with a direct key). The key is in the
 * same reply: this hides nothing from a reader, it only protects the links from scrapers that
 * collect addresses from pages without running them.
 */
export function createContacts(): (settings: BrandSettings) => Promise<SealedContacts> {
  // New per process: every reply carries its own key.
  const secret = generateSecret("A256GCM", { extractable: true });
  const sealed = new WeakMap<BrandSettings, Promise<SealedContacts>>();
  return (settings) => {
    const known = sealed.get(settings);
    if (known !== undefined) return known;
    const made = seal(settings);
    sealed.set(settings, made);
    return made;
  };

  async function seal({ customerService }: BrandSettings): Promise<SealedContacts> {
    const key = await secret;
    const { k = "" } = await exportJWK(key);
    const contacts = customerService.map(async ({ url, ...contact }): Promise<ServiceContact> => {
      if (url === null) return { ...contact, type: "1", url: null, path: null };
      const path = await new CompactEncrypt(new TextEncoder().encode(url))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .encrypt(key);
      return { ...contact, type: "3", url: null, path };
    });
    return { contactKey: k, customerService: await Promise.all(contacts) };
  }
}
