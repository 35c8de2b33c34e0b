import type { Merchant } from "./merchant.ts";

/**
 * A brand's addresses as origins, the main one first: its domains, or if it names none, the hosts
 * by which it is found. All are served as the installation's own is: by the same scheme, and by its
 * port if they name none. A brand found at the installation's own address has that address; a
 * developer's machine has both of its names.
 */
export function originsOf(merchant: Merchant, publicUrl: string): [string, ...string[]] {
  const own = new URL(publicUrl);
  const origins = namesOf(merchant, own).map((name) => {
    const named = name.includes(":") || own.port === "" ? name : `${name}:${own.port}`;
    return `${own.protocol}//${named}`;
  });
  const [first, ...others] = origins;
  if (first !== undefined) return [first, ...others];
  if (own.hostname !== "localhost") return [own.origin];
  return [own.origin, own.origin.replace("localhost", "127.0.0.1")];
}

/** None for a brand that the installation's own address leads to. */
function namesOf({ settings, hosts }: Merchant, own: URL): readonly string[] {
  if (settings.domains.length > 0) return settings.domains;
  if (hosts.includes("*") || hosts.includes(own.hostname)) return [];
  // A host for agents only is no address for players, if there is another.
  const open = hosts.filter((host) => !settings.agentHosts.includes(host));
  return open.length === 0 ? hosts : open;
}
