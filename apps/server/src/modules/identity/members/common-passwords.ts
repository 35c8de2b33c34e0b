import { dictionary } from "@zxcvbn-ts/language-common";

/** Some 49,000 passwords from published breaches, the commonest first, all in lower case. */
const BREACHED: ReadonlySet<string> = new Set(dictionary["passwords-common"]);
/** `aaaaaaa1` and `12121212` satisfy every pattern and take a guess or two. */
const FEWEST_SIGNS = 4;
/** A shorter name occurs by chance in a good password. */
const SHORTEST_NAME = 4;

/**
 * Whether a password is among the first that an attacker would try for this player: known from
 * breaches, made of two or three characters, or built around a name of the player or the brand.
 * Checked on every form that sets a password; its field fault is `too_common`.
 */
export function isTooCommon(password: string, names: readonly string[]): boolean {
  const plain = password.toLowerCase();
  if (BREACHED.has(plain) || new Set(plain).size < FEWEST_SIGNS) return true;
  return names
    .flatMap((name) => name.toLowerCase().split(/\s+/))
    .some((word) => word.length >= SHORTEST_NAME && plain.includes(word));
}
