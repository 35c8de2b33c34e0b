import type { ItemOf } from "@perya/client/api";
import type { TransactionKind } from "@perya/client/screen-queries/records";
import { ChipRow } from "@perya/ui/chip-row";
import { MoneyText } from "@perya/ui/money-text";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { RecordTabs } from "./record-tabs.tsx";
import styles from "./records.module.css";

type Transaction = ItemOf<"GET /api/v1/transactions">;

const KINDS: readonly (readonly [TransactionKind, MessageId])[] = [
  ["all", "records.kind_all"],
  ["bet", "records.kind_bet"],
  ["win", "records.kind_win"],
  ["deposit", "records.kind_deposit"],
  ["withdrawal", "records.kind_withdrawal"],
  ["refund", "records.kind_refund"],
  ["bonus", "records.kind_bonus"],
];

/** The labels of the ledger's kinds of entry. */
const ENTRY_LABELS: Readonly<Record<string, MessageId>> = {
  deposit: "records.kind_deposit",
  withdrawal: "records.entry_withdrawal_paid",
  bet: "records.kind_bet",
  win: "records.kind_win",
  "win-reversal": "records.entry_win_reversal",
  "win-hold": "records.entry_win_hold",
  "win-release": "records.entry_win_release",
  refund: "records.kind_refund",
  bonus: "records.kind_bonus",
  "red-packet": "records.entry_red_packet",
  "trial-credit": "records.entry_trial_credit",
  hold: "records.entry_hold",
  void: "records.entry_void",
};

/** Every movement of the wallet with the balance after it, newest first. */
export default function TransactionScreen() {
  const { t } = useText();
  const navigate = useNavigate();
  const { tab = "all" } = useSearch({ from: "/m/transaction/record" });
  const list = useInfiniteQuery(screenQueries.transactions(tab));
  return (
    <div className="page-body">
      <RecordTabs current="transactions" />
      <ChipRow
        label={t("records.filter")}
        value={tab}
        choices={KINDS.map(([value, label]) => ({ value, label: t(label) }))}
        onValueChange={(value) =>
          navigate({
            to: "/m/transaction/record",
            search: value === "all" ? {} : { tab: value },
            replace: true,
          })
        }
      />
      <PagedList
        list={list}
        keyOf={(entry) => String(entry.seq)}
        empty={t("records.no_transactions")}
        row={(entry) => <TransactionRow entry={entry} />}
      />
    </div>
  );
}

function TransactionRow({ entry }: { entry: Transaction }) {
  const { t, when } = useText();
  // A hold moves nothing but sets money aside; it shows that amount.
  const held = ["hold", "void", "win-hold", "win-release"].includes(entry.kind);
  const amount = held ? entry.held : entry.amount;
  const label = ENTRY_LABELS[entry.kind];
  return (
    <div className={styles.row}>
      <span className={styles.what}>
        <b>{label === undefined ? entry.kind : t(label)}</b>
        <span>{when(entry.at)}</span>
      </span>
      <span className={styles.amounts}>
        <MoneyText
          value={amount}
          sign={!held}
          className={held || amount.minor < 0n ? styles.plain : styles.gained}
        />
        <span className="small-print">
          {t("records.balance_after")} <MoneyText value={entry.balanceAfter} />
        </span>
      </span>
    </div>
  );
}
