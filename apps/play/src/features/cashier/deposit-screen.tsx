import { freshId } from "@perya/client/ids";
import { ApiRefusal } from "@perya/client/refused";
import { parseDecimal, toWire } from "@perya/kernel/money";
import { Button } from "@perya/ui/button";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { faultText } from "../../shell/fault.ts";
import { QueryFailed } from "../../shell/screen-states.tsx";
import { api, queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { amountFault } from "./amount-fault.ts";
import styles from "./cashier.module.css";
import { CashierList, CashierRow } from "./cashier-list.tsx";
import { CashierTabs } from "./cashier-tabs.tsx";
import { DepositStatus } from "./deposit-status.tsx";
import { useLiveCashier } from "./live-cashier.ts";
import { type Method, MethodAmount } from "./method-amount.tsx";
import { MethodPicker } from "./method-picker.tsx";
import { DEPOSIT_LOOKS } from "./states.ts";

/** Deposit: choose a way and an amount, pay on the provider's page, see it arrive. */
export default function DepositScreen() {
  const { t } = useText();
  const { deposit } = useSearch({ from: "/m/voucherCenter" });
  const methods = useQuery(queries.cashierMethods());
  useLiveCashier();
  return (
    <div className={styles.screen}>
      <CashierTabs current="deposit" />
      {deposit !== undefined && <DepositStatus id={deposit} />}
      {methods.isPending && <ListSkeleton count={4} label={t("shell.loading")} />}
      {methods.isError && (
        <QueryFailed error={methods.error} onRetry={() => void methods.refetch()} />
      )}
      {methods.data !== undefined && (
        <DepositForm methods={methods.data.methods.filter((one) => one.kind === "deposit")} />
      )}
      <DepositList />
    </div>
  );
}

function DepositForm({ methods }: { methods: readonly Method[] }) {
  const { t } = useText();
  const [code, setCode] = useState(methods[0]?.code ?? "");
  const [text, setText] = useState("");
  const [touched, setTouched] = useState(false);
  // One id a form: a double tap or a second try is the same deposit.
  const [id, setId] = useState(() => freshId("deposit"));
  const method = methods.find((one) => one.code === code);
  const open = useMutation({
    mutationFn: (amount: { minor: string; currency: "PHP" | "FUN" }) =>
      api.call("POST /api/v1/cashier/deposits", { body: { id, method: code, amount } }),
    onSuccess: ({ payUrl }) => {
      if (payUrl !== null) location.assign(payUrl);
    },
    onError: (error) => {
      // The id stands for another amount by now: the next try is a new deposit.
      if (error instanceof ApiRefusal) setId(freshId("deposit"));
    },
  });
  if (method === undefined) return <p className={styles.note}>{t("cashier.no_methods")}</p>;
  const { currency } = method.min;
  const amount = parseDecimal(text, currency);
  const fault = amountFault(t, text, amount, method);
  const errors = touched && fault !== null ? [fault] : [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTouched(true);
    if (amount !== null && fault === null) open.mutate(toWire(amount));
  };
  return (
    <form className={styles.card} onSubmit={submit} noValidate>
      <MethodPicker methods={methods} value={code} onChange={setCode} />
      <MethodAmount
        method={method}
        value={text}
        errors={open.isError ? [...errors, faultText(open.error)] : errors}
        onValue={(value) => {
          setText(value);
          setId(freshId("deposit"));
        }}
        onBlur={() => setTouched(text !== "")}
      />
      <Button type="submit" block size="lg" glow loading={open.isPending}>
        {t("cashier.pay")}
      </Button>
      <p className={styles.note}>{t("cashier.deposit_note")}</p>
    </form>
  );
}

function DepositList() {
  const { t, when } = useText();
  const list = useInfiniteQuery(queries.deposits());
  return (
    <CashierList
      title={t("cashier.my_deposits")}
      list={list}
      row={({ amount, createdAt, state }) => (
        <div className={styles.row}>
          <CashierRow amount={amount} note={when(createdAt)} look={DEPOSIT_LOOKS[state]} />
        </div>
      )}
    />
  );
}
