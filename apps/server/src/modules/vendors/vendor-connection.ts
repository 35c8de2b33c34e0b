/** How one outside vendor is reached and recognised: a row of `vendor_connections`, opened. */
export interface VendorConnection {
  /** The code under which the catalogue has its games. */
  readonly vendor: string;
  /** The name of the protocol that it speaks (`vendor-protocol.ts`). */
  readonly protocol: string;
  /** Where a player's browser opens its games; a path where the pages are ours. */
  readonly launchUrl: string;
  /** What the vendor and the house sign with. */
  readonly secret: string;
}

/** The origin of its pages, such as `https://games.example.com`; null where they are ours. */
export function originOf({ launchUrl }: VendorConnection): string | null {
  return launchUrl.startsWith("/") ? null : new URL(launchUrl).origin;
}
