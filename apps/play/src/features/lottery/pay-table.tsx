import type { LotteryGame } from "@perya/contract/lottery";
import { useText } from "../../shell/text.ts";
import screen from "./lottery-screen.module.css";
import styles from "./ticket-form.module.css";

const BETS = {
  straight: "lottery.bet_straight",
  rambol6: "lottery.bet_rambol6",
  rambol3: "lottery.bet_rambol3",
  six: "lottery.bet_six",
} as const;

/** What each way to bet pays, and its exact return. */
export function PayTable({ lottery }: { lottery: LotteryGame }) {
  const { t, number } = useText();
  return (
    <details className={screen.panel}>
      <summary className={screen.summary}>{t("lottery.paytable")}</summary>
      <table className={styles.table}>
        {lottery.bets.map(({ bet, prizes, returnPercent }) => (
          <tbody key={bet}>
            <tr>
              <th scope="rowgroup" colSpan={2}>
                {t(BETS[bet])}
              </th>
            </tr>
            {prizes.map(({ hits, factor }) => (
              <tr key={hits}>
                <td>{t("lottery.prize", { hits })}</td>
                <td>{t("lottery.factor", { factor: number(factor) })}</td>
              </tr>
            ))}
            <tr>
              <td colSpan={2}>{t("lottery.return", { percent: returnPercent })}</td>
            </tr>
          </tbody>
        ))}
      </table>
      <p className="small-print">{t("lottery.paytable_note")}</p>
    </details>
  );
}
