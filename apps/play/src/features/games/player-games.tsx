import type { PlayerGameFilter } from "@perya/client/queries/player-games";
import { buttonClass } from "@perya/ui/button";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { GameGrid, GameGridSkeleton } from "../../parts/games/game-tile.tsx";
import { useFurtherPages } from "../../parts/lists/use-further-pages.ts";
import { useWaitToast } from "../../parts/lists/use-wait-toast.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { queries } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { ListPages, type OnPage } from "./list-pages.tsx";
import styles from "./paged-games.module.css";
import { useListStart } from "./use-list-start.ts";

const EMPTY: Readonly<Record<"fav" | "recent", { title: MessageId; text: MessageId }>> = {
  fav: { title: "games.no_favourites", text: "games.no_favourites_text" },
  recent: { title: "games.no_recent", text: "games.no_recent_text" },
};

/**
 * The player's favourites or recently opened games; empty for a guest, without a call. After a
 * session lapsed, the loaded games stay.
 */
export function PlayerGames(props: {
  list: "fav" | "recent";
  filter: PlayerGameFilter;
  page: number;
  onPage: OnPage;
  /** As that of `PagedGames`. */
  paginationFrom?: number;
}) {
  const { list, filter, page, onPage, paginationFrom = 1 } = props;
  const { t, language } = useText();
  const { session, lapsed } = useSession();
  const loggedIn = session !== null;
  const from = useListStart(page);
  const favourites = useInfiniteQuery({
    ...queries.favourites(language, filter, from),
    enabled: loggedIn && list === "fav",
  });
  const recent = useInfiniteQuery({
    ...queries.recentGames(language, filter, from),
    enabled: loggedIn && list === "recent",
  });
  const shown = list === "fav" ? favourites : recent;
  useWaitToast(shown.isLoading || shown.isFetchingNextPage);
  const pages = shown.data?.pages;
  const lacks = loggedIn && (pages?.length ?? 0) <= page - from;
  useFurtherPages(shown, lacks);
  const totalPages = pages?.at(-1)?.totalPages ?? 0;
  // A removed favourite may have been the last of its page.
  const isPast = page > totalPages && totalPages > 0;
  useEffect(() => {
    if (isPast) onPage(totalPages, { listFrom: Math.min(from, totalPages) });
  });
  if (shown.data === undefined && lapsed) return null;
  if (shown.data === undefined && loggedIn) {
    return shown.isError ? <QueryFailed query={shown} /> : <GameGridSkeleton count={9} />;
  }
  const games = pages?.slice(0, page - from + 1).flatMap((one) => one.games) ?? [];
  if (games.length === 0 && totalPages <= 1) {
    return (
      <EmptyScene
        title={t(EMPTY[list].title)}
        text={t(EMPTY[list].text)}
        action={
          <Link to="/m/hot-games" className={buttonClass({ variant: "secondary" })}>
            {t("games.see_hot")}
          </Link>
        }
      />
    );
  }
  return (
    <>
      <GameGrid games={games} label={t(list === "fav" ? "games.favourites" : "games.recent")} />
      <div className={styles.end}>
        <ListPages {...{ list: shown, lacks, page, from, totalPages, paginationFrom, onPage }} />
      </div>
    </>
  );
}
