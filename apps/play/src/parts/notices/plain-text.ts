/** The text of an operator's HTML, paragraphs as lines; no element survives. */
export function plainText(html: string): string {
  if (!/[<&]/.test(html)) return html;
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const end of page.querySelectorAll("p, br, li, div")) end.append("\n");
  return (page.body.textContent ?? "").trim();
}
