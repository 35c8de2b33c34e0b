/** Where pictures come from while the status names no host: the page's own (games §3). */
const OWN_HOST = "";

/** One host out of the list by chance in [0, 1), so that the load is spread over all of them. */
export function pickHost(hosts: readonly string[], chance: number): string {
  return hosts[Math.floor(chance * hosts.length)] ?? OWN_HOST;
}
