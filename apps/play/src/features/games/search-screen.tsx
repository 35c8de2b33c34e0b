import { GAME_PAGE_SIZE, type GameFilter } from "@perya/client/queries/catalogue";
import type { PlayerGameFilter } from "@perya/client/queries/player-games";
import { Button } from "@perya/ui/button";
import { RecentIcon } from "@perya/ui/icon";
import { Segmented } from "@perya/ui/segmented";
import { type HistoryState, useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ownMark, useOwnWords } from "../../parts/games/own-words.ts";
import { useText } from "../../shell/text.ts";
import { forgetList } from "./forget-list.ts";
import { HotList } from "./hot-list.tsx";
import { TAB_LABELS, TABS } from "./list-choice.ts";
import type { OnPage } from "./list-pages.tsx";
import { PagedGames } from "./paged-games.tsx";
import { PlayerGames } from "./player-games.tsx";
import { forgetSearches, recentSearches, rememberSearch } from "./recent-searches.ts";
import { SearchBox } from "./search-box.tsx";
import styles from "./search-screen.module.css";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The player chose the list on the search's tabs; the address does not stand for it alone. */
    tabChosen?: boolean;
  }
}

type Tab = (typeof TABS)[number];

const OWN: PlayerGameFilter = { pageSize: GAME_PAGE_SIZE.search };
/** All searches the slots (specification, games §2.8). */
const slots = (gameName: string): GameFilter => ({ ...ofEveryType(gameName), gameType: "RNG" });
const ofEveryType = (gameName: string): GameFilter => ({
  gameName,
  pageSize: GAME_PAGE_SIZE.search,
});

/**
 * Search by name. It opens on the hot games. A search goes to All, which searches the slots, and
 * games of every type for a name that no slot has. An address of the player's own games opens that
 * list alone (specification, games §2.8).
 */
export default function SearchScreen() {
  const { t, language } = useText();
  const navigate = useNavigate();
  const asked = useSearch({ from: "/m/search" });
  const isOwn = useOwnWords(asked.q !== undefined, () => show({}));
  const { q = "", tab: given, page = 1 } = isOwn ? asked : {};
  const tab: Tab = q === "" ? (given ?? "hot") : "all";
  const isChosen = useLocation({ select: ({ state }) => state.tabChosen === true });
  const ownAlone = (tab === "recent" || tab === "fav") && !isChosen;
  const [recent, setRecent] = useState(recentSearches);
  const show = (search: { q?: string; tab?: Tab; page?: number }, state: HistoryState = {}) =>
    navigate({
      ...{ to: "/m/search", search, state: { ...state, ...ownMark(search.q !== undefined) } },
      ...{ replace: true, resetScroll: false },
    });
  const searchFor = (name: string) => {
    if (name === "") return show({});
    setRecent(rememberSearch(name));
    for (const filter of [slots(name), ofEveryType(name)]) {
      forgetList(language, { tab: "all", filter });
    }
    show({ q: name, tab: "all" });
  };
  const chooseTab = (value: Tab) => {
    if (value === "all") forgetList(language, { tab: value, filter: slots("") });
    else if (value !== "hot") forgetList(language, { tab: value, filter: OWN });
    show({ tab: value }, { tabChosen: true });
  };
  const turnTo: OnPage = (to, state) => {
    show({ ...(q === "" ? {} : { q }), tab: "all", page: to }, state);
  };
  const found = {
    ...{ label: t("games.results"), page, paginationFrom: 2, onPage: turnTo },
    whenEmpty: (
      <Button variant="secondary" onClick={() => show({ tab: "hot" })}>
        {t("games.see_hot")}
      </Button>
    ),
  };
  return (
    <div className={styles.screen}>
      {!ownAlone && (
        <SearchBox
          value={q}
          list={tab}
          onSearch={searchFor}
          autoFocus={q === "" && given === undefined}
        />
      )}
      {!ownAlone && q === "" && recent.length > 0 && (
        <section aria-labelledby="recent-searches">
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
                  <RecentIcon size={16} />
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {!ownAlone && (
        <Segmented<Tab>
          label={t("games.lists")}
          value={tab}
          choices={TABS.map((value) => ({ value, label: t(TAB_LABELS[value]) }))}
          onValueChange={chooseTab}
        />
      )}
      {tab === "hot" && <HotList />}
      {(tab === "recent" || tab === "fav") && (
        <PlayerGames
          key={tab}
          list={tab}
          filter={OWN}
          page={page}
          paginationFrom={2}
          onPage={(to, state) => show({ tab, page: to }, { ...state, tabChosen: isChosen })}
        />
      )}
      {tab === "all" && (
        <PagedGames
          key={q}
          {...found}
          filter={slots(q)}
          otherwise={q === "" ? undefined : <PagedGames {...found} filter={ofEveryType(q)} />}
        />
      )}
    </div>
  );
}
