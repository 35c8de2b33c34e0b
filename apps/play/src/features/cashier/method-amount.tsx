import type { Reply } from "@perya/client/api";
import { compare, formatDecimal, formatMoney, type Money } from "@perya/kernel/money";
import { AmountField } from "@perya/ui/field";
import { useText } from "../../shell/text.ts";

export type Method = Reply<"GET /api/v1/cashier/methods">["methods"][number];

interface MethodAmountProps {
  readonly method: Method;
  /** Of what may be paid out: larger amounts are not offered, and all of it is. */
  readonly available?: Money | null;
  readonly value: string;
  readonly errors: readonly string[];
  /** Typed, or taken from the method's quick amounts. */
  readonly onValue: (value: string) => void;
  readonly onBlur?: () => void;
}

/** The amount to pay in or out, with the method's limits and its quick amounts. */
export function MethodAmount(props: MethodAmountProps) {
  const { method, available = null, errors, onValue, ...input } = props;
  const { t } = useText();
  const all = available === null ? null : allOf(available, method);
  const quick = method.quickAmounts.filter(
    (amount) => available === null || (isUpTo(amount, available) && amount.minor !== all?.minor),
  );
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
      quickAmounts={[
        ...quick.map((amount) => ({
          value: formatDecimal(amount),
          label: formatMoney(amount).replace(/\.00$/, ""),
        })),
        ...(all === null ? [] : [{ value: formatDecimal(all), label: t("cashier.all") }]),
      ]}
      onQuickAmount={onValue}
      onChange={(event) => onValue(event.target.value)}
    />
  );
}

/** As much as one payment may take; null where that is too little for any. */
function allOf(available: Money, { min, max }: Method): Money | null {
  const all = isUpTo(available, max) ? available : max;
  return isUpTo(min, all) ? all : null;
}

function isUpTo(amount: Money, most: Money): boolean {
  return compare(amount, most) <= 0;
}
