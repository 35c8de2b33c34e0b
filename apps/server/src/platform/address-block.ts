import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** A household, phone or machine has a block of this size, so each block counts as one caller. */
const BLOCK_BITS = 64;
/** What one customer of a provider may be given: 65,536 blocks. */
const WIDE_BITS = 48;
/** One wide block may do as much as so many blocks. */
export const BLOCKS_TOGETHER = 16;

interface BlockBound {
  /** Names the block: `203.0.113.7`, `2001:db8:1:2::/64` or `2001:db8:1::/48`. */
  readonly block: string;
  /** How many times one block's limit it has. */
  readonly times: number;
}

type Bounds = readonly [own: BlockBound, ...wider: BlockBound[]];

/** Every call needs its caller's, and callers come again. */
const KNOWN = new LRUCache<string, Bounds>({ max: 10_000 });

/**
 * The caller that an address counts as: an IPv4 address itself, also if it came mapped into IPv6 or
 * through a NAT64; for an IPv6 address its /64, since a person who has one address has all of it.
 */
export function addressBlock(address: string): string {
  return blocksOf(address)[0].block;
}

/**
 * Every block in which a caller is counted, its own first: a limit per address is checked in all of
 * them, or one customer with a /48 would have it 65,536 times.
 */
export function blocksOf(address: string): Bounds {
  const known = KNOWN.get(address);
  if (known !== undefined) return known;
  const bounds = boundsOf(address);
  KNOWN.set(address, bounds);
  return bounds;
}

/** Names the widest block in which a caller is counted: one customer of a provider's. */
export function widestBlock(address: string): string {
  const [own, wider] = blocksOf(address);
  return (wider ?? own).block;
}

function boundsOf(address: string): Bounds {
  const parsed = parse(address);
  if (parsed === null) return [{ block: address, times: 1 }];
  if (parsed.kind() === "ipv4") return [{ block: parsed.toString(), times: 1 }];
  return [
    { block: networkOf(parsed, BLOCK_BITS), times: 1 },
    { block: networkOf(parsed, WIDE_BITS), times: BLOCKS_TOGETHER },
  ];
}

/**
 * How many callers the address may be: behind an unknown proxy all players look like the machine
 * itself, and none of them may be refused because of the others.
 */
export function machinesAt(address: string): number {
  return isLoopback(address) ? OWN_MACHINE : 1;
}

const OWN_MACHINE = 50;

export function isLoopback(address: string): boolean {
  return parse(address)?.range() === "loopback";
}

/** Nobody listens between us and our own machine, so plain text may be sent there. */
export function isOwnMachine({ hostname }: URL): boolean {
  return hostname === "localhost" || isLoopback(hostname.replace(/^\[|\]$/g, ""));
}

function parse(address: string) {
  const [bare = ""] = address.split("%");
  if (!ipaddr.isValid(bare)) return null;
  const parsed = ipaddr.process(bare);
  // A NAT64 in front of us puts the IPv4 address at the end (RFC 6052).
  const isNat64 = parsed.range() === "rfc6052";
  return isNat64 ? new ipaddr.IPv4(parsed.toByteArray().slice(-4)) : parsed;
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
}
