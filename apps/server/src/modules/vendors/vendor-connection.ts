import type { Instant } from "@perya/kernel/instant";
import type { Currency } from "@perya/kernel/money";

/** How one outside vendor is reached and recognised, as an operator says it. */
export interface ConnectionTerms {
  /** The code under which the catalogue has its games. */
  readonly vendor: string;
  /** The name of the `VendorProtocol` that it speaks. */
  readonly protocol: string;
  /** Where a player's browser opens the game: an address, or a path of this site. */
  readonly launchUrl: string;
  /** What both sides sign with; a protocol with more than one credential keeps them here as JSON. */
  readonly secret: string;
}

/** A row of `vendor_connections`, opened. */
export interface VendorConnection extends ConnectionTerms {
  /** The replaced secret: the vendor may sign with it until then, and we never do. */
  readonly former: { readonly secret: string; readonly until: Instant } | null;
}

/** What the vendor may sign with: the present secret, then the replaced one until its time is over. */
export function secretsAt(
  { secret, former }: Pick<VendorConnection, "secret" | "former">,
  now: Instant,
): readonly string[] {
  return former !== null && now < former.until ? [secret, former.secret] : [secret];
}

/** The address as browsers read it. Null for one at which no launch opens, or that names many hosts. */
export function launchAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, username, password, href } = new URL(text);
  const isOfOneHost = /^(?:[a-z0-9-]+\.)*[a-z0-9-]+$|^\[[0-9a-f:]+\]$/.test(hostname);
  const isPlain = username === "" && password === "" && !href.includes("#");
  return protocol === "https:" && isOfOneHost && isPlain ? href : null;
}

/** The origin of its pages, such as `https://games.example.com`; null if they are ours. */
export function originOf({ launchUrl }: VendorConnection): string | null {
  return launchUrl.startsWith("/") ? null : new URL(launchUrl).origin;
}

/** What a launch tells the vendor. Only the token says who plays, and it is valid once. */
export interface Launch {
  readonly token: string;
  readonly gameId: string;
  /** The player's, as the site knows it: TY, EN. */
  readonly language: string;
  readonly currency: Currency;
}
