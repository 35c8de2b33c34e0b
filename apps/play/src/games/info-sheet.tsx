import { buttonClass } from "@perya/ui/button";
import { FairnessIcon } from "@perya/ui/icon";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Sheet } from "../shell/sheet.tsx";
import { useText } from "../shell/text.ts";
import styles from "./sheets.module.css";

export interface SheetProps {
  readonly open: boolean;
  readonly close: () => void;
}

/** Rules, pay table and a link to the fairness page. */
export function InfoSheet(props: SheetProps & { title: string; children: ReactNode }) {
  const { t } = useText();
  return (
    <Sheet open={props.open} close={props.close} title={props.title}>
      <div className={styles.prose}>
        {props.children}
        <h3>{t("games.fair_title")}</h3>
        <p>{t("games.fair_text")}</p>
        <Link to="/m/fairness" className={buttonClass({ variant: "secondary", block: true })}>
          <FairnessIcon size={18} />
          {t("games.verify")}
        </Link>
      </div>
    </Sheet>
  );
}

/** Two or more short figures in a row: return, largest win, lines. */
export function Figures({ items }: { items: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className={styles.figures}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
