import type { Reply } from "@perya/client/api";
import { AS_TYPED, joinErrors, TextField, type TextFieldProps } from "@perya/ui/field";
import { RefreshIcon } from "@perya/ui/icon";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { sayFault } from "../../shell/fault.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { CAPTCHA_INPUT_MAX, SIMPLE_CAPTCHA_MAX } from "./account-rules.ts";
import styles from "./captcha-field.module.css";

/** `digits` at log-in and registration; elsewhere `simple`: characters, or an equation. */
export type CaptchaKind = "digits" | "simple";

export interface Captcha {
  readonly kind: CaptchaKind;
  readonly shown: boolean;
  readonly picture: Reply<"GET /api/v1/auth/captcha"> | undefined;
  /** Shows the field, and a new picture: each is valid for one try. */
  refresh(): void;
  /** The two fields of a body; empty while the field is hidden. */
  answer(typed: string): { captchaId?: string; captcha?: string };
}

/** `asked`: the field shows from the start, with its first picture. */
export function useCaptcha(kind: CaptchaKind, asked: boolean): Captcha {
  const load = useMutation({
    // The call returns digits unless another kind is asked for.
    mutationFn: () =>
      api.call("GET /api/v1/auth/captcha", { query: kind === "digits" ? {} : { kind } }),
    onError: sayFault,
  });
  const { data: picture, mutate: refresh } = load;
  useEffect(() => {
    if (asked) refresh();
  }, [asked, refresh]);
  return {
    kind,
    shown: !load.isIdle,
    picture,
    refresh: () => refresh(),
    answer: (typed) =>
      picture === undefined || typed === "" ? {} : { captchaId: picture.id, captcha: typed },
  };
}

export function CaptchaField({
  captcha,
  errors,
  ...input
}: { captcha: Captcha } & Omit<TextFieldProps, "label">) {
  const { t } = useText();
  const simple = captcha.kind === "simple";
  // So that a player who fills in the rest slowly still reads a valid picture.
  const renewOld = () => {
    const { picture } = captcha;
    if (picture !== undefined && picture.expiresAt <= api.serverNow()) captcha.refresh();
  };
  return (
    <div className={styles.captcha}>
      <TextField
        {...input}
        onFocus={renewOld}
        label={t("auth.captcha")}
        errors={joinErrors(errors)}
        inputMode={simple ? "text" : "numeric"}
        autoComplete="off"
        {...AS_TYPED}
        maxLength={simple ? SIMPLE_CAPTCHA_MAX : CAPTCHA_INPUT_MAX}
      />
      <button
        type="button"
        className={styles.picture}
        aria-label={t("auth.captcha_refresh")}
        onClick={captcha.refresh}
      >
        {captcha.picture === undefined ? (
          <RefreshIcon size={20} />
        ) : (
          <img
            src={`data:image/png;base64,${captcha.picture.cap}`}
            alt={t(simple ? "auth.captcha_simple_picture" : "auth.captcha_picture")}
          />
        )}
      </button>
    </div>
  );
}
