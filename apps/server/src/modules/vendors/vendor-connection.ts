/** The connection to one outside vendor. */
export interface VendorConnection {
  /** The code under which the catalogue has its games. */
  readonly vendor: string;
  /** Where its pages are, such as `https://games.example.com`; null where they are ours. */
  readonly origin: string | null;
  /**
   * Where a player's browser opens the game. The token is the only thing in the address that says
   * who plays, and is good once.
   */
  playUrl(launch: { readonly token: string; readonly gameId: string }): string;
  /** Whether the bytes of a call to this path were signed by the vendor, and lately. */
  isSigned(path: string, rawBody: Buffer, signature: string | undefined): boolean;
}

/** What a vendor signs: its words could else be sent to another call. */
export function signedBytes(path: string, body: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`${path}\n`), Buffer.from(body)]);
}
