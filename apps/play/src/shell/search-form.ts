/** A name as it is typed on a phone: without accents and capitals. */
export function searchForm(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
