import type { MoneyWire } from "@perya/kernel/money";
import { compare, formatMoney, fromWire, type Money } from "@perya/kernel/money";
import type { Text } from "../../shell/text.ts";

/** The fault of the amount before it is sent; the server judges it again. */
export function amountFault(
  t: Text["t"],
  text: string,
  amount: Money | null,
  limits: { readonly min: MoneyWire; readonly max: MoneyWire },
): string | null {
  if (text.trim() === "") return t("cashier.amount_needed");
  if (amount === null) return t("cashier.amount_format");
  const [min, max] = [fromWire(limits.min), fromWire(limits.max)];
  if (compare(amount, min) < 0) return t("cashier.amount_low", { min: formatMoney(min) });
  if (compare(amount, max) > 0) return t("cashier.amount_high", { max: formatMoney(max) });
  return null;
}
