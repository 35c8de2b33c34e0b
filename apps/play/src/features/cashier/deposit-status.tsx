import { ApiRefusal } from "@perya/client/refused";
import type { DepositState } from "@perya/contract/cashier";
import { formatMoney } from "@perya/kernel/money";
import { Badge } from "@perya/ui/badge";
import { buttonClass } from "@perya/ui/button";
import { MoneyText } from "@perya/ui/money-text";
import { Skeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText, withTexts } from "../../shell/text.ts";
import styles from "./cashier.module.css";
import { POLL_MS } from "./live-cashier.ts";
import { DEPOSIT_DISPLAY } from "./states.ts";

const ManualDeposit = lazy(() => withTexts("manual", import("./manual-deposit.tsx")));

/** The deposit that the player just came back from, until it is paid. */
export function DepositStatus({ id }: { id: string }) {
  const { t } = useText();
  const { data, error, refetch, isFetching } = useQuery({
    ...screenQueries.deposit(id),
    refetchInterval: ({ state }) =>
      isOpen(state.data?.state) ? (state.data?.manual ? BY_HAND_MS : POLL_MS) : false,
  });
  if (data === undefined) {
    if (error === null) return <Skeleton height={92} radius="var(--r-4)" />;
    // An address may name a deposit that does not exist, or is another player's.
    if (error instanceof ApiRefusal && error.problem.code === "not_found") return null;
    return <QueryFailed query={{ error, refetch, isFetching }} />;
  }
  const { label, tone } = DEPOSIT_DISPLAY[data.state];
  const { manual, received } = data;
  const differs = received !== null && received.minor !== data.amount.minor;
  return (
    <>
      <section className={styles.status} data-state={data.state} aria-label={t("cashier.deposit")}>
        <MoneyText value={data.amount} className={styles.big} />
        <span role="status">
          <Badge tone={tone}>{t(label)}</Badge>
        </span>
        {manual === null && data.payUrl !== null && data.state === "created" && (
          <a href={data.payUrl} className={buttonClass({ size: "sm" })}>
            {t("cashier.continue")}
          </a>
        )}
        {differs && (
          <p className="small-print">{t("cashier.received", { amount: formatMoney(received) })}</p>
        )}
        {data.reason !== null && <p className="small-print">{data.reason}</p>}
      </section>
      {manual !== null && (
        <Suspense fallback={<Skeleton height={320} radius="var(--r-4)" />}>
          <ManualDeposit deposit={data} manual={manual} />
        </Suspense>
      )}
    </>
  );
}

/** People check deposits by hand, so polling every few seconds is no use. */
const BY_HAND_MS = 15_000;

function isOpen(state: DepositState | undefined): boolean {
  return state === "created" || state === "pending";
}
