import { useQuery } from "@tanstack/react-query";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText } from "../../shell/text.ts";
import { SectionHead } from "../lists/section-head.tsx";
import { Unloaded } from "../page/screen-states.tsx";
import styles from "./lottery-winners.module.css";
import { fromHighToLow } from "./prize-order.ts";
import { WinnerRow } from "./winner-row.tsx";

/** The winner board: the largest prizes first (specification, games §3). */
export function LotteryWinners({ shown = 5 }: { shown?: number }) {
  const { t, when } = useText();
  const query = useQuery(screenQueries.lotteryWinners());
  const { data } = query;
  const prizes = fromHighToLow(data?.list ?? []).slice(0, shown);
  return (
    <section aria-labelledby="lottery-winners">
      <SectionHead id="lottery-winners" title={t("lottery.winners")} />
      {data === undefined ? (
        <Unloaded query={query} rows={shown} />
      ) : (
        <ol className={styles.list} data-testid="winner-board">
          {prizes.length === 0 && <li className={styles.none}>{t("lottery.no_winners")}</li>}
          {prizes.map(({ vo }, i) => (
            <WinnerRow
              key={`${vo.at} ${vo.account} ${vo.winAmount.minor}`}
              lead={
                <span className={styles.rank} aria-hidden="true">
                  {i + 1}
                </span>
              }
              account={vo.account}
              gameName={vo.gameName}
              when={when(vo.at)}
              amount={vo.winAmount}
            />
          ))}
        </ol>
      )}
    </section>
  );
}
