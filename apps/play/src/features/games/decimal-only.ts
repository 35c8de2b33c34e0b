/** What of a text is an amount of at most nine digits and two decimals; the rest is not taken. */
export function decimalOnly(text: string): string {
  const [whole = "", ...rest] = text.replace(/[^\d.]/g, "").split(".");
  const digits = whole.slice(0, 9);
  return rest.length === 0 || digits === "" ? digits : `${digits}.${rest.join("").slice(0, 2)}`;
}
