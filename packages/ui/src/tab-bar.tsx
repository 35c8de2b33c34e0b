import type { ReactNode } from "react";
import type { RenderLink } from "./render-link.tsx";
import styles from "./tab-bar.module.css";

export interface TabBarItem {
  key: string;
  label: ReactNode;
  icon: ReactNode;
  active: boolean;
  badge?: ReactNode;
  link: RenderLink;
}

/** The bottom tabs; `TabBarSpacer` keeps their height free at the end of a page. */
export function TabBar({ label, items }: { label: string; items: readonly TabBarItem[] }) {
  return (
    <nav className={styles.bar} aria-label={label}>
      <ul className={styles.tabs}>
        {items.map((item) => (
          <li key={item.key}>
            {item.link({
              className: styles.tab ?? "",
              ...(item.active ? { "aria-current": "page" } : {}),
              children: (
                <>
                  <span className={styles.icon}>
                    {item.icon}
                    {item.badge !== undefined && <span className={styles.badge}>{item.badge}</span>}
                  </span>
                  <span className={styles.label}>{item.label}</span>
                </>
              ),
            })}
          </li>
        ))}
      </ul>
    </nav>
  );
}

export function TabBarSpacer() {
  return <div className={styles.spacer} aria-hidden="true" />;
}
