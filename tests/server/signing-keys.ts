import { type GenerateKeyPairResult, generateKeyPair } from "jose";

const made = new Map<string, Promise<GenerateKeyPairResult>>();

/** The RSA keys of `owner`, made once per process: their primes take a tenth of a second. */
export function signingKeysOf(owner: string): Promise<GenerateKeyPairResult> {
  const pair = made.get(owner) ?? generateKeyPair("RS256", { extractable: true });
  made.set(owner, pair);
  return pair;
}
