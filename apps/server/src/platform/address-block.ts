import ipaddr from "ipaddr.js";

/** What one household, phone or machine is given, and so what is counted as one caller. */
const BLOCK_BITS = 64;
/** What one customer of a provider may be given: 65,536 blocks. */
const WIDE_BITS = 48;

/**
 * Whom an address stands for where callers are counted: an IPv4 address itself, also where it came
 * mapped into IPv6, and of an IPv6 address its /64, since whoever has one has all of it.
 */
export function addressBlock(address: string): string {
  const parsed = parse(address);
  if (parsed === null) return address;
  return parsed.kind() === "ipv4" ? parsed.toString() : networkOf(parsed, BLOCK_BITS);
}

/** The /48 around an IPv6 address, for bounds that many blocks share; null for IPv4. */
export function wideBlock(address: string): string | null {
  const parsed = parse(address);
  return parsed === null || parsed.kind() === "ipv4" ? null : networkOf(parsed, WIDE_BITS);
}

export function isLoopback(address: string): boolean {
  return parse(address)?.range() === "loopback";
}

function parse(address: string) {
  const [bare = ""] = address.split("%");
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
}
