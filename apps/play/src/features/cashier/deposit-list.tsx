import { Badge } from "@perya/ui/badge";
import { MoneyText } from "@perya/ui/money-text";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ShowMore } from "../../parts/show-more.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./cashier.module.css";
import { DEPOSIT_LOOKS } from "./states.ts";

/** What was deposited before, newest first. */
export function DepositList() {
  const { t, when } = useText();
  const list = useInfiniteQuery(queries.deposits());
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="cashier-deposits" className={styles.history}>
      <h2 id="cashier-deposits">{t("cashier.my_deposits")}</h2>
      <ul className={styles.list}>
        {items.map((item) => (
          <li key={item.id} className={styles.row}>
            <span className={styles.what}>
              <MoneyText value={item.amount} />
              <span>{when(item.createdAt)}</span>
            </span>
            <Badge tone={DEPOSIT_LOOKS[item.state].tone}>
              {t(DEPOSIT_LOOKS[item.state].label)}
            </Badge>
          </li>
        ))}
      </ul>
      <ShowMore list={list} />
    </section>
  );
}
