import type { PastRain } from "@perya/contract/red-rain";
import { MoneyText } from "@perya/ui/money-text";
import { SectionHead } from "../../parts/lists/section-head.tsx";
import { useText } from "../../shell/text.ts";
import styles from "./red-rain-screen.module.css";

/** The last rains: the player's catches, and the largest packets of each; the newest is open. */
export function PastRains({ past }: { past: readonly PastRain[] }) {
  const { t } = useText();
  return (
    <section aria-labelledby="past-rains" className={styles.past}>
      <SectionHead id="past-rains" title={t("rain.past")} />
      {past.length === 0 && <p className={styles.nobody}>{t("rain.nobody")}</p>}
      {past.map((rain, i) => (
        <PastRainView key={rain.id} rain={rain} newest={i === 0} />
      ))}
    </section>
  );
}

function PastRainView({ rain, newest }: { rain: PastRain; newest: boolean }) {
  const { t, when, time } = useText();
  return (
    <details className={styles.rain} open={newest} data-testid="past-rain">
      <summary>
        <b>{when(rain.startsAt)}</b>
        <span className="small-print">
          {t("rain.sum", { count: rain.caught })} · <MoneyText value={rain.given} />
        </span>
      </summary>
      <p className={styles.own}>
        <span>{t(rain.mine.length === 0 ? "rain.missed" : "rain.mine")}</span>
        {rain.mine.map((packet) => (
          <MoneyText
            key={`${packet.at} ${packet.amount.minor}`}
            value={packet.amount}
            className={styles.chip}
          />
        ))}
      </p>
      <h3 className={styles.winnersTitle}>{t("rain.winners")}</h3>
      <ol className={styles.winners}>
        {rain.winners.map((winner) => (
          <li key={`${winner.at} ${winner.account} ${winner.amount.minor}`}>
            <span className={styles.account}>{winner.account}</span>
            <span className="small-print">{time(winner.at)}</span>
            <MoneyText value={winner.amount} className={styles.amount} />
          </li>
        ))}
      </ol>
    </details>
  );
}
