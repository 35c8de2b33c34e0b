import { type SlotSymbol, slotSymbolSvg } from "@perya/art/slot-symbol";
import {
  FREE_SPIN_MULTIPLIER,
  freeSpinsFor,
  LINES,
  MAX_FREE_SPINS,
  PAYING_SYMBOLS,
  PAYTABLE,
  REELS,
  ROWS,
} from "@perya/games/parol-reels";
import { PAROL_FIGURES } from "@perya/games/parol-return";
import { useText } from "../../shell/text.ts";
import { Figures } from "../info-sheet.tsx";
import styles from "./parol-info.module.css";
import { SYMBOL_NAMES } from "./symbol-names.ts";

const COUNTS = [5, 4, 3] as const;

export function ParolInfo() {
  const { t, number } = useText();
  const most = PAROL_FIGURES.maxWinUnits / LINES.length;
  return (
    <>
      <Figures
        items={[
          [t("games.rtp_exact"), `${PAROL_FIGURES.returnPercent.slice(0, "96.18".length)}%`],
          [t("games.max_win"), t("games.times_stake", { times: number(most) })],
          [t("games.lines"), `${LINES.length}`],
        ]}
      />
      <h3>{t("games.rules")}</h3>
      <ul>
        <li>{t("games.parol_rule_lines", { lines: LINES.length })}</li>
        <li>{t("games.parol_rule_wild")}</li>
        <li>
          {t("games.parol_rule_free", {
            three: freeSpinsFor(3),
            four: freeSpinsFor(4),
            five: freeSpinsFor(5),
            times: FREE_SPIN_MULTIPLIER,
            most: MAX_FREE_SPINS,
          })}
        </li>
        <li>{t("games.parol_rule_malfunction")}</li>
      </ul>
      <h3>{t("games.paytable")}</h3>
      <p>{t("games.parol_pays_note", { lines: LINES.length })}</p>
      <ul className={styles.pays}>
        {PAYING_SYMBOLS.map((symbol) => (
          <li key={symbol}>
            <Picture name={symbol} />
            <span className="visually-hidden">{t(SYMBOL_NAMES[symbol])}</span>
            <span className={styles.counts}>
              {COUNTS.map((count) => (
                <span key={count}>
                  <i>{count}×</i> {number(PAYTABLE[symbol][count])}
                </span>
              ))}
            </span>
          </li>
        ))}
        <li>
          <Picture name="wild" />
          <b>{t("games.symbol_wild")}</b>
        </li>
        <li>
          <Picture name="scatter" />
          <b>{t("games.symbol_scatter")}</b>
        </li>
      </ul>
      <h3>{t("games.lines")}</h3>
      <div className={styles.lines} aria-hidden="true">
        {LINES.map((rows, line) => (
          <svg key={rows.join("")} viewBox="0 0 50 34" aria-hidden="true">
            <text x="2" y="8">
              {line + 1}
            </text>
            <polyline
              points={rows.map((row, reel) => `${reel * 10 + 5},${row * 8 + 13}`).join(" ")}
            />
          </svg>
        ))}
      </div>
      <p className="visually-hidden">{t("games.parol_grid", { reels: REELS, rows: ROWS })}</p>
    </>
  );
}

/** Our own generated artwork, as a picture that cannot run code. */
export function Picture({ name, className }: { name: SlotSymbol; className?: string | undefined }) {
  const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(slotSymbolSvg(name))}`;
  return <img src={source} alt="" width={56} height={56} className={className} />;
}
