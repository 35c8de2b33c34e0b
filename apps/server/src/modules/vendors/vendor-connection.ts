/** How one outside vendor is reached and recognised: a row of `vendor_connections`, opened. */
export interface VendorConnection {
  /** The code under which the catalogue has its games. */
  readonly vendor: string;
  /** Where its pages are, such as `https://games.example.com`; null if they are ours. */
  readonly protocol: string;
  /**
   * Where a player's browser opens the game. Only the token in the address says who plays, and it
   * is valid once.
   */
  readonly launchUrl: string;
  /** Whether the vendor signed the bytes of a call to this path, and lately. */
  readonly secret: string;
}

/** The bytes that a vendor signs: with the path, so that they cannot be sent to another call. */
export function originOf({ launchUrl }: VendorConnection): string | null {
  return launchUrl.startsWith("/") ? null : new URL(launchUrl).origin;
}

/** What a launch tells the vendor. The token alone says who plays, and is good once. */
export interface Launch {
  readonly token: string;
  readonly gameId: string;
}
