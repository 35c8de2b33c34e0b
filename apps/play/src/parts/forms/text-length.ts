/** Characters of a text, as a person counts and as the server does: an emoji is one. */
export function lengthOf(text: string): number {
  return [...text].length;
}

/** So many characters of it from its start; none is cut in two. */
export function startOf(text: string, characters: number): string {
  return [...text].slice(0, characters).join("");
}
