import type { Reply } from "@perya/client/api";
import { joinErrors, TextField, type TextFieldProps } from "@perya/ui/field";
import { RefreshIcon } from "@perya/ui/icon";
import { useMutation } from "@tanstack/react-query";
import { CAPTCHA_INPUT_MAX } from "../../parts/account/account-rules.ts";
import { sayFault } from "../../shell/fault.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./auth.module.css";

export interface Captcha {
  readonly shown: boolean;
  readonly picture: Reply<"GET /api/v1/auth/captcha"> | undefined;
  /** Shows the field, and a new picture: each is valid for one try. */
  refresh(): void;
  /** The two fields of a body; none while the field is hidden. */
  answer(digits: string): { captchaId?: string; captcha?: string };
}

export function useCaptcha(): Captcha {
  const load = useMutation({
    mutationFn: () => api.call("GET /api/v1/auth/captcha"),
    onError: sayFault,
  });
  const { data: picture } = load;
  return {
    shown: !load.isIdle,
    picture,
    refresh: () => load.mutate(),
    answer: (digits) =>
      picture === undefined || digits === "" ? {} : { captchaId: picture.id, captcha: digits },
  };
}

export function CaptchaField({
  captcha,
  errors,
  ...input
}: { captcha: Captcha } & Omit<TextFieldProps, "label">) {
  const { t } = useText();
  return (
    <div className={styles.captcha}>
      <TextField
        {...input}
        label={t("auth.captcha")}
        errors={joinErrors(errors)}
        inputMode="numeric"
        autoComplete="off"
        maxLength={CAPTCHA_INPUT_MAX}
      />
      <button
        type="button"
        className={styles.picture}
        aria-label={t("auth.captcha_refresh")}
        onClick={captcha.refresh}
      >
        {captcha.picture === undefined ? (
          <RefreshIcon size={20} aria-hidden="true" />
        ) : (
          <img
            src={`data:image/png;base64,${captcha.picture.cap}`}
            alt={t("auth.captcha_picture")}
          />
        )}
      </button>
    </div>
  );
}
