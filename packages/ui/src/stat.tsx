import type { ReactNode } from "react";
import styles from "./stat.module.css";

/** One figure and its name; several stand in a grid of the caller's. */
export function Stat(props: { label: ReactNode; value: ReactNode; note?: ReactNode }) {
  return (
    <div className={styles.stat}>
      <span className={styles.label}>{props.label}</span>
      <span className={styles.value}>{props.value}</span>
      {props.note !== undefined && <span className={styles.note}>{props.note}</span>}
    </div>
  );
}
