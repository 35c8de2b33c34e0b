import { parseArgs } from "node:util";
import { HOUSE_VENDOR, isLotteryVendor, isSportsVendor } from "@perya/contract/launch-terms";
import { command, say } from "./command.ts";
import { launchAddress, VENDOR_PROTOCOLS, VendorConnections } from "./modules/vendors/vendors.ts";
import { mintToken } from "./platform/bearer-token.ts";
import { systemClock } from "./platform/clock.ts";
import { systemEntropy } from "./platform/entropy.ts";

const PROTOCOLS = VENDOR_PROTOCOLS.map(({ name }) => name);
const USAGE = `Which outside vendors are connected (docs/vendors.md):

  npm run vendor -- connect CODE --launch-url https://… [--protocol perya] [--secret …] [--at-once]
  npm run vendor -- disconnect CODE
  npm run vendor -- list

A vendor may sign with the secret that a new one replaces for another day; with --at-once it may not.

Protocols: ${PROTOCOLS.join(", ")}
`;

/**
 * `npm run vendor`. A secret that is not given is drawn and printed once; it is stored sealed.
 * Exit code 0: done; 1: refused, for the reason that is printed.
 */
process.exitCode = await command(async ({ config, pool, log }) => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      "launch-url": { type: "string", default: "" },
      protocol: { type: "string", default: "perya" },
      secret: { type: "string" },
      "at-once": { type: "boolean", default: false },
    },
  });
  const [what, vendor = ""] = positionals;
  const given = { pool, log, clock: systemClock, secret: config.sessionSecret };
  const connections = new VendorConnections(given);
  await connections.refresh();
  if (what === "list") {
    for (const one of connections.list()) {
      const closed = one.opens ? "" : "  cannot be connected: see the log";
      say(`${one.vendor}  ${one.protocol}  ${one.launchUrl}${closed}\n`, 0);
    }
    return 0;
  }
  if (what === "disconnect") {
    return (await connections.remove(vendor))
      ? say(`${vendor} is connected no longer.\n`, 0)
      : say(`${vendor} is not connected.\n`, 1);
  }
  if (what !== "connect") return say(USAGE, 1);
  const { protocol, secret = mintToken(systemEntropy).token } = values;
  const launchUrl = launchAddress(values["launch-url"]);
  const faults = [
    ...(/^[A-Z0-9_]{1,30}$/.test(vendor) ? [] : ["CODE: capitals, digits and _ only"]),
    ...(isOfTheHouse(vendor) ? ["CODE: its games are the house's own"] : []),
    ...(launchUrl === null ? ["--launch-url: https://, a host, and neither # nor a password"] : []),
    ...(PROTOCOLS.includes(protocol) ? [] : [`--protocol: one of ${PROTOCOLS.join(", ")}`]),
    ...(secret.length >= 32 ? [] : ["--secret: 32 characters at least"]),
  ];
  if (launchUrl === null || faults.length > 0) return say(`${faults.join("\n")}\n\n${USAGE}`, 1);
  const terms = { vendor, protocol, launchUrl, secret };
  await (values["at-once"] ? connections.replace(terms) : connections.put(terms));
  const shown = values.secret === undefined ? `, its secret, shown this once:\n${secret}` : ".";
  return say(`${vendor} is connected${shown}\n`, 0);
});

function isOfTheHouse(vendor: string): boolean {
  return vendor === HOUSE_VENDOR || isLotteryVendor(vendor) || isSportsVendor(vendor);
}
