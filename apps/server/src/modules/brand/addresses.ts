import type { Merchant } from "./brand.ts";

/**
 * A brand's addresses as origins, the main one first. They are all served as the installation's
 * own is: by the same scheme, and by its port where they name none. A brand that sets none has the
 * installation's; a machine of one's own answers to both of its names.
 */
export function originsOf(merchant: Merchant, publicUrl: string): [string, ...string[]] {
  const own = new URL(publicUrl);
  const origins = merchant.settings.domains.map((domain) => {
    const named = domain.includes(":") || own.port === "" ? domain : `${domain}:${own.port}`;
    return `${own.protocol}//${named}`;
  });
  const [first, ...others] = origins;
  if (first !== undefined) return [first, ...others];
  if (own.hostname !== "localhost") return [own.origin];
  return [own.origin, own.origin.replace("localhost", "127.0.0.1")];
}
