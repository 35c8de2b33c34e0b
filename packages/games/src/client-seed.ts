/**
 * A player's part of a pair of seeds: 1 to 64 visible ASCII characters. A colon parts the seed from
 * the nonce, so no seed has one.
 */
export const CLIENT_SEED = /^[\x21-\x39\x3b-\x7e]{1,64}$/;

export function isClientSeed(text: unknown): text is string {
  return typeof text === "string" && CLIENT_SEED.test(text);
}
