/** `maria_88` → `m***8`: enough for its owner to recognise, too little for others. */
export function maskName(username: string): string {
  // Whole characters: no row may hold half of a surrogate pair.
  const signs = [...username];
  return `${signs.at(0)}***${signs.at(-1)}`;
}
