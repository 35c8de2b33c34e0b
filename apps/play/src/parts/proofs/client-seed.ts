/** Sixteen characters by the browser's strong random source; the player may type another. */
export function freshClientSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => (byte % 36).toString(36)).join("");
}
