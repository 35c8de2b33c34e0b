import type { OwnGameFilter } from "@perya/client/queries";
import { buttonClass } from "@perya/ui/button";
import { EmptyState } from "@perya/ui/empty-state";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EmptyArt } from "../../parts/empty-art.tsx";
import { GameGrid, GameGridSkeleton } from "../../parts/game-tile.tsx";
import { ShowMore } from "../../parts/show-more.tsx";
import { useWaitToast } from "../../parts/use-wait-toast.ts";
import { QueryFailed } from "../../shell/screen-states.tsx";
import { queries } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { type MessageId, useText } from "../../shell/text.ts";

const EMPTY: Readonly<Record<"fav" | "recent", { title: MessageId; text: MessageId }>> = {
  fav: { title: "games.no_favourites", text: "games.no_favourites_text" },
  recent: { title: "games.no_recent", text: "games.no_recent_text" },
};

/** What the player keeps, or what they opened last; of a guest nothing, and nothing is asked. */
export function OwnGames({ list, filter }: { list: "fav" | "recent"; filter: OwnGameFilter }) {
  const { t, language } = useText();
  const loggedIn = useSession(({ session }) => session !== null);
  const favourites = useInfiniteQuery({
    ...queries.favourites(language, filter),
    enabled: loggedIn && list === "fav",
  });
  const recent = useInfiniteQuery({
    ...queries.recentGames(language, filter),
    enabled: loggedIn && list === "recent",
  });
  const shown = list === "fav" ? favourites : recent;
  useWaitToast(shown.isLoading || shown.isFetchingNextPage);
  if (loggedIn && shown.data === undefined) {
    return shown.isError ? (
      <QueryFailed
        error={shown.error}
        onRetry={() => void shown.refetch()}
        retrying={shown.isFetching}
      />
    ) : (
      <GameGridSkeleton count={9} />
    );
  }
  const games = (loggedIn ? shown.data?.pages : undefined)?.flatMap((page) => page.games) ?? [];
  if (games.length === 0) {
    return (
      <EmptyState
        art={<EmptyArt scene="no-data" />}
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
      <ShowMore list={shown} />
    </>
  );
}
