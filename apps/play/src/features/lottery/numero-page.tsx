import type { ListedLottery } from "@perya/contract/lottery";
import { useQuery } from "@tanstack/react-query";
import type { CSSProperties } from "react";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText } from "../../shell/text.ts";
import { GameChoice, useGameChoice } from "./game-choice.tsx";
import styles from "./lottery-screen.module.css";

/** The numbers of a lottery and how often each was drawn lately; no number is ever due. */
export function NumeroPage(props: {
  lotteries: readonly ListedLottery[];
  first: ListedLottery | null;
}) {
  const { t } = useText();
  const [gameCode, choose] = useGameChoice(props.lotteries, props.first);
  const query = useQuery(screenQueries.lotteryNumero(gameCode));
  const { data } = query;
  const most = Math.max(1, ...(data?.list.map(({ fell }) => fell) ?? []));
  return (
    <>
      <GameChoice lotteries={props.lotteries} value={gameCode} onChange={choose} />
      {data === undefined ? (
        <Unloaded query={query} rows={5} />
      ) : (
        <section className={styles.rows}>
          <h2 className="small-print">{t("lottery.fell", { draws: data.draws })}</h2>
          <ul className={styles.bars}>
            {data.list.map(({ number, fell }) => (
              <li key={number} style={shareStyle(fell / most)}>
                <span className="visually-hidden">
                  {t("lottery.fell_times", { number, count: fell })}
                </span>
                <b aria-hidden="true">{number}</b>
                <span aria-hidden="true">{fell}×</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function shareStyle(share: number): CSSProperties {
  // React's types do not know custom properties.
  return { "--share": `${Math.round(share * 100)}%` } as CSSProperties;
}
