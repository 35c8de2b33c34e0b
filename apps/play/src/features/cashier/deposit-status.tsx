import { Badge } from "@perya/ui/badge";
import { buttonClass } from "@perya/ui/button";
import { MoneyText } from "@perya/ui/money-text";
import { Skeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./cashier.module.css";
import { POLL_MS } from "./live-cashier.ts";
import { DEPOSIT_LOOKS } from "./states.ts";

/** The deposit that the player just came back from, until it is paid. */
export function DepositStatus({ id }: { id: string }) {
  const { t } = useText();
  const { data } = useQuery({
    ...queries.deposit(id),
    refetchInterval: ({ state }) =>
      state.data?.state === "created" || state.data?.state === "pending" ? POLL_MS : false,
  });
  if (data === undefined) return <Skeleton height={92} radius="var(--r-4)" />;
  const { label, tone } = DEPOSIT_LOOKS[data.state];
  return (
    <section className={styles.status} data-state={data.state} aria-label={t("cashier.deposit")}>
      <MoneyText value={data.amount} className={styles.big} />
      <span role="status">
        <Badge tone={tone}>{t(label)}</Badge>
      </span>
      {data.payUrl !== null && data.state === "created" && (
        <a href={data.payUrl} className={buttonClass({ size: "sm" })}>
          {t("cashier.continue")}
        </a>
      )}
    </section>
  );
}
