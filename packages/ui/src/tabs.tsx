import { Tabs as BaseTabs } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import styles from "./tabs.module.css";

interface TabItem<V extends string> {
  value: V;
  label: ReactNode;
  badge?: ReactNode;
}

export interface TabsProps<V extends string> {
  label: string;
  tabs: readonly TabItem<V>[];
  value: V;
  onValueChange: (value: V) => void;
  children: ReactNode;
}

export function Tabs<V extends string>(props: TabsProps<V>) {
  const { label, tabs, value, onValueChange, children } = props;
  const choose = (next: unknown) => {
    const tab = tabs.find((one) => one.value === next);
    if (tab !== undefined) onValueChange(tab.value);
  };
  return (
    <BaseTabs.Root value={value} onValueChange={choose}>
      <BaseTabs.List className={styles.list} aria-label={label} activateOnFocus>
        {tabs.map((tab) => (
          <BaseTabs.Tab key={tab.value} value={tab.value} className={styles.tab}>
            {tab.label}
            {tab.badge}
          </BaseTabs.Tab>
        ))}
        <BaseTabs.Indicator className={styles.indicator} />
      </BaseTabs.List>
      <BaseTabs.Panel value={value} className={styles.panel}>
        {children}
      </BaseTabs.Panel>
    </BaseTabs.Root>
  );
}
