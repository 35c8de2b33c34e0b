import type { Reply } from "@perya/client/api";

type Info = Reply<"GET /api/v1/status">["info"];

export interface ServiceLink {
  readonly title: string;
  readonly url: string;
}

/** The brand's contacts first, then its social pages; each address once, and only real ones. */
export async function serviceLinks(
  info: Pick<Info, "contactKey" | "customerService" | "resources">,
): Promise<ServiceLink[]> {
  return onceEach([...(await openContacts(info)), ...socialLinks(info.resources)]);
}

export function socialLinks(resources: Info["resources"]): ServiceLink[] {
  return onceEach(resources.map(({ resourceType, url }) => ({ title: nameOf(resourceType), url })));
}

/** Real addresses, each once. */
function onceEach(links: readonly ServiceLink[]): ServiceLink[] {
  const seen = new Set<string>();
  return links.filter(({ url }) => {
    if (!/^(https?:\/\/|\/)/.test(url) || seen.has(url)) return false;
    seen.add(url);
    return true;
  });
}

/**
 * Contacts with a real address, those of type 3 decrypted with the key of the same reply. The
 * library loads only where a contact is sealed.
 */
export async function openContacts({
  contactKey,
  customerService,
}: Pick<Info, "contactKey" | "customerService">): Promise<ServiceLink[]> {
  const opened = await Promise.all(
    customerService.map(async ({ title, type, url, path }) => ({
      title,
      url: type === "3" && path !== null ? await openPath(path, contactKey) : url,
    })),
  );
  return onceEach(opened.flatMap(({ title, url }) => (url === null ? [] : [{ title, url }])));
}

/** Null for a path that was not sealed under this key. */
async function openPath(path: string, contactKey: string): Promise<string | null> {
  const { base64url, compactDecrypt } = await import("jose");
  try {
    const { plaintext } = await compactDecrypt(path, base64url.decode(contactKey), {
      keyManagementAlgorithms: ["dir"],
      contentEncryptionAlgorithms: ["A256GCM"],
    });
    return new TextDecoder().decode(plaintext);
  } catch (error) {
    console.warn("a contact cannot be opened", error);
    return null;
  }
}

/** `TELEGRAM` is a proper name. */
function nameOf(resourceType: string): string {
  return resourceType.slice(0, 1).toUpperCase() + resourceType.slice(1).toLowerCase();
}
