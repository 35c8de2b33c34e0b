import { type CryptoKey, generateKeyPair } from "jose";

interface KeyPair {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

const made = new Map<string, Promise<KeyPair>>();

/** The RSA keys of `owner`, made once in a process: finding their primes takes a tenth of a second. */
export function signingKeysOf(owner: string): Promise<KeyPair> {
  const known = made.get(owner);
  if (known !== undefined) return known;
  const pair = generateKeyPair("RS256", { extractable: true });
  made.set(owner, pair);
  return pair;
}
