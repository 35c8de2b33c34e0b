import { WalletIcon } from "@perya/ui/icon";
import { useId } from "react";
import { useText } from "../../shell/text.ts";
import styles from "./cashier.module.css";

interface Method {
  readonly code: string;
  readonly name: string;
}

export function MethodPicker(props: {
  methods: readonly Method[];
  value: string;
  onChange: (code: string) => void;
}) {
  const { t } = useText();
  const name = useId();
  return (
    <fieldset className={styles.methods}>
      <legend>{t("cashier.method")}</legend>
      {props.methods.map((method) => (
        <label key={method.code} className={styles.method}>
          <input
            type="radio"
            name={name}
            value={method.code}
            checked={method.code === props.value}
            onChange={() => props.onChange(method.code)}
          />
          <WalletIcon size={20} />
          <span>{method.name}</span>
        </label>
      ))}
    </fieldset>
  );
}
