import { ApiRefusal } from "@perya/client/refused";
import { Button, SubmitButton } from "@perya/ui/button";
import { notify } from "@perya/ui/notify";
import { Tabs } from "@perya/ui/tabs";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type UseFormReturn, useWatch } from "react-hook-form";
import { CaptchaField, useCaptcha } from "../../parts/account/captcha-field.tsx";
import { withProof } from "../../parts/account/use-sms-code.ts";
import { digitsOnly } from "../../parts/forms/digits-only.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { lineOf, showProblem } from "../../parts/forms/form-faults.ts";
import { sendBy } from "../../parts/forms/send-by.ts";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { AgreeField } from "./agree-field.tsx";
import styles from "./auth.module.css";
import {
  dropDraft,
  keepDraft,
  type RegisterDraft,
  readDraft,
  withInvitation,
} from "./register-draft.ts";
import {
  nameOfWire,
  type RegisterMethod,
  type RegisterValues,
  registrationBody,
  type Settings,
  shownFields,
} from "./register-fields.ts";
import { isInvitationWrong, useRegisterFields } from "./use-register-fields.tsx";

/** Shows that the code was refused, and stops the registration there. */
class InvitationRefused extends Error {}

export function RegisterForm(props: { settings: Settings; methods: readonly RegisterMethod[] }) {
  const { settings, methods } = props;
  const { t } = useText();
  const popups = usePopups();
  const { next, trial, id: invitation } = useOpenPopup();
  const [later] = useState({
    ...(next === undefined ? {} : { next }),
    ...(trial === undefined ? {} : { trial }),
  });
  const [draft] = useState(() => withInvitation(readDraft(), invitation));
  const [chosen, setMethod] = useState(draft.method);
  const method = methods.find((one) => one === chosen) ?? methods[0] ?? "username";
  const shown = shownFields(settings, method);
  const fieldOf = (field: string) => nameOfWire(field, shown);
  const captcha = useCaptcha("digits", settings.fields.captcha?.enabled === true);
  const { form, code, canJudge, country, page, fields, refuseInvitation } = useRegisterFields({
    settings,
    shown,
    captchaShown: captcha.shown,
    outside: null,
    draft,
  });
  const agreed = useWatch({ control: form.control, name: "agreed" });
  useDraft(form, { method, country, linked: draft.linked });

  const register = useMutation({
    mutationFn: async (values: RegisterValues) => {
      const invitation = shown.includes("affiliateCode") ? values.affiliateCode.trim() : "";
      if (invitation !== "" && !(await invites(invitation))) throw new InvitationRefused();
      const body = await withProof(registrationBody(values, shown, page()), code);
      return api.call("PUT /api/v1/auth/register", {
        body: { ...body, ...captcha.answer(values.captcha) },
      });
    },
    onSuccess: ({ userName }) => {
      dropDraft();
      notify.success(t("auth.registered"));
      popups.open("login", { ...later, name: userName });
    },
    onError: (error) => {
      if (error instanceof InvitationRefused) return refuseInvitation();
      if (captcha.shown) {
        form.resetField("captcha");
        captcha.refresh();
      }
      if (!(error instanceof ApiRefusal)) return;
      const { problem } = error;
      if (problem.captchaRequired && !captcha.shown) captcha.refresh();
      if (isInvitationWrong(error)) return refuseInvitation();
      showProblem(form, problem, fieldOf);
    },
  });
  return (
    <>
      <form className={styles.form} noValidate onSubmit={sendBy(form, register)}>
        {methods.length > 1 ? (
          <Tabs
            label={t("auth.method")}
            tabs={[
              { value: "username", label: t("auth.username") },
              { value: "mobile", label: t("auth.mobileNum") },
            ]}
            value={method}
            onValueChange={(next) => {
              setMethod(next);
              form.clearErrors();
              register.reset();
            }}
          >
            {fields}
          </Tabs>
        ) : (
          fields
        )}
        {captcha.shown && (
          <CaptchaField
            captcha={captcha}
            errors={form.formState.errors.captcha?.message}
            {...digitsOnly(form.register("captcha"))}
          />
        )}
        <AgreeField age={settings.minimumAge} {...form.register("agreed")} />
        <FaultLine
          text={isInvitation(register.error) ? undefined : lineOf(register.error, fieldOf)}
        />
        <SubmitButton disabled={!canJudge || !agreed} loading={register.isPending}>
          {t("auth.register")}
        </SubmitButton>
      </form>
      <p className={styles.or}>{t("auth.have_account")}</p>
      <Button variant="secondary" block onClick={() => popups.open("login", later)}>
        {t("auth.login")}
      </Button>
    </>
  );
}

/** The typed values survive a reload of this tab, except for secrets. */
function useDraft(
  form: UseFormReturn<RegisterValues>,
  { method, country, linked }: Omit<RegisterDraft, "values">,
): void {
  const values = useWatch({ control: form.control });
  useEffect(
    () => keepDraft({ method, country, linked, values }),
    [method, country, linked, values],
  );
}

function isInvitation(error: Error | null): boolean {
  return error instanceof InvitationRefused || isInvitationWrong(error);
}

async function invites(code: string): Promise<boolean> {
  const { success } = await api.call("GET /api/v1/auth/invitation-code", { query: { code } });
  return success;
}
