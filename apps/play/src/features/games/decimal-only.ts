/**
 * The part of a text that is an amount of at most nine digits and two decimals. While it is typed
 * it may end with a point; one that begins with a point gets a zero before it.
 */
export function decimalOnly(text: string): string {
  const [whole = "", ...rest] = text.replace(/[^\d.]/g, "").split(".");
  const digits = whole.slice(0, 9);
  return rest.length === 0 ? digits : `${digits || "0"}.${rest.join("").slice(0, 2)}`;
}

/** The typed amount without a point that no digit follows. */
export function wholeDecimal(typed: string): string {
  return typed.replace(/\.$/, "");
}
