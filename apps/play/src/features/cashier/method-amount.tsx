import type { Reply } from "@perya/client/api";
import { formatDecimal, formatMoney } from "@perya/kernel/money";
import { AmountField } from "@perya/ui/field";
import { useText } from "../../shell/text.ts";

export type Method = Reply<"GET /api/v1/cashier/methods">["methods"][number];

interface MethodAmountProps {
  readonly method: Method;
  readonly value: string;
  readonly errors: readonly string[];
  /** Typed, or taken from the method's quick amounts. */
  readonly onValue: (value: string) => void;
  readonly onBlur?: () => void;
}

/** The amount to pay in or out, with the method's limits and its quick amounts. */
export function MethodAmount({ method, errors, onValue, ...input }: MethodAmountProps) {
  const { t } = useText();
  return (
    <AmountField
      {...input}
      label={t("cashier.amount")}
      hint={t("cashier.limits", {
        min: formatMoney(method.min),
        max: formatMoney(method.max),
      })}
      symbol="₱"
      errors={[...errors]}
      quickLabel={t("cashier.quick_amounts")}
      quickAmounts={method.quickAmounts.map((amount) => ({
        value: formatDecimal(amount),
        label: formatMoney(amount).replace(/\.00$/, ""),
      }))}
      onQuickAmount={onValue}
      onChange={(event) => onValue(event.target.value)}
    />
  );
}
