const LENGTH = 11;

/** A Philippine mobile number as `09171234567`, from any way to write or paste it. */
export function walletNumber(typed: string): string {
  const digits = typed.replace(/\D/g, "").replace(/^(?:(?:00)?63)?(?=9)/, "0");
  return digits.slice(0, LENGTH);
}
