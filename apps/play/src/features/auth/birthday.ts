/** The typed part of a day, with dashes added while typing and removed while deleting. */
export function typedDay(before: string, typed: string): string {
  const deleting = typed.length < before.length;
  const digits = typed.replace(/\D/g, "").slice(0, 8);
  const parts = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6, 8)];
  const day = parts.filter((part) => part !== "").join("-");
  const full = digits.length === 4 || digits.length === 6;
  return full && !deleting ? `${day}-` : day;
}
