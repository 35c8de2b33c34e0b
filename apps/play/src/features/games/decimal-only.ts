/**
 * What of a text is an amount of at most nine digits and two decimals; the rest is not taken. It may
 * end with a point while it is typed, and one that begins with it has its zero before it.
 */
export function decimalOnly(text: string): string {
  const [whole = "", ...rest] = text.replace(/[^\d.]/g, "").split(".");
  const digits = whole.slice(0, 9);
  return rest.length === 0 ? digits : `${digits || "0"}.${rest.join("").slice(0, 2)}`;
}

/** The amount that was meant: a point that nothing follows says nothing. */
export function wholeDecimal(typed: string): string {
  return typed.replace(/\.$/, "");
}
