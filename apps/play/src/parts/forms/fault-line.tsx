import styles from "./fault-line.module.css";

/** What went wrong with the whole form. It stands there empty, so a reader hears what comes in. */
export function FaultLine({ text }: { text: string | undefined }) {
  return (
    <p role="alert" className={styles.fault} hidden={text === undefined}>
      {text}
    </p>
  );
}
