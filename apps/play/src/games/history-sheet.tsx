import type { Round } from "@perya/contract/rounds";
import { type HouseGameId, houseGame } from "@perya/games/house-games";
import { subtract } from "@perya/kernel/money";
import { Button } from "@perya/ui/button";
import { FairnessIcon } from "@perya/ui/icon";
import { MoneyText } from "@perya/ui/money-text";
import { RetryState } from "@perya/ui/retry-state";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyScene } from "../parts/pictures/empty-art.tsx";
import { sayFault } from "../shell/fault.ts";
import { screenQueries } from "../shell/screen-queries.ts";
import { queryClient } from "../shell/server.ts";
import { Sheet } from "../shell/sheet.tsx";
import { useText } from "../shell/text.ts";
import type { SheetProps } from "./info-sheet.tsx";
import styles from "./sheets.module.css";

export interface HistorySheetProps extends SheetProps {
  readonly game: HouseGameId;
  /** Shows a past round again; without it a tap leads to its proof. */
  readonly onReplay?: ((round: Round) => void) | undefined;
}

/** The player's latest rounds of this game; a tap replays that very round. */
export function HistorySheet(props: HistorySheetProps) {
  const { t } = useText();
  return (
    <Sheet open={props.open} close={props.close} title={t("games.history")}>
      {props.open && <Rounds {...props} />}
    </Sheet>
  );
}

function Rounds({ game, onReplay, close }: HistorySheetProps) {
  const { t, when } = useText();
  const records = useInfiniteQuery({ ...screenQueries.gameRecords(game), staleTime: 0 });
  const [loading, setLoading] = useState<string | null>(null);
  if (records.isPending) return <ListSkeleton label={t("games.loading")} />;
  if (records.isError) {
    return (
      <RetryState
        title={t("games.history_failed")}
        retryLabel={t("games.retry")}
        onRetry={() => void records.refetch()}
      />
    );
  }
  const rows = records.data.pages.flatMap((page) => page.items);
  // A page may be empty and still have a next one.
  const none = t(records.hasNextPage ? "games.history_none_lately" : "games.history_empty");

  const replay = async (id: string) => {
    if (onReplay === undefined) return;
    setLoading(id);
    try {
      const round = await queryClient.fetchQuery(screenQueries.round(id));
      close();
      onReplay(round);
    } catch (error) {
      sayFault(error);
    } finally {
      setLoading(null);
    }
  };

  return (
    <>
      {rows.length === 0 ? (
        <EmptyScene title={none} level={3} />
      ) : (
        <ul className={styles.rounds}>
          {rows.map(({ id, stake, payout, at }) => {
            const net = subtract(payout, stake);
            const texts = (
              <>
                <span className={styles.when}>{when(at)}</span>
                <span className={styles.stake}>
                  {t("games.stake")} <MoneyText value={stake} />
                </span>
                <MoneyText value={net} sign className={styles.net} />
              </>
            );
            return (
              <li key={id}>
                {onReplay === undefined ? (
                  <div className={styles.round}>{texts}</div>
                ) : (
                  <button
                    type="button"
                    className={styles.round}
                    aria-busy={loading === id}
                    onClick={() => void replay(id)}
                  >
                    <span className="visually-hidden">{t("games.replay")} </span>
                    {texts}
                  </button>
                )}
                {typeof houseGame(game)?.proof === "string" && (
                  <Link
                    to="/m/fairness"
                    search={{ round: id }}
                    className={styles.verify}
                    aria-label={t("games.verify")}
                  >
                    <FairnessIcon size={18} />
                  </Link>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {records.hasNextPage && (
        <Button
          variant="secondary"
          block
          loading={records.isFetchingNextPage}
          onClick={() => void records.fetchNextPage()}
        >
          {t("games.load_more")}
        </Button>
      )}
    </>
  );
}
