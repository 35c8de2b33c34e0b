import {
  ChatIcon,
  DepositIcon,
  GamesIcon,
  type Icon,
  SupportIcon,
  TeamIcon,
  WithdrawIcon,
} from "@perya/ui/icon";
import { useId } from "react";
import type { UseFormRegisterReturn } from "react-hook-form";
import { useText } from "../../shell/text.ts";
import styles from "./feedback.module.css";
import { FEEDBACK_TYPES, type FeedbackType } from "./feedback-form.ts";

const ICONS: Readonly<Record<FeedbackType, Icon>> = {
  1: DepositIcon,
  2: WithdrawIcon,
  3: GamesIcon,
  4: SupportIcon,
  6: TeamIcon,
  0: ChatIcon,
};

/** The subject of the message: all in sight, none chosen at first. */
export function TypeChoice(props: { input: UseFormRegisterReturn; error: string | undefined }) {
  const { t } = useText();
  const id = useId();
  const { error } = props;
  return (
    <div className={styles.choice}>
      <span id={id} className={styles.label}>
        {t("feedback.type")}
      </span>
      <div
        role="radiogroup"
        aria-labelledby={id}
        aria-required
        className={styles.types}
        {...(error === undefined
          ? {}
          : { "aria-invalid": true, "aria-describedby": `${id}-error` })}
      >
        {FEEDBACK_TYPES.map(({ code, label }) => {
          const Icon = ICONS[code];
          return (
            <label key={code} className={styles.type}>
              <input type="radio" className="tap-area" value={code} {...props.input} />
              <Icon size={18} />
              {t(label)}
            </label>
          );
        })}
      </div>
      <div
        id={`${id}-error`}
        className={styles.error}
        aria-live="polite"
        hidden={error === undefined}
      >
        {error}
      </div>
    </div>
  );
}
