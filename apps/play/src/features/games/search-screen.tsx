import { GAME_PAGE_SIZE } from "@perya/client/queries";
import { Button } from "@perya/ui/button";
import { EmptyState } from "@perya/ui/empty-state";
import { RecentIcon } from "@perya/ui/icon";
import { Segmented } from "@perya/ui/segmented";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyArt } from "../../parts/empty-art.tsx";
import { GameGrid, GameGridSkeleton } from "../../parts/game-tile.tsx";
import { QueryFailed } from "../../shell/screen-states.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { PagedGames } from "./paged-games.tsx";
import { forgetSearches, recentSearches, rememberSearch } from "./recent-searches.ts";
import { SearchBox } from "./search-box.tsx";
import styles from "./search-screen.module.css";

type Tab = "all" | "hot";

/** Search over all games; it opens on the hot ones, and a search by name goes to All. */
export default function SearchScreen() {
  const { t } = useText();
  const navigate = useNavigate();
  const { q = "", tab: given, page = 1 } = useSearch({ from: "/m/search" });
  const tab: Tab = q === "" ? (given ?? "hot") : "all";
  const [recent, setRecent] = useState(recentSearches);
  const show = (search: { q?: string; tab?: Tab; page?: number }) =>
    void navigate({ to: "/m/search", search, replace: true, resetScroll: false });
  const searchFor = (name: string) => {
    if (name === "") return show({});
    setRecent(rememberSearch(name));
    show({ q: name, tab: "all" });
  };
  return (
    <div className={styles.screen}>
      <SearchBox value={q} onSearch={searchFor} autoFocus={q === "" && given === undefined} />
      {q === "" && recent.length > 0 && (
        <section aria-labelledby="recent-searches" className={styles.recent}>
          <div className={styles.head}>
            <h2 id="recent-searches">{t("games.recent_searches")}</h2>
            <Button variant="ghost" size="sm" onClick={() => setRecent(forgetSearches())}>
              {t("games.clear_recent")}
            </Button>
          </div>
          <ul className={styles.names}>
            {recent.map((name) => (
              <li key={name}>
                <button type="button" className={styles.name} onClick={() => searchFor(name)}>
                  <RecentIcon size={16} aria-hidden="true" />
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Segmented<Tab>
        label={t("games.lists")}
        value={tab}
        choices={[
          { value: "all", label: t("games.all_short") },
          { value: "hot", label: t("games.hot_short") },
        ]}
        onValueChange={(value) => show({ tab: value })}
      />
      {tab === "hot" ? (
        <HotList />
      ) : (
        <PagedGames
          label={t("games.results")}
          filter={{ gameName: q, pageSize: GAME_PAGE_SIZE.search }}
          page={page}
          paginationFrom={2}
          onPage={(to) => show({ ...(q === "" ? {} : { q }), tab: "all", page: to })}
          whenEmpty={
            <Button variant="secondary" onClick={() => show({ tab: "hot" })}>
              {t("games.see_hot")}
            </Button>
          }
        />
      )}
    </div>
  );
}

function HotList() {
  const { t, language } = useText();
  const hot = useQuery(queries.hot(language));
  if (hot.isError && hot.data === undefined) {
    return (
      <QueryFailed error={hot.error} onRetry={() => void hot.refetch()} retrying={hot.isFetching} />
    );
  }
  if (hot.data === undefined) return <GameGridSkeleton />;
  if (hot.data.list.length === 0) {
    return <EmptyState art={<EmptyArt scene="no-data" />} title={t("games.none")} />;
  }
  return <GameGrid games={hot.data.list} label={t("games.hot")} />;
}
