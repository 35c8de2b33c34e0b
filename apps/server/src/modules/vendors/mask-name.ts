/** `maria_88` → `m***8`: enough for its owner to smile, too little for others. */
export function maskName(username: string): string {
  // No half of a sign, which no row holds.
  const signs = [...username];
  return `${signs.at(0)}***${signs.at(-1)}`;
}
