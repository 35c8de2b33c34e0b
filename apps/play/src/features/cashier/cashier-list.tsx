import type { Money } from "@perya/kernel/money";
import { Badge } from "@perya/ui/badge";
import { MoneyText } from "@perya/ui/money-text";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { ShowMore } from "../../parts/lists/show-more.tsx";
import { useText } from "../../shell/text.ts";
import styles from "./cashier.module.css";
import type { StateDisplay } from "./states.ts";

interface CashierListProps<Item> {
  readonly title: string;
  readonly list: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Item[] }>>;
  readonly row: (item: Item) => ReactNode;
}

/** Earlier deposits or withdrawals, newest first; nothing where none exist. */
export function CashierList<Item extends { readonly id: string }>(props: CashierListProps<Item>) {
  const { title, list, row } = props;
  const headingId = useId();
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-labelledby={headingId} className={styles.history}>
      <h2 id={headingId}>{title}</h2>
      <ul className={styles.list}>
        {items.map((item) => (
          <li key={item.id}>{row(item)}</li>
        ))}
      </ul>
      <ShowMore list={list} />
    </section>
  );
}

interface CashierRowProps {
  readonly amount: Money;
  readonly note: ReactNode;
  readonly look: StateDisplay;
}

export function CashierRow({ amount, note, look }: CashierRowProps) {
  const { t } = useText();
  return (
    <>
      <span className={styles.what}>
        <MoneyText value={amount} />
        <span>{note}</span>
      </span>
      <Badge tone={look.tone}>{t(look.label)}</Badge>
    </>
  );
}
