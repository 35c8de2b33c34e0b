import { GAME_PAGE_SIZE } from "@perya/client/queries";
import { Button } from "@perya/ui/button";
import { ChipRow } from "@perya/ui/chip-row";
import { EmptyState } from "@perya/ui/empty-state";
import { Segmented } from "@perya/ui/segmented";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { EmptyArt } from "../../parts/empty-art.tsx";
import { GameGrid, GameGridSkeleton } from "../../parts/game-tile.tsx";
import {
  GAME_TYPES,
  type GameType,
  typeLabel,
  typeOfPath,
  wantsSession,
} from "../../parts/game-types.ts";
import type { ListSearch } from "../../router.tsx";
import { QueryFailed } from "../../shell/screen-states.tsx";
import { queries } from "../../shell/server.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";
import { OwnGames } from "./own-games.tsx";
import { PagedGames } from "./paged-games.tsx";
import { SearchBox } from "./search-box.tsx";
import styles from "./search-screen.module.css";

const ALL = "ALL";
const FAVOURITES_PATH = "/m/fav-games";
const TABS = ["all", "hot", "recent", "fav"] as const;
type Tab = (typeof TABS)[number];
const TAB_LABELS: Readonly<Record<Tab, MessageId>> = {
  all: "games.all_short",
  hot: "games.hot_short",
  recent: "games.recent",
  fav: "games.favourites",
};
/** Classifications that are no column of their own (specification, validation rules). */
const UNCLASSIFIED = ["NEW", "HOT"];

/** The game centre: all games of a type, by vendor, name and tab. */
export default function GameListScreen() {
  const { t, language } = useText();
  const navigate = useNavigate();
  const pathname = useLocation({ select: (location) => location.pathname });
  // Every route with this component has this validator.
  const search = useSearch({ strict: false }) as ListSearch;
  const { type, vassalage, name = "", minBet, page = 1 } = search;
  const gate = useGate();
  const fixed = typeOfPath(pathname);
  const gameType = gameTypeOf(fixed, search);
  const { data: status } = useQuery(queries.status());
  const { data: vendors } = useQuery(queries.vendors(language));
  const tab = search.tab ?? tabOfClassification(type);

  const show = (change: { [K in keyof ListSearch]?: ListSearch[K] | undefined }) => {
    // The favourites' own path holds that list alone.
    const leaves = pathname === FAVOURITES_PATH && "tab" in change && change.tab !== "fav";
    void navigate({
      to: leaves ? "/m/gameList" : ".",
      search: () => compact({ ...search, page: undefined, ...change }),
      replace: true,
      resetScroll: false,
    });
  };

  if (gameType === "COCKFIGHT" && status?.info.whitelabel.COCKFIGHT !== true) {
    return (
      <EmptyState
        art={<EmptyArt scene="maintenance" />}
        title={t("shell.unavailable")}
        text={t("shell.unavailable_text")}
      />
    );
  }
  const types = vendors?.content.map(({ gameCategory }) => gameCategory) ?? [];
  const ofType = vendors?.content.find(({ gameCategory }) => gameCategory === gameType);
  return (
    <div className={styles.screen}>
      <SearchBox
        value={name}
        onSearch={(wanted) =>
          show({ name: wanted === "" ? undefined : wanted, tab: undefined, type: undefined })
        }
      />
      {fixed === null && types.length > 1 && (
        <ChipRow
          label={t("home.categories")}
          value={gameType ?? ALL}
          choices={[
            { value: ALL, label: t("games.all_short") },
            ...types.map((one) => ({ value: one, label: t(typeLabel(one)) })),
          ]}
          onValueChange={(value) =>
            show({ gameType: GAME_TYPES.find((one) => one === value), vassalage: undefined })
          }
        />
      )}
      {ofType !== undefined && ofType.vendorNames.length > 1 && (
        <ChipRow
          label={t("games.providers")}
          value={vassalage ?? ALL}
          choices={[
            { value: ALL, label: t("games.all_providers") },
            ...ofType.vendorNames.map((vendor) => ({
              value: vendor.vassalage,
              label: vendor.displayName,
            })),
          ]}
          // A vendor leads back to All and forgets the name.
          onValueChange={(value) => {
            const refusal = wantsSession(gameType) ? gate({ to: pathname, gate: "session" }) : null;
            if (refusal !== null && value !== ALL) return refusal();
            show({
              vassalage: value === ALL ? undefined : value,
              tab: undefined,
              name: undefined,
            });
          }}
        />
      )}
      <Segmented<Tab>
        label={t("games.lists")}
        value={tab}
        choices={TABS.map((value) => ({ value, label: t(TAB_LABELS[value]) }))}
        onValueChange={(value) =>
          show({ tab: value === "all" ? undefined : value, type: undefined, name: undefined })
        }
      />
      {tab === "hot" && <HotOfType type={gameType} vassalage={vassalage} />}
      {(tab === "fav" || tab === "recent") && (
        <OwnGames
          key={tab}
          list={tab}
          filter={{
            pageSize: tab === "fav" ? GAME_PAGE_SIZE.centre : GAME_PAGE_SIZE.search,
            ...(gameType === null ? {} : { gameType }),
            ...(vassalage === undefined ? {} : { vendor: vassalage }),
          }}
        />
      )}
      {tab === "all" && (
        <PagedGames
          label={t("games.results")}
          page={page}
          onPage={(to) => {
            show({ page: to });
            scrollTo({ top: 0, behavior: "instant" });
          }}
          filter={{
            pageSize: GAME_PAGE_SIZE.centre,
            gameName: name,
            vassalage: vassalage ?? "",
            gameClassify: type === undefined || UNCLASSIFIED.includes(type) ? "" : type,
            isNew: type === "NEW" ? "1" : "",
            minBet: minBet ?? "",
            ...(gameType === null ? {} : { gameType }),
          }}
          whenEmpty={
            <Button
              variant="secondary"
              onClick={() =>
                show({ name: undefined, vassalage: undefined, type: undefined, minBet: undefined })
              }
            >
              {t("games.clear_filters")}
            </Button>
          }
        />
      )}
    </div>
  );
}

/** The hot games' own store, filtered; no list is asked for. */
function HotOfType(props: { type: GameType | null; vassalage: string | undefined }) {
  const { t, language } = useText();
  const hot = useQuery(queries.hot(language));
  if (hot.isError && hot.data === undefined) {
    return (
      <QueryFailed error={hot.error} onRetry={() => void hot.refetch()} retrying={hot.isFetching} />
    );
  }
  if (hot.data === undefined) return <GameGridSkeleton />;
  const games = hot.data.list.filter(
    (game) =>
      (props.type === null || game.gameType === props.type) &&
      (props.vassalage === undefined || game.vassalage === props.vassalage),
  );
  return games.length === 0 ? (
    <EmptyState art={<EmptyArt scene="no-data" />} title={t("games.none")} />
  ) : (
    <GameGrid games={games} label={t("games.hot")} />
  );
}

/** Two classifications are lists of their own (specification, games §2.7). */
function tabOfClassification(type: string | undefined): Tab {
  if (type === "HOT") return "hot";
  return type === "FAV" ? "fav" : "all";
}

/** Sports and its kin share a page, on which the query tells them apart. */
function gameTypeOf(fixed: GameType | null, { gameType }: ListSearch): GameType | null {
  if (fixed === "SPORTS" && gameType === "ESPORTS") return "ESPORTS";
  return fixed ?? gameType ?? null;
}

function compact(search: { [K in keyof ListSearch]?: ListSearch[K] | undefined }): ListSearch {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined);
  // Only what was undefined is gone.
  return Object.fromEntries(entries) as ListSearch;
}
