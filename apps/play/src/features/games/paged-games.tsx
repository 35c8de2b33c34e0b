import type { GameFilter } from "@perya/client/queries/catalogue";
import { Progress } from "@perya/ui/progress";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useEffect, useMemo } from "react";
import { GameGrid, GameGridSkeleton } from "../../parts/games/game-tile.tsx";
import { useFurtherPages } from "../../parts/lists/use-further-pages.ts";
import { useWaitToast } from "../../parts/lists/use-wait-toast.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { ListPages, type OnPage } from "./list-pages.tsx";
import styles from "./paged-games.module.css";
import { useListStart } from "./use-list-start.ts";

export interface PagedGamesProps {
  readonly label: string;
  readonly filter: GameFilter;
  readonly page: number;
  readonly onPage: OnPage;
  /** The number of pages from which page numbers show (specification: one, in the search two). */
  readonly paginationFrom?: number;
  /** What an empty list offers. */
  readonly whenEmpty?: ReactNode;
  /** Another list, shown in place of an empty one. */
  readonly otherwise?: ReactNode;
}

/**
 * The games, and below them the pages, in the grid of the screen. "Load more" appends to the list;
 * a page number replaces it.
 */
export function PagedGames(props: PagedGamesProps) {
  const { label, filter, page, onPage, paginationFrom = 1, whenEmpty, otherwise } = props;
  const { t, language, number } = useText();
  const from = useListStart(page);
  const list = useInfiniteQuery(queries.games(language, filter, from));
  // The previous list or page stays while the chosen one loads.
  useWaitToast(list.isLoading || list.isFetchingNextPage || list.isPlaceholderData);
  const lacks = (list.data?.pages.length ?? 0) <= page - from;
  useFurtherPages(list, lacks);
  // In slices: a page of tiles drawn at once would delay the player's next tap.
  const data = useDeferredValue(list.data);
  const shown = useMemo(() => data?.pages.slice(0, page - from + 1) ?? [], [data, page, from]);
  const games = useMemo(() => shown.flatMap((one) => one.games), [shown]);
  const last = shown.at(-1);
  const totalPages = last?.totalPages ?? 0;
  // An address may name a page that the list does not have, or no longer has.
  const isPast = page > totalPages && totalPages > 0 && !lacks && !list.isPlaceholderData;
  useEffect(() => {
    if (isPast) onPage(totalPages, { listFrom: totalPages });
  });
  if (data === undefined) {
    return list.isError ? <QueryFailed query={list} /> : <GameGridSkeleton count={12} />;
  }
  const total = last?.totalCount ?? 0;
  if (games.length === 0 && otherwise !== undefined) return otherwise;
  if (games.length === 0) {
    return <EmptyScene title={t("games.none")} text={t("games.none_text")} action={whenEmpty} />;
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
        <ListPages {...{ list, lacks, page, from, totalPages, paginationFrom, onPage }} />
      </div>
    </>
  );
}
