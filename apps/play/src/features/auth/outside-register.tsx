import { ApiRefusal } from "@perya/client/refused";
import { SubmitButton } from "@perya/ui/button";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useWatch } from "react-hook-form";
import { PROVIDER_NAMES } from "../../parts/account/provider-name.ts";
import { registerSettings } from "../../parts/account/register-settings.ts";
import { withProof } from "../../parts/account/use-sms-code.ts";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { lineOf, showProblem } from "../../parts/forms/form-faults.ts";
import { sendBy } from "../../parts/forms/send-by.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { api } from "../../shell/server.ts";
import type { SessionInfo } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { AgreeField } from "./agree-field.tsx";
import styles from "./auth.module.css";
import { dropDraft, readDraft } from "./register-draft.ts";
import {
  type AwaitedRegistration,
  nameOfWire,
  outsideBody,
  type RegisterValues,
  type Settings,
  shownOutside,
} from "./register-fields.ts";
import { isInvitationWrong, useRegisterFields } from "./use-register-fields.tsx";

interface OutsideRegisterProps {
  readonly awaited: AwaitedRegistration;
  readonly onSession: (session: SessionInfo) => void;
  readonly onPending: (pending: string) => void;
  /** The ticket has expired: the player begins again at the provider. */
  readonly onExpired: (error: ApiRefusal) => void;
}

/** An empty form, except for the friend's link that led to the registration. */
function invited() {
  const { linked } = readDraft();
  return { country: null, values: linked === null ? {} : { affiliateCode: linked }, linked };
}

/** The fields that a brand requires of a new player, beside those that the provider supplied. */
export function OutsideRegister(props: OutsideRegisterProps) {
  const { t } = useText();
  const settings = useQuery(registerSettings);
  if (settings.data !== undefined) return <OutsideForm {...props} settings={settings.data} />;
  if (!settings.isError) return <ListSkeleton count={3} label={t("shell.loading")} />;
  return <QueryFailed query={settings} />;
}

function OutsideForm(props: OutsideRegisterProps & { settings: Settings }) {
  const { awaited, settings, onSession, onPending, onExpired } = props;
  const { t } = useText();
  const shown = shownOutside(settings, awaited);
  const fieldOf = (field: string) => nameOfWire(field, shown);
  const [draft] = useState(invited);
  const { form, code, canJudge, page, fields, refuseInvitation } = useRegisterFields({
    settings,
    shown,
    captchaShown: false,
    outside: awaited,
    draft,
  });
  const agreed = useWatch({ control: form.control, name: "agreed" });
  const register = useMutation({
    mutationFn: async (values: RegisterValues) => {
      // Without the parameters that the provider added.
      const registerUrl = location.origin + location.pathname;
      const given = outsideBody(awaited.ticket, values, shown, { ...page(), registerUrl });
      const body = await withProof(given, code);
      return api.call("PUT /api/v1/auth/external/register", { body });
    },
    onSuccess: (reply) => {
      dropDraft();
      if ("secondFactor" in reply) onPending(reply.pending);
      else onSession(reply);
    },
    onError: (error) => {
      if (!(error instanceof ApiRefusal)) return;
      if (error.problem.code === "external_login_failed") return onExpired(error);
      if (isInvitationWrong(error)) return refuseInvitation();
      showProblem(form, error.problem, fieldOf);
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={sendBy(form, register)}>
      <p className={styles.lead}>
        {t("auth.outside_text", { provider: PROVIDER_NAMES[awaited.provider] })}
      </p>
      {awaited.email !== null && (
        <p className={styles.lead}>{t("auth.outside_email", { email: awaited.email })}</p>
      )}
      {fields}
      <AgreeField age={settings.minimumAge} {...form.register("agreed")} />
      <FaultLine
        text={isInvitationWrong(register.error) ? undefined : lineOf(register.error, fieldOf)}
      />
      <SubmitButton disabled={!canJudge || !agreed} loading={register.isPending}>
        {t("auth.outside_open")}
      </SubmitButton>
    </form>
  );
}
