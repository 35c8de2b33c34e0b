import { classNames } from "@perya/ui/class-names";
import { useState } from "react";
import { useText } from "../../shell/text.ts";
import { oddsText } from "./board.ts";
import styles from "./sports-screen.module.css";

/** Odds to tap; a mark shows the direction of their last change. */
export function OddsButton(props: {
  label: string;
  odds: number;
  chosen: boolean;
  onTap: () => void;
}) {
  const { t } = useText();
  const { label, odds, chosen, onTap } = props;
  const [seen, setSeen] = useState<{ odds: number; way: "up" | "down" | null }>({
    odds,
    way: null,
  });
  if (odds !== seen.odds) setSeen({ odds, way: odds > seen.odds ? "up" : "down" });
  const { way } = seen;
  const said = way === null ? "sports.odds" : (`sports.odds_${way}` as const);
  return (
    <button
      type="button"
      className={styles.odd}
      aria-pressed={chosen}
      aria-label={t(said, { selection: label, odds: oddsText(odds) })}
      onClick={onTap}
      data-testid="odds"
    >
      <span className={styles.oddLabel}>{label}</span>
      <span className={styles.oddValue}>
        {oddsText(odds)}
        {way !== null && (
          <span
            key={odds}
            className={classNames(styles.mark, way === "up" ? styles.up : styles.down)}
            aria-hidden="true"
          >
            {way === "up" ? "▲" : "▼"}
          </span>
        )}
      </span>
    </button>
  );
}
