import { CheckboxField } from "@perya/ui/field";
import type { ComponentProps } from "react";
import { useText } from "../../shell/text.ts";
import styles from "./auth.module.css";

/** Confirms age and terms; the terms open beside the form, which keeps what was typed. */
export function AgreeField({
  age,
  ...input
}: { age: number } & Omit<ComponentProps<typeof CheckboxField>, "label">) {
  const { t } = useText();
  return (
    <div>
      <CheckboxField label={t("auth.agree", { age })} {...input} />
      <a className={styles.terms} href="/m/help?tag=terms" target="_blank" rel="noopener">
        {t("help.terms")}
      </a>
    </div>
  );
}
