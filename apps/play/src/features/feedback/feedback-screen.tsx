import { ApiRefusal } from "@perya/client/refused";
import { SubmitButton } from "@perya/ui/button";
import { TextAreaField } from "@perya/ui/field";
import { SuccessIcon } from "@perya/ui/icon";
import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import { CaptchaField, useCaptcha } from "../../parts/account/captcha-field.tsx";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { fieldIn } from "../../parts/forms/field-in.ts";
import { lineOf, showProblem, useRecheck, verdict } from "../../parts/forms/form-faults.ts";
import { lengthOf } from "../../parts/forms/text-length.ts";
import { CommandState, useCommand } from "../../shell/command.tsx";
import { faultText } from "../../shell/fault.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./feedback.module.css";
import {
  CONTENT_MAX,
  CONTENT_MIN,
  type FeedbackValues,
  feedbackFaults,
  isSendable,
  typeOf,
} from "./feedback-form.ts";
import { TypeChoice } from "./type-choice.tsx";

const LOADING_TOAST = "feedback";
const NOTHING: FeedbackValues = { type: "", content: "", captcha: "" };

export default function FeedbackScreen() {
  const { t } = useText();
  const sender = useSession(({ session }) => session?.userName ?? "");
  const captcha = useCaptcha("simple", true);
  const form = useForm<FeedbackValues>({
    defaultValues: NOTHING,
    resolver: (values) => verdict(values, feedbackFaults(values)),
  });
  const { errors, isDirty } = form.formState;
  const content = useWatch({ control: form.control, name: "content" });
  useRecheck(form);

  const nextPicture = () => {
    form.resetField("captcha");
    captcha.refresh();
  };
  const [through, setThrough] = useState(false);
  const { view, send } = useCommand("PUT /api/v1/feedback", {
    // A player's message is for the house alone.
    secret: true,
    onDone: () => {
      notify.dismiss(LOADING_TOAST);
      notify.success(t("feedback.sent"), TOAST_MS.sent);
      form.reset(NOTHING);
      setThrough(true);
      captcha.refresh();
    },
    onRefused: (error) => {
      notify.dismiss(LOADING_TOAST);
      nextPicture();
      if (!(error instanceof ApiRefusal)) return;
      if (isCaptchaWrong(error)) {
        form.setError("captcha", { message: faultText(error) }, { shouldFocus: true });
      }
      showProblem(form, error.problem, formField);
    },
  });
  const failed = view.phase === "rest" ? view.error : null;
  const submit = (values: FeedbackValues) => {
    const type = typeOf(values.type);
    const { captchaId, captcha: typed } = captcha.answer(values.captcha.trim());
    // Without a picture there is nothing to answer yet.
    if (captchaId === undefined || typed === undefined) return captcha.refresh();
    if (type === undefined || !isSendable(values.content)) return;
    const begun = send({ sender, type, content: values.content, captchaId, captcha: typed });
    if (begun === null) return;
    setThrough(false);
    notify.loading(t("shell.in_please_wait"), LOADING_TOAST, TOAST_MS.feedbackLoadingMax);
  };
  const length = lengthOf(content);
  return (
    <div className="page-body">
      <p className={styles.lead}>{t("feedback.lead")}</p>
      <form className={styles.form} noValidate onSubmit={form.handleSubmit(submit)}>
        <TypeChoice input={form.register("type")} error={errors.type?.message} />
        <TextAreaField
          label={t("feedback.content")}
          placeholder={t("feedback.content_placeholder")}
          rows={4}
          errors={errors.content?.message}
          hint={
            <span className={styles.counted}>
              <span>{t("feedback.content_hint", { min: CONTENT_MIN, max: CONTENT_MAX })}</span>
              <span className={styles.counter} data-over={length > CONTENT_MAX || undefined}>
                {length}/{CONTENT_MAX}
              </span>
            </span>
          }
          {...form.register("content")}
        />
        <CaptchaField
          captcha={captcha}
          hint={t("auth.captcha_simple_hint")}
          errors={errors.captcha?.message}
          {...form.register("captcha")}
        />
        <FaultLine text={isCaptchaWrong(failed) ? undefined : lineOf(failed, formField)} />
        <p role="status" className={styles.done} hidden={!through || isDirty}>
          <SuccessIcon size={20} />
          {t("feedback.thanks")}
        </p>
        <SubmitButton disabled={!isSendable(content)} loading={view.phase !== "rest"}>
          {t("feedback.send")}
        </SubmitButton>
        <CommandState view={view} />
      </form>
    </div>
  );
}

/** The fault shows under the picture's field, so no line repeats it. */
function isCaptchaWrong(error: unknown): boolean {
  return error instanceof ApiRefusal && error.problem.code === "captcha_wrong";
}

const formField = fieldIn("type", "content", "captcha");
