import { ApiRefusal } from "@perya/client/refused";
import { Button, SubmitButton } from "@perya/ui/button";
import { PasskeyIcon } from "@perya/ui/icon";
import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { accountRules } from "../../parts/account/account-rules.ts";
import { passkeyFault } from "../../parts/account/passkey-fault.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { SecretField } from "../../parts/forms/secret-field.tsx";
import { SIX_DIGITS } from "../../parts/forms/six-digits.ts";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { PopupLink } from "../../shell/popup-link.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api } from "../../shell/server.ts";
import { Popup } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { payByPasskey, type Wish } from "./pay-by-passkey.ts";
import styles from "./payment-proof.module.css";

/** Asks for the payment password, or a passkey, before a withdrawal is sent. */
export function PaymentProof(props: {
  open: boolean;
  close: () => void;
  wish: Wish | null;
  /** Amount and destination as text. */
  text: string;
  busy: boolean;
  onProven: (wish: Wish) => void;
}) {
  const { open, close, wish, text, busy, onProven } = props;
  const { t } = useText();
  const security = useQuery({ ...screenQueries.security(), enabled: open });
  return (
    <Popup open={open} close={close} title={t("cashier.confirm_withdraw")}>
      <p className={styles.wish}>{text}</p>
      {security.data === undefined && <Unloaded query={security} rows={1} />}
      {security.data !== undefined && wish !== null && (
        <ProofForm
          wish={wish}
          digits={security.data.hasPaymentPassword}
          passkey={security.data.passkeys.length > 0 && browserSupportsWebAuthn()}
          busy={busy}
          onProven={onProven}
        />
      )}
    </Popup>
  );
}

function ProofForm(props: {
  wish: Wish;
  digits: boolean;
  passkey: boolean;
  busy: boolean;
  onProven: (wish: Wish) => void;
}) {
  const { wish, digits, passkey, busy, onProven } = props;
  const { t } = useText();
  const [typed, setTyped] = useState("");
  const [touched, setTouched] = useState(false);
  const byDigits = useMutation({
    mutationFn: (paymentPassword: string) =>
      api.call("POST /api/v1/member/payment-proof", {
        body: { withdrawal: wish, by: { paymentPassword } },
      }),
    onSuccess: () => onProven(wish),
    onError: (error) => {
      if (error instanceof ApiRefusal) setTyped("");
      setTouched(false);
    },
  });
  const byPasskey = useMutation({
    mutationFn: () => payByPasskey(api, wish),
    onMutate: () => byDigits.reset(),
    onSuccess: () => onProven(wish),
  });
  const malformed = accountRules.paymentPassword(typed).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTouched(true);
    byPasskey.reset();
    if (!malformed) byDigits.mutate(typed);
  };
  const set = (
    <PopupLink pop="security" more={{ id: "payment" }} className={styles.link}>
      {t(digits ? "cashier.proof_forgot" : "cashier.proof_set")}
    </PopupLink>
  );
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {digits && (
        <SecretField
          label={t("auth.paymentPassword")}
          hint={t("cashier.proof_text")}
          {...SIX_DIGITS}
          value={typed}
          errors={touched && malformed ? [t("auth.paymentPassword_format")] : []}
          onChange={(event) => setTyped(event.target.value.replace(/\D/g, ""))}
        />
      )}
      {!digits && !passkey && <p>{t("cashier.proof_none")}</p>}
      <FaultLine
        text={passkeyFault(byDigits.error ?? byPasskey.error, t("cashier.proof_passkey_not"))}
      />
      {digits && (
        <SubmitButton loading={busy || byDigits.isPending}>{t("cashier.confirm")}</SubmitButton>
      )}
      {passkey && (
        <Button
          variant={digits ? "secondary" : "primary"}
          size="lg"
          block
          icon={<PasskeyIcon size={20} />}
          loading={byPasskey.isPending || (busy && !digits)}
          onClick={() => byPasskey.mutate()}
        >
          {t("cashier.proof_passkey")}
        </Button>
      )}
      {set}
    </form>
  );
}
