import { compare, formatMoney, type Money } from "@perya/kernel/money";
import type { Text } from "../../shell/text.ts";

/** The fault of the amount before it is sent; the server judges it again. */
export function amountFault(
  t: Text["t"],
  text: string,
  amount: Money | null,
  { min, max }: { readonly min: Money; readonly max: Money },
): string | null {
  if (text.trim() === "") return t("cashier.amount_needed");
  if (amount === null) return t("cashier.amount_format");
  if (compare(amount, min) < 0) return t("cashier.amount_low", { min: formatMoney(min) });
  if (compare(amount, max) > 0) return t("cashier.amount_high", { max: formatMoney(max) });
  return null;
}
