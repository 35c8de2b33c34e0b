import type { FastifyRequest } from "fastify";

/** How an installation knows where its callers are, and which brand is closed to whom. */
export interface RegionGate<M> {
  /** Header that a trusted proxy writes, such as `cf-ipcountry`: ISO 3166-1 alpha-2. */
  readonly header: string;
  /** Null if no trusted proxy says where the caller is. */
  readonly isClosed: (merchant: M, country: string | null) => boolean;
}

/** Whether the brand is closed at the caller's place; never if nobody can know it. */
export function isRegionClosed<M>(
  request: FastifyRequest,
  merchant: M,
  gate: RegionGate<M> | null,
): boolean {
  return gate?.isClosed(merchant, countryOf(request, gate.header)) ?? false;
}

/** A caller that bypasses the proxy can write any header, so it is ignored then. */
function countryOf(request: FastifyRequest, header: string): string | null {
  // Only the peer's own address: it is not a trusted proxy, or speaks for nobody.
  if ((request.ips?.length ?? 0) < 2) return null;
  const country = String(request.headers[header] ?? "").toUpperCase();
  return /^[A-Z]{2}$/.test(country) ? country : null;
}
