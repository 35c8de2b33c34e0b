/** Sixteen characters by the browser's own strong chance; the player may type another. */
export function freshClientSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => (byte % 36).toString(36)).join("");
}
