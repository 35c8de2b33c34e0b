/** The host of pictures while the status names none: the page's own (games §3). */
const OWN_HOST = "";

/** One random host of the list, by `chance` in [0, 1), so that all share the load. */
export function pickHost(hosts: readonly string[], chance: number): string {
  return hosts[Math.floor(chance * hosts.length)] ?? OWN_HOST;
}
