import type { FastifyRequest } from "fastify";

/** How an installation knows where its callers are, and which brand is closed to whom. */
export interface RegionGate<M> {
  /** Header that a trusted proxy writes, such as `cf-ipcountry`: ISO 3166-1 alpha-2. */
  readonly header: string;
  /** Null is a caller of whom no trusted proxy says where they are. */
  readonly isClosed: (merchant: M, country: string | null) => boolean;
}

/** Whether the brand is closed to a caller from where they are; never where nobody can know. */
export function isRegionClosed<M>(
  request: FastifyRequest,
  merchant: M,
  gate: RegionGate<M> | null,
): boolean {
  return gate?.isClosed(merchant, countryOf(request, gate.header)) ?? false;
}

/** Whoever reaches us past the proxy can write any header, so that one is not believed. */
function countryOf(request: FastifyRequest, header: string): string | null {
  // The peer's own address alone: it is not a trusted proxy, or speaks for nobody.
  if ((request.ips?.length ?? 0) < 2) return null;
  const country = String(request.headers[header] ?? "").toUpperCase();
  return /^[A-Z]{2}$/.test(country) ? country : null;
}
