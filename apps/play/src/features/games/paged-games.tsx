import type { GameFilter } from "@perya/client/queries";
import { Button } from "@perya/ui/button";
import { EmptyState } from "@perya/ui/empty-state";
import { Progress } from "@perya/ui/progress";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useMemo } from "react";
import { EmptyArt } from "../../parts/empty-art.tsx";
import { GameGrid, GameGridSkeleton } from "../../parts/game-tile.tsx";
import { QueryFailed } from "../../shell/screen-states.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./paged-games.module.css";
import { Pagination } from "./pagination.tsx";

export interface PagedGamesProps {
  readonly label: string;
  readonly filter: GameFilter;
  readonly page: number;
  readonly onPage: (page: number) => void;
  /** Pages from which on the page numbers show (specification: one, in the search two). */
  readonly paginationFrom?: number;
  /** What to do when nothing was found. */
  readonly whenEmpty?: ReactNode;
}

/**
 * The games, and below them the pages, in the grid of the screen. Load more appends to the list; a
 * page number replaces it.
 */
export function PagedGames(props: PagedGamesProps) {
  const { label, filter, page, onPage, paginationFrom = 1, whenEmpty } = props;
  const { t, language, number } = useText();
  const list = useInfiniteQuery(queries.games(language, filter, page));
  // In slices: a page of tiles drawn at once would hold up whatever is tapped meanwhile.
  const data = useDeferredValue(list.data);
  const games = useMemo(() => data?.pages.flatMap((one) => one.games) ?? [], [data]);
  if (data === undefined) {
    return list.isError ? (
      <QueryFailed
        error={list.error}
        onRetry={() => void list.refetch()}
        retrying={list.isFetching}
      />
    ) : (
      <GameGridSkeleton count={12} />
    );
  }
  const last = data.pages.at(-1);
  const total = last?.totalCount ?? 0;
  const totalPages = last?.totalPages ?? 0;
  if (games.length === 0) {
    return (
      <EmptyState
        art={<EmptyArt scene="no-data" />}
        title={t("games.none")}
        text={t("games.none_text")}
        action={whenEmpty}
      />
    );
  }
  return (
    <>
      <div className={list.isPlaceholderData ? styles.old : undefined}>
        <GameGrid games={games} label={label} />
        <p className="visually-hidden" role="status">
          {/* Chosen by the number itself: a plural's rules load longer than all the tiles draw. */}
          {t("games.found", { count: total, shown: number(total) })}
        </p>
      </div>
      <div className={styles.end}>
        <Progress
          label={t("games.shown")}
          fraction={games.length / Math.max(1, total)}
          valueText={t("games.count_of", { count: number(games.length), total: number(total) })}
        />
        {list.hasNextPage && (
          <Button
            variant="secondary"
            block
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {t("shell.load_more")}
          </Button>
        )}
        {totalPages >= paginationFrom && (
          <Pagination page={last?.pageNum ?? page} totalPages={totalPages} onPage={onPage} />
        )}
      </div>
    </>
  );
}
