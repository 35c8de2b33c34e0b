import { OWN_KEY } from "@perya/client/own-key";
import type { Deposit } from "@perya/contract/cashier";
import { parseDecimal, toWire } from "@perya/kernel/money";
import { SubmitButton } from "@perya/ui/button";
import { ForwardIcon } from "@perya/ui/icon";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { CommandState, useCommand } from "../../shell/command.tsx";
import { faultText } from "../../shell/fault.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queryClient } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { amountFault } from "./amount-fault.ts";
import styles from "./cashier.module.css";
import { CashierList, CashierRow } from "./cashier-list.tsx";
import { CashierTabs } from "./cashier-tabs.tsx";
import { DepositStatus } from "./deposit-status.tsx";
import { useLiveCashier } from "./live-cashier.ts";
import { type Method, MethodAmount } from "./method-amount.tsx";
import { MethodPicker } from "./method-picker.tsx";
import { DEPOSIT_DISPLAY } from "./states.ts";

/** Deposit: choose a method and an amount, pay on the provider's page, see it arrive. */
export default function DepositScreen() {
  const { deposit } = useSearch({ from: "/m/voucherCenter" });
  const methods = useQuery(screenQueries.cashierMethods());
  useLiveCashier();
  return (
    <div className="page-body">
      <CashierTabs current="deposit" />
      {deposit !== undefined && <DepositStatus key={deposit} id={deposit} />}
      {!methods.isSuccess && <Unloaded query={methods} rows={4} />}
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
  const method = methods.find((one) => one.code === code);
  const navigate = useNavigate();
  const { view, send } = useCommand("POST /api/v1/cashier/deposits", {
    onDone: ({ id, payUrl }, { resumed }) => {
      void queryClient.invalidateQueries({ queryKey: [OWN_KEY, "cashier"] });
      // A player who reloaded meanwhile sees the deposit and goes on at will. So does a player
      // whose deposit has no payment page because its provider refused it.
      if (payUrl !== null && !resumed) location.assign(payUrl);
      else void navigate({ to: "/m/voucherCenter", search: { deposit: id } });
    },
    onRefused: () => undefined,
  });
  const failed = view.phase === "rest" ? view.error : null;
  if (method === undefined) return <p className="small-print">{t("cashier.no_methods")}</p>;
  const { currency } = method.min;
  const amount = parseDecimal(text, currency);
  const fault = amountFault(t, text, amount, method);
  const errors = touched && fault !== null ? [fault] : [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTouched(true);
    if (amount !== null && fault === null) send({ method: code, amount: toWire(amount) });
  };
  return (
    <form className={styles.card} onSubmit={submit} noValidate>
      <MethodPicker methods={methods} value={code} onChange={setCode} />
      <MethodAmount
        method={method}
        value={text}
        errors={failed === null ? errors : [...errors, faultText(failed)]}
        onValue={setText}
        onBlur={() => setTouched(text !== "")}
      />
      <SubmitButton loading={view.phase !== "rest"}>{t("cashier.pay")}</SubmitButton>
      <CommandState view={view} />
      <p className="small-print">{t("cashier.deposit_note")}</p>
    </form>
  );
}

/**
 * Whether the deposit still needs an action or a wait; a player who left the page returns to it
 * from the list. An expired deposit by hand is checked again when it is claimed.
 */
function goesOn({ state, manual }: Deposit): boolean {
  return state === "created" || state === "pending" || (state === "expired" && manual !== null);
}

function DepositList() {
  const { t, when } = useText();
  const list = useInfiniteQuery(screenQueries.deposits());
  return (
    <CashierList
      title={t("cashier.my_deposits")}
      list={list}
      row={(deposit) => {
        const { id, amount, createdAt, state } = deposit;
        const row = (
          <CashierRow amount={amount} note={when(createdAt)} look={DEPOSIT_DISPLAY[state]} />
        );
        if (!goesOn(deposit)) return <div className={styles.row}>{row}</div>;
        return (
          <Link to="/m/voucherCenter" search={{ deposit: id }} className={styles.row}>
            {row}
            <ForwardIcon size={18} />
          </Link>
        );
      }}
    />
  );
}
