import { CURRENCIES, formatMoney, type Money } from "@perya/kernel/money";
import { classNames } from "./class-names.tsx";
import styles from "./money-text.module.css";

export interface MoneyTextProps {
  value: Money;
  /** Shows a plus before gains and colours both ways: for wins, losses and transfers. */
  sign?: boolean | undefined;
  /** Every character as an asterisk: the balance is hidden or is being refreshed. */
  masked?: boolean | undefined;
  /** A screen reader's text instead of the asterisks. */
  maskedLabel?: string | undefined;
  className?: string | undefined;
}

/** The only way to show an amount: same grouping, same decimals, digits of equal width. */
export function MoneyText({ value, sign, masked, maskedLabel, className }: MoneyTextProps) {
  const text = moneyLabel(value, { sign, masked });
  const look = classNames(
    styles.money,
    sign && !masked && value.minor > 0n && styles.gain,
    sign && !masked && value.minor < 0n && styles.loss,
    className,
  );
  if (masked && maskedLabel !== undefined) {
    return (
      <span className={look}>
        <span aria-hidden="true">{text}</span>
        <span className="visually-hidden">{maskedLabel}</span>
      </span>
    );
  }
  return <span className={look}>{text}</span>;
}

/** The same text for places that take a string only (titles, `aria-label`). */
export function moneyLabel(
  value: Money,
  options: { sign?: boolean | undefined; masked?: boolean | undefined } = {},
): string {
  const text = (options.sign && value.minor > 0n ? "+" : "") + formatMoney(value);
  return options.masked ? "*".repeat([...text].length) : text;
}

/** The currency's sign, for an amount field's prefix. */
export function currencySymbol(value: Pick<Money, "currency">): string {
  return CURRENCIES[value.currency].symbol;
}
