import type { ReactNode } from "react";
import styles from "./badge.module.css";
import { classNames } from "./class-names.tsx";

/** Counts are capped at 99; above it the badge says 99+ (specification, business constants). */
const COUNT_CAP = 99;

export function cappedCount(count: number): string {
  return count > COUNT_CAP ? `${COUNT_CAP}+` : String(count);
}

/** Nothing at zero. `label` is the whole sentence for a screen reader ("3 unread messages"). */
export function CountBadge({ count, label }: { count: number; label?: string | undefined }) {
  if (count <= 0) return null;
  return (
    <span className={styles.count}>
      <span aria-hidden={label !== undefined}>{cappedCount(count)}</span>
      {label !== undefined && <span className="visually-hidden">{label}</span>}
    </span>
  );
}

export type BadgeTone = "plain" | "gold" | "good" | "bad" | "info" | "warn" | "hot";

/** A small label: a state, a tag on a tile. */
export function Badge({ tone = "plain", children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={classNames(styles.label, styles[tone])}>{children}</span>;
}
