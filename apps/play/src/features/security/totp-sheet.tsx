import { ApiRefusal } from "@perya/client/refused";
import { Button, SubmitButton } from "@perya/ui/button";
import { TextField } from "@perya/ui/field";
import { CopyIcon, InstallIcon } from "@perya/ui/icon";
import { notify } from "@perya/ui/notify";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { accountRules } from "../../parts/account/account-rules.ts";
import { copyText } from "../../parts/browser/copy-text.ts";
import { digitsOnly } from "../../parts/forms/digits-only.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { sendBy } from "../../parts/forms/send-by.ts";
import { faultText } from "../../shell/fault.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { withFreshProof } from "./fresh-proof.ts";
import { QrCode } from "./qr-code.tsx";
import type { SecuritySheet } from "./safety.ts";
import { SecondFactorField } from "./second-factor-field.tsx";
import styles from "./security.module.css";
import { useRereadSecurity } from "./use-reread.ts";

/** Two-factor login: off, being set up, its recovery codes, on. */
export default function TotpSheet({ state, close }: SecuritySheet) {
  const { t } = useText();
  const reread = useRereadSecurity();
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null);
  const begin = useMutation({
    mutationFn: () => withFreshProof(() => api.call("POST /api/v1/member/totp", { body: {} })),
  });
  const showCodes = (codes: readonly string[]) => {
    setRecoveryCodes(codes);
    reread();
  };
  if (recoveryCodes !== null) return <RecoveryCodes codes={recoveryCodes} onKept={close} />;
  if (state.totp.enabled) {
    // It was switched on here, and the answer was lost.
    const missed = begin.data !== undefined;
    return (
      <div className={styles.form}>
        <NewCodes left={state.totp.recoveryCodesLeft} missed={missed} onMade={showCodes} />
        {!missed && <SwitchOff close={close} />}
      </div>
    );
  }
  if (begin.data !== undefined) return <FirstCode {...begin.data} onConfirmed={showCodes} />;
  return (
    <div className={styles.form}>
      <p className={styles.lead}>{t("security.totp_text")}</p>
      <FaultLine text={begin.isError ? faultText(begin.error) : undefined} />
      <Button size="lg" block glow loading={begin.isPending} onClick={() => begin.mutate()}>
        {t("security.totp_begin")}
      </Button>
    </div>
  );
}

function FirstCode(props: {
  secret: string;
  uri: string;
  onConfirmed: (recoveryCodes: readonly string[]) => void;
}) {
  const { secret, uri, onConfirmed } = props;
  const { t } = useText();
  const client = useQueryClient();
  const form = useForm<{ code: string }>({
    defaultValues: { code: "" },
    resolver: (values) => verdict(values, { code: accountRules.authenticatorCode(values.code) }),
  });
  useRecheck(form);
  const confirm = useMutation({
    mutationFn: (body: { code: string }) =>
      withFreshProof(() => api.call("POST /api/v1/member/totp/confirm", { body })),
    onSuccess: (reply) => onConfirmed(reply.recoveryCodes),
    onError: async (error) => {
      if (error instanceof ApiRefusal) form.resetField("code");
      form.setFocus("code");
      // It may be on already, with the answer lost: then this form closes.
      if (error instanceof ApiRefusal && error.problem.code === "wrong_state") {
        await client.invalidateQueries(screenQueries.security());
      }
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={sendBy(form, confirm)}>
      <p className={styles.lead}>{t("security.totp_scan")}</p>
      <QrCode text={uri} label={t("security.totp_qr")} />
      <div className={styles.secret}>
        <span className={styles.note}>{t("security.totp_secret")}</span>
        <code>{inFours(secret)}</code>
        <Button
          variant="secondary"
          icon={<CopyIcon size={18} />}
          onClick={() => void copyText(secret)}
        >
          {t("security.copy")}
        </Button>
        {/* The phone that plays cannot scan its own screen: its authenticator opens the link. */}
        <a className={styles.link} href={uri}>
          {t("security.totp_open")}
        </a>
      </div>
      <TextField
        label={t("auth.authenticator_code")}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        errors={form.formState.errors.code?.message}
        {...digitsOnly(form.register("code"))}
      />
      <FaultLine text={confirm.isError ? faultText(confirm.error) : undefined} />
      <SubmitButton loading={confirm.isPending}>{t("security.totp_confirm")}</SubmitButton>
    </form>
  );
}

/** Shown once: the server stores only what verifies them. */
function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const { t } = useText();
  return (
    <div className={styles.form}>
      <p className={styles.lead} role="status">
        {t("security.codes_text")}
      </p>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={styles.pair}>
        <Button
          variant="secondary"
          icon={<CopyIcon size={18} />}
          onClick={() => void copyText(codes.join("\n"))}
        >
          {t("security.copy")}
        </Button>
        <a
          className={styles.download}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join("\n")}\n`)}`}
          download="recovery-codes.txt"
        >
          <InstallIcon size={18} />
          {t("security.download")}
        </a>
      </div>
      <Button size="lg" block glow onClick={onKept}>
        {t("security.codes_kept")}
      </Button>
    </div>
  );
}

/** Two-factor login is on: how many recovery codes are left, and ten new ones to replace them. */
function NewCodes(props: {
  left: number;
  missed: boolean;
  onMade: (recoveryCodes: readonly string[]) => void;
}) {
  const { t } = useText();
  const make = useMutation({
    mutationFn: () =>
      withFreshProof(() => api.call("POST /api/v1/member/totp/recovery-codes", { body: {} })),
    onSuccess: (reply) => props.onMade(reply.recoveryCodes),
  });
  return (
    <>
      {props.missed ? (
        <p className={styles.lead} role="status">
          {t("security.codes_missed")}
        </p>
      ) : (
        <>
          <p className={styles.lead}>{t("security.totp_on_text")}</p>
          <p className={styles.note}>{t("security.codes_left", { count: props.left })}</p>
          <p className={styles.note}>{t("security.codes_new_text")}</p>
        </>
      )}
      <FaultLine text={make.isError ? faultText(make.error) : undefined} />
      <Button
        variant={props.missed ? "primary" : "secondary"}
        size="lg"
        block
        loading={make.isPending}
        onClick={() => make.mutate()}
      >
        {t("security.codes_new")}
      </Button>
    </>
  );
}

/** Needs a code or a recovery code: a thief of this phone's session has neither. */
function SwitchOff({ close }: { close: () => void }) {
  const { t } = useText();
  const reread = useRereadSecurity();
  const form = useForm<{ code: string }>({
    defaultValues: { code: "" },
    resolver: (values) => verdict(values, { code: accountRules.secondFactor(values.code) }),
  });
  useRecheck(form);
  const remove = useMutation({
    mutationFn: ({ code }: { code: string }) =>
      api.call("DELETE /api/v1/member/totp", { body: { code: code.trim() } }),
    onSuccess: () => {
      notify.success(t("security.saved"));
      reread();
      close();
    },
    onError: (error) => {
      if (error instanceof ApiRefusal) form.resetField("code");
      form.setFocus("code");
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={sendBy(form, remove)}>
      <p className={styles.note}>{t("security.totp_off_text")}</p>
      <SecondFactorField errors={form.formState.errors.code?.message} {...form.register("code")} />
      <FaultLine text={remove.isError ? faultText(remove.error) : undefined} />
      <Button type="submit" variant="danger" size="lg" block loading={remove.isPending}>
        {t("security.totp_off")}
      </Button>
    </form>
  );
}

/** In groups of four, for typing by hand. */
function inFours(secret: string): string {
  return secret.replace(/.{4}(?=.)/g, "$& ");
}
