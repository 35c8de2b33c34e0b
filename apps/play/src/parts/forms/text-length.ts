/** Characters of a text, as a person and the server count them: an emoji is one. */
export function lengthOf(text: string): number {
  return [...text].length;
}

/** The first characters of a text, without cutting any in two. */
export function startOf(text: string, characters: number): string {
  return [...text].slice(0, characters).join("");
}
