import { dictionary } from "@zxcvbn-ts/language-common";

/** Some 49,000 passwords of published breaches, the commonest first, all in small letters. */
const BREACHED: ReadonlySet<string> = new Set(dictionary["passwords-common"]);
/** `aaaaaaa1` and `12121212` satisfy every pattern and take a guess or two. */
const FEWEST_SIGNS = 4;
/** A shorter name stands by chance in a good password. */
const SHORTEST_NAME = 4;

/**
 * Whether a password is among the first that anyone would try for this player: known from
 * breaches, made of two or three signs, or built around one of the names, which are the player's
 * own and the brand's. Asked wherever a password is set; its field fault is `too_common`.
 */
export function isTooCommon(password: string, names: readonly string[]): boolean {
  const plain = password.toLowerCase();
  if (BREACHED.has(plain) || new Set(plain).size < FEWEST_SIGNS) return true;
  return names
    .flatMap((name) => name.toLowerCase().split(/\s+/))
    .some((word) => word.length >= SHORTEST_NAME && plain.includes(word));
}
