import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { BackIcon } from "./icon.tsx";
import styles from "./page-title-bar.module.css";

export interface PageTitleBarProps {
  title: ReactNode;
  backLabel: string;
  /** The screen decides where back leads. Without it there is no arrow. */
  onBack?: (() => void) | undefined;
  actions?: ReactNode;
}

export function PageTitleBar({ title, backLabel, onBack, actions }: PageTitleBarProps) {
  return (
    <header className={styles.bar}>
      <div>
        {onBack !== undefined && (
          <IconButton label={backLabel} onClick={onBack}>
            <BackIcon size={22} />
          </IconButton>
        )}
      </div>
      <h1 className={styles.title}>{title}</h1>
      <div className={styles.actions}>{actions}</div>
    </header>
  );
}
