import type { ItemOf } from "@perya/client/api";
import { OWN_KEY } from "@perya/client/own-key";
import { ApiRefusal } from "@perya/client/refused";
import { compare, formatMoney, fromWire, parseDecimal, toWire } from "@perya/kernel/money";
import { SubmitButton } from "@perya/ui/button";
import { TextField } from "@perya/ui/field";
import { SuccessIcon } from "@perya/ui/icon";
import { MoneyText } from "@perya/ui/money-text";
import { ConfirmDialog } from "@perya/ui/sheet";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useBalance } from "../../parts/money/wallet.ts";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { CommandState, useCommand } from "../../shell/command.tsx";
import { faultText } from "../../shell/fault.ts";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queryClient } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { amountFault } from "./amount-fault.ts";
import styles from "./cashier.module.css";
import { CashierList, CashierRow } from "./cashier-list.tsx";
import { CashierTabs } from "./cashier-tabs.tsx";
import { useLiveCashier } from "./live-cashier.ts";
import { type Method, MethodAmount } from "./method-amount.tsx";
import { MethodPicker } from "./method-picker.tsx";
import type { Wish } from "./pay-by-passkey.ts";
import { PaymentProof } from "./payment-proof.tsx";
import { WITHDRAWAL_DISPLAY } from "./states.ts";
import { walletNumber } from "./wallet-number.ts";

type Withdrawal = ItemOf<"GET /api/v1/cashier/withdrawals">;

/** A Philippine mobile wallet: 09 and nine digits. */
const MOBILE = /^09\d{9}$/;

/** Withdraw: the money is set aside at once and paid when the withdrawal is approved. */
export default function WithdrawScreen() {
  const methods = useQuery(screenQueries.cashierMethods());
  useLiveCashier();
  return (
    <div className="page-body">
      <CashierTabs current="withdraw" />
      {!methods.isSuccess && <Unloaded query={methods} rows={4} />}
      {methods.data !== undefined && (
        <WithdrawForm
          methods={methods.data.methods.filter((one) => one.kind === "withdrawal")}
          proofNeeded={methods.data.proofNeeded}
        />
      )}
      <WithdrawalList />
    </div>
  );
}

function WithdrawForm(props: { methods: readonly Method[]; proofNeeded: boolean }) {
  const { methods, proofNeeded } = props;
  const { t } = useText();
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const available = useBalance();
  const [code, setCode] = useState(methods[0]?.code ?? "");
  const [destination, setDestination] = useState("");
  const [text, setText] = useState("");
  const [touched, setTouched] = useState(false);
  /** A reload keeps the dialog's address but empties the form. */
  const [asked, setAsked] = useState(false);
  const [done, setDone] = useState<Withdrawal | null>(null);
  const method = methods.find((one) => one.code === code);
  const closeConfirm = () => {
    if (popup === "confirm") popups.close();
  };
  const { view, send } = useCommand("POST /api/v1/cashier/withdrawals", {
    onDone: (withdrawal) => {
      closeConfirm();
      setText("");
      setTouched(false);
      setAsked(false);
      setDone(withdrawal);
      void queryClient.invalidateQueries({ queryKey: [OWN_KEY] });
    },
    onRefused: (error) => {
      closeConfirm();
      // The setting was switched on, or a payment password set, since this page asked.
      if (error instanceof ApiRefusal && error.problem.code === "payment_proof_needed") {
        void queryClient.invalidateQueries(screenQueries.cashierMethods());
      }
    },
  });
  const failed = view.phase === "rest" ? view.error : null;
  const asking = view.phase !== "rest";
  if (method === undefined) return <p className="small-print">{t("cashier.no_methods")}</p>;
  const amount = parseDecimal(text, method.min.currency);
  const short = amount !== null && available !== null && compare(amount, available) > 0;
  const limit = amountFault(t, text, amount, method);
  const amountError = short ? t("cashier.above_balance") : limit;
  const numberError = MOBILE.test(destination) ? null : t("cashier.number_format");
  const wish = amount === null ? null : { method: code, destination, amount: toWire(amount) };
  const confirming = asked && popup === "confirm" && view.phase !== "checking" && wish !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTouched(true);
    if (amountError !== null || numberError !== null) return;
    setAsked(true);
    popups.open("confirm");
  };
  return (
    <>
      {done !== null && <Done key={done.id} withdrawal={done} />}
      <form className={styles.card} onSubmit={submit} noValidate>
        <p className={styles.available}>
          {t("cashier.available")} {available !== null && <MoneyText value={available} />}
        </p>
        <MethodPicker methods={methods} value={code} onChange={setCode} />
        <TextField
          label={t("cashier.wallet_number")}
          hint={t("cashier.wallet_number_hint")}
          inputMode="numeric"
          autoComplete="tel-national"
          value={destination}
          errors={touched && numberError !== null ? [numberError] : []}
          onChange={(event) => setDestination(walletNumber(event.target.value))}
        />
        <MethodAmount
          method={method}
          available={available}
          value={text}
          errors={[
            ...(touched && amountError !== null ? [amountError] : []),
            ...(failed === null ? [] : [faultText(failed)]),
          ]}
          onValue={setText}
        />
        <SubmitButton loading={asking}>{t("cashier.withdraw")}</SubmitButton>
        <CommandState view={view} />
        <p className="small-print">{t("cashier.withdraw_note")}</p>
      </form>
      <Confirm
        open={confirming}
        wish={wish}
        proofNeeded={proofNeeded}
        busy={asking}
        onConfirmed={send}
      />
    </>
  );
}

/** In sight, wherever the page was scrolled to. */
function Done({ withdrawal }: { withdrawal: Withdrawal }) {
  const { t, when } = useText();
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "center" }), []);
  return (
    <section className={styles.done} role="status" ref={place}>
      <SuccessIcon size={24} />
      <div>
        <b>{t("cashier.withdraw_asked")}</b>
        <p>
          {t("cashier.withdraw_done", {
            amount: formatMoney(withdrawal.amount),
            number: withdrawal.destination,
            time: when(withdrawal.createdAt),
          })}
        </p>
      </div>
    </section>
  );
}

interface ConfirmProps {
  readonly open: boolean;
  /** Null while the typed amount is none. */
  readonly wish: Wish | null;
  readonly proofNeeded: boolean;
  readonly busy: boolean;
  readonly onConfirmed: (wish: Wish) => void;
}

/** Asks once more, and for a proof where the player has to give one. */
function Confirm({ open, wish, proofNeeded, busy, onConfirmed }: ConfirmProps) {
  const { t } = useText();
  const popups = usePopups();
  const text =
    wish === null
      ? ""
      : t("cashier.confirm_text", {
          amount: formatMoney(fromWire(wish.amount)),
          number: wish.destination,
        });
  return proofNeeded ? (
    <PaymentProof
      open={open}
      close={() => popups.close()}
      wish={wish}
      text={text}
      busy={busy}
      onProven={onConfirmed}
    />
  ) : (
    <ConfirmDialog
      open={open}
      onOpenChange={(stays) => {
        if (!stays) popups.close();
      }}
      title={t("cashier.confirm_withdraw")}
      confirmLabel={t("cashier.confirm")}
      cancelLabel={t("shell.cancel")}
      loading={busy}
      onConfirm={() => {
        if (wish !== null) onConfirmed(wish);
      }}
    >
      {text}
    </ConfirmDialog>
  );
}

function WithdrawalList() {
  const { t } = useText();
  const list = useInfiniteQuery(screenQueries.withdrawals());
  return (
    <CashierList
      title={t("cashier.my_withdrawals")}
      list={list}
      row={(item) => <WithdrawalRow item={item} />}
    />
  );
}

/** Amount and state; a tap shows the earlier states with their times. */
function WithdrawalRow({ item }: { item: Withdrawal }) {
  const { t, when } = useText();
  return (
    <details className={styles.details} data-state={item.state}>
      <summary className={styles.row}>
        <CashierRow
          amount={item.amount}
          note={item.destination}
          look={WITHDRAWAL_DISPLAY[item.state]}
        />
      </summary>
      <ol className={styles.timeline}>
        {item.history.map((step) => (
          <li key={`${step.state} ${step.at}`} className={styles.step}>
            <span>{t(WITHDRAWAL_DISPLAY[step.state].label)}</span>
            <time dateTime={new Date(step.at).toISOString()}>{when(step.at)}</time>
          </li>
        ))}
        {item.reason !== null && <li>{item.reason}</li>}
      </ol>
    </details>
  );
}
