import type { Reply } from "@perya/client/api";
import { OWN_KEY } from "@perya/client/own-key";
import { formatMoney } from "@perya/kernel/money";
import { Button, IconButton } from "@perya/ui/button";
import { TextField } from "@perya/ui/field";
import { CopyIcon } from "@perya/ui/icon";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { copyText } from "../../parts/browser/copy-text.ts";
import { choosePictures } from "../../parts/pictures/picture-choice.ts";
import { smallerPicture } from "../../parts/pictures/smaller-picture.ts";
import { faultText } from "../../shell/fault.ts";
import { api, queryClient } from "../../shell/server.ts";
import { askerNow, type StillAsks } from "../../shell/session.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import styles from "./manual-deposit.module.css";

type Deposit = Reply<"GET /api/v1/cashier/deposits/{id}">;
type Manual = NonNullable<Deposit["manual"]>;

/** As the server takes a transfer's number: letters and digits, with spaces and dashes between. */
const NUMBER = /^[A-Za-z0-9][A-Za-z0-9 -]{4,38}[A-Za-z0-9]$/;

interface ManualDepositProps {
  readonly deposit: Deposit;
  readonly manual: Manual;
}

/** A deposit by hand: where to pay, with which code, and the player's evidence of the payment. */
export default function ManualDeposit({ deposit, manual }: ManualDepositProps) {
  const { t } = useText();
  if (deposit.state === "paid" || deposit.state === "failed") return null;
  if (manual.payerReference !== null) {
    return (
      <section className={styles.card}>
        <p>{t("manual.looking")}</p>
        <p className="small-print">{t("manual.number_sent", { number: manual.payerReference })}</p>
      </section>
    );
  }
  return (
    <section className={styles.card} aria-label={t("manual.title")}>
      <h2 className={styles.title}>{t("manual.title")}</h2>
      <p>{t("manual.send", { amount: formatMoney(deposit.amount) })}</p>
      <Account manual={manual} />
      <Fact label={t("manual.code")} value={manual.code} copy={t("manual.copy_code")} strong />
      <p className="small-print">{t("manual.code_note")}</p>
      <Evidence id={deposit.id} hasReceipt={manual.receipt} />
    </section>
  );
}

function Account({ manual: { house } }: { manual: Manual }) {
  const { t } = useText();
  return (
    <>
      <Fact label={t("manual.account")} value={house.name} />
      <Fact label={t("manual.holder")} value={house.holder} />
      <Fact label={t("manual.number")} value={house.number} copy={t("manual.copy_number")} />
      {house.qr !== null && <img src={house.qr} alt={t("manual.qr")} className={styles.qr} />}
      {house.instructions !== "" && <p className="small-print">{house.instructions}</p>}
    </>
  );
}

interface FactProps {
  readonly label: string;
  readonly value: string;
  /** The label of the button that copies the value. */
  readonly copy?: string;
  readonly strong?: boolean;
}

function Fact({ label, value, copy, strong = false }: FactProps) {
  return (
    <div className={styles.fact}>
      <span>
        <small>{label}</small>
        <b translate="no" data-strong={strong}>
          {value}
        </b>
      </span>
      {copy !== undefined && (
        <IconButton label={copy} onClick={() => void copyText(value)}>
          <CopyIcon size={20} />
        </IconButton>
      )}
    </div>
  );
}

const FAULTS: Readonly<Record<"kind" | "size" | "count", MessageId>> = {
  kind: "activity.picture_kind",
  size: "activity.picture_size",
  count: "activity.picture_kind",
};

/** The receipt's picture and the transfer's number; the last one sent of each is kept. */
function Evidence({ id, hasReceipt }: { id: Deposit["id"]; hasReceipt: boolean }) {
  const { t } = useText();
  const [number, setNumber] = useState("");
  const [touched, setTouched] = useState(false);
  const fits = NUMBER.test(number.trim());
  const claim = useMutation({
    mutationFn: () =>
      api.call("POST /api/v1/cashier/deposits/{id}/claim", {
        params: { id },
        body: { payerReference: number.trim() },
      }),
    onSuccess: readAgain,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTouched(true);
    if (fits && hasReceipt) claim.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <Receipt id={id} hasReceipt={hasReceipt} missing={touched && !hasReceipt} />
      <TextField
        label={t("manual.transfer_number")}
        hint={t("manual.transfer_number_hint")}
        autoComplete="off"
        maxLength={40}
        value={number}
        errors={[
          ...(touched && !fits ? [t("manual.transfer_number_format")] : []),
          ...(claim.isError ? [faultText(claim.error)] : []),
        ]}
        onChange={({ target }) => {
          setNumber(target.value);
          claim.reset();
        }}
      />
      <Button type="submit" block size="lg" loading={claim.isPending}>
        {t("manual.i_paid")}
      </Button>
    </form>
  );
}

function Receipt(props: { id: Deposit["id"]; hasReceipt: boolean; missing: boolean }) {
  const { id, hasReceipt, missing } = props;
  const { t } = useText();
  const errorId = useId();
  const [fault, setFault] = useState("");
  const send = useMutation({
    mutationFn: async (given: { readonly chosen: Blob; readonly stillAsks: StillAsks }) => {
      const file = await smallerPicture(given.chosen);
      // A player who logs in while it is drawn did not choose it.
      given.stillAsks("a receipt");
      return api.call("PUT /api/v1/cashier/deposits/{id}/receipt", { params: { id }, file });
    },
    onSuccess: readAgain,
    onError: (error) => setFault(faultText(error)),
  });
  const choose = async (files: readonly File[]) => {
    const stillAsks = askerNow();
    const { taken, fault: left } = await choosePictures(files.slice(0, 1), 0);
    setFault(left === null ? "" : t(FAULTS[left]));
    const [chosen] = taken;
    if (chosen !== undefined) send.mutate({ chosen, stillAsks });
  };
  const said = missing && fault === "" ? t("manual.receipt_needed") : fault;
  return (
    <div>
      <label className={styles.receipt} data-sent={hasReceipt} aria-busy={send.isPending}>
        <input
          type="file"
          accept="image/png,image/jpeg"
          className="visually-hidden"
          aria-describedby={errorId}
          onChange={({ target }) => {
            void choose([...(target.files ?? [])]);
            // So that the same file can be chosen again after it was refused.
            target.value = "";
          }}
        />
        {t(receiptText(send.isPending, hasReceipt))}
      </label>
      <div id={errorId} className={styles.error} aria-live="polite" hidden={said === ""}>
        {said}
      </div>
    </div>
  );
}

function receiptText(isSending: boolean, hasReceipt: boolean): MessageId {
  if (isSending) return "manual.receipt_sending";
  return hasReceipt ? "manual.receipt_sent" : "manual.receipt";
}

function readAgain(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [OWN_KEY, "cashier"] });
}
