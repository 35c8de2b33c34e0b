import type { Merchant } from "./merchant.ts";

/**
 * A brand's addresses as origins, the main one first: its domains, or where it names none the
 * hosts by which it is found. They are all served as the installation's own is: by the same
 * scheme, and by its port where they name none. The installation's own address is that of a brand
 * which is found there; a machine of one's own answers to both of its names.
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
  // A door for agents alone is no address to send a player to, where there is another.
  const open = hosts.filter((host) => !settings.agentHosts.includes(host));
  return open.length === 0 ? hosts : open;
}
