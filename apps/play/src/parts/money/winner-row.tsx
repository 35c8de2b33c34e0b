import type { Money } from "@perya/kernel/money";
import { MoneyText } from "@perya/ui/money-text";
import type { ReactNode } from "react";
import styles from "./winner-row.module.css";

/** One win of a list: the caller's lead, then winner, game, time and amount. */
export function WinnerRow(props: {
  lead: ReactNode;
  account: string;
  gameName: string;
  when: string;
  amount: Money;
}) {
  return (
    <li className={styles.row}>
      {props.lead}
      <span className={styles.who}>
        <b>{props.account}</b>
        <span>
          {props.gameName} · {props.when}
        </span>
      </span>
      <MoneyText value={props.amount} className={styles.won} />
    </li>
  );
}
