/** The connection to one outside vendor. */
export interface VendorConnection {
  /** The code under which the catalogue has its games. */
  readonly vendor: string;
  /** Where its pages are, such as `https://games.example.com`; null if they are ours. */
  readonly origin: string | null;
  /**
   * Where a player's browser opens the game. Only the token in the address says who plays, and it
   * is valid once.
   */
  playUrl(launch: { readonly token: string; readonly gameId: string }): string;
  /** Whether the vendor signed the bytes of a call to this path, and lately. */
  isSigned(path: string, rawBody: Buffer, signature: string | undefined): boolean;
}

/** The bytes that a vendor signs: with the path, so that they cannot be sent to another call. */
export function signedBytes(path: string, body: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`${path}\n`), Buffer.from(body)]);
}
