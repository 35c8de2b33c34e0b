import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import proxyAddress from "@fastify/proxy-addr";

/** No, yes, a number of hops, or addresses and ranges: see `TRUST_PROXY`. */
export type ProxySetting = boolean | number | readonly string[];

/** Whether the host at this address and hop, from the nearest on, speaks for those behind it. */
export type Trust = (address: string, hop: number) => boolean;

/** Where a request came from and which host it is for, as the trusted proxies say. */
export interface Sender {
  readonly address: string;
  /** Name, and port if the browser named one. */
  readonly host: string;
  /** Without the port: names the brand. Empty, and so no brand's, for an invalid host. */
  readonly hostname: string;
}

export function trustOf(setting: ProxySetting): Trust {
  if (typeof setting === "boolean") return () => setting;
  if (typeof setting === "number") return (_address, hop) => hop < setting;
  return proxyAddress.compile([...setting]);
}

/**
 * The one place that says so, for a call, a page and a socket alike: two that judged separately
 * would show one brand's player the other's money. An untrusted sender's own claims are ignored.
 */
export function senderOf(request: IncomingMessage, trust: Trust): Sender {
  // A connection that is gone has no address any more.
  const peer = request.socket.remoteAddress ?? "";
  const forwarded = request.headers["x-forwarded-host"];
  const named = forwarded !== undefined && forwarded !== "" && trust(peer, 0);
  const host = named ? lastOf(String(forwarded)) : (request.headers.host ?? "");
  const written = request.headers["x-forwarded-for"];
  const address = written === undefined ? peer : addressOf(request, String(written), peer, trust);
  return { address, host, hostname: nameOf(host) };
}

/** As the trusted proxies wrote it; if they wrote none, all behind them are one sender. */
function addressOf({ socket }: IncomingMessage, written: string, peer: string, trust: Trust) {
  const headers = { "x-forwarded-for": written.split(",").map(withoutPort).join(",") };
  // It reads nothing else of a request.
  const read = { headers, socket } as unknown as IncomingMessage;
  const address = proxyAddress(read, trust);
  return isIP(address) === 0 ? peer : address;
}

/** Some proxies write the port beside the address: `203.0.113.7:4433`, `[2001:db8::7]:4433`. */
function withoutPort(written: string): string {
  const found = /^\s*(?:\[([^\]]*)\]|([\d.]+))(?::\d*)?\s*$/.exec(written);
  return found?.[1] ?? found?.[2] ?? written;
}

/** The nearest one's, if several proxies wrote one after another. */
function lastOf(header: string): string {
  return header.slice(header.lastIndexOf(",") + 1).trim();
}

/** A name, or an IPv6 address in brackets, with colons of its own; and a port, if any. */
const HOST = /^(\[[^\]]*\]|[^:/?#@\\[\]]*)(?::\d*)?$/;

/**
 * Code that makes an address of the host relies on its being valid. A name that ends with a dot,
 * though the same to a resolver, is invalid: passkeys and agents' hosts tell the two apart.
 */
function nameOf(host: string): string {
  const name = URL.canParse(`http://${host}`) ? (HOST.exec(host)?.[1] ?? "") : "";
  return name.endsWith(".") ? "" : name;
}
