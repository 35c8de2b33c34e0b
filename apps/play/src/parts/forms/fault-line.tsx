import styles from "./fault-line.module.css";

/** The whole form's fault. It exists while empty, so that a screen reader announces its text. */
export function FaultLine({ text }: { text: string | undefined }) {
  return (
    <p role="alert" className={styles.fault} hidden={text === undefined}>
      {text}
    </p>
  );
}
