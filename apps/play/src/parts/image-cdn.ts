import { useQuery } from "@tanstack/react-query";
import { queries } from "../shell/server.ts";

/** Where pictures come from while the status names no host: the page's own (games §3). */
const FALLBACK_HOSTS: readonly [string] = [""];
/** One host a visit, so that what it sent is found in the browser's cache again. */
const CHANCE = Math.random();

/** One host out of the list by chance in [0, 1), so that the load is spread over all of them. */
export function pickHost(hosts: readonly string[], chance: number): string {
  const list = hosts.length === 0 ? FALLBACK_HOSTS : hosts;
  return list[Math.floor(chance * list.length)] ?? FALLBACK_HOSTS[0];
}

export function useImageHost(): string {
  const { data: host } = useQuery({
    ...queries.status(),
    select: ({ info }) => pickHost(info.imageCDNs, CHANCE),
  });
  return host ?? FALLBACK_HOSTS[0];
}
