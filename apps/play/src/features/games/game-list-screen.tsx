import { GAME_PAGE_SIZE } from "@perya/client/queries";
import { fixesType, listedAs, listOf, pageOfType } from "@perya/contract/game-lists";
import { Button, IconButton } from "@perya/ui/button";
import { ChipRow } from "@perya/ui/chip-row";
import { classNames } from "@perya/ui/class-names";
import { FilterIcon } from "@perya/ui/icon";
import { Segmented } from "@perya/ui/segmented";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { BannerFace } from "../../parts/banner-face.tsx";
import { type GameType, typeLabel, wantsSession } from "../../parts/game-types.ts";
import { useVendors } from "../../parts/use-vendors.ts";
import { vendorsOf } from "../../parts/vendors.ts";
import type { ListSearch } from "../../router.tsx";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { FeatureClosed } from "../../shell/screen-states.tsx";
import { queries } from "../../shell/server.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";
import { useShows } from "../../shell/use-shows.ts";
import { FilterSheet, type Filters } from "./filter-sheet.tsx";
import styles from "./game-list-screen.module.css";
import { HotList } from "./hot-list.tsx";
import { OwnGames } from "./own-games.tsx";
import { PagedGames } from "./paged-games.tsx";
import { SearchBox } from "./search-box.tsx";
import { useVendorGameTypes } from "./use-vendor-game-types.ts";
import { VendorMenu } from "./vendor-menu.tsx";
import { typesWithGames } from "./vendor-offer.ts";

const FAVOURITES_PATH = "/m/fav-games";
const TABS = ["all", "hot", "recent", "fav"] as const;
/** What a filter panel has set is a list of its own, which no tab stands for. */
type Tab = (typeof TABS)[number] | "filter";
const TAB_LABELS: Readonly<Record<(typeof TABS)[number], MessageId>> = {
  all: "games.all_short",
  hot: "games.hot_short",
  recent: "games.recent",
  fav: "games.favourites",
};
/** Selections that are lists of their own rather than classifications (games §2.7). */
const TAB_OF_SELECTION: Readonly<Record<string, ListSearch["tab"]>> = {
  HOT: "hot",
  FAV: "fav",
  RECENT: "recent",
};
/** Classifications that are no column of their own (specification, validation rules). */
const UNCLASSIFIED = ["NEW", "HOT", "ALL"];

/** The list centre: the games of a type, by vendor, name, tab and filter. */
export default function GameListScreen() {
  const { t } = useText();
  const navigate = useNavigate();
  const pathname = useLocation({ select: (location) => location.pathname });
  // Every route with this component has this validator.
  const search = useSearch({ strict: false }) as ListSearch;
  const { name = "", minBet = "", page = 1 } = search;
  const gate = useGate();
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const list = listOf(pathname, search.gameType);
  const { gameType } = list;
  const type = search.type ?? list.classify;
  const vassalage = list.vendor ?? search.vassalage;
  const shows = useShows();
  const { data: vendors } = useVendors();
  const ofVendor = useVendorGameTypes(fixesType(pathname) ? undefined : search.vassalage);
  const tab = search.tab ?? TAB_OF_SELECTION[type ?? ""] ?? "all";

  const show = (change: Change, state: { readonly listFrom?: number } = {}) => {
    // The favourites' own path holds that list alone.
    const leaves = pathname === FAVOURITES_PATH && "tab" in change && change.tab !== "fav";
    return navigate({
      to: leaves ? "/m/gameList" : ".",
      search: () => compact({ ...search, pop: undefined, page: undefined, ...change }),
      state,
      replace: true,
      resetScroll: false,
    });
  };
  const apply = (filters: Filters) => {
    const own = TAB_OF_SELECTION[filters.type];
    const some = Object.values(filters).some((one) => one !== "");
    // The panel has an entry of its own in the history, which becomes the filtered list.
    show({
      tab: own ?? (some ? "filter" : undefined),
      type: own === undefined ? orAbsent(filters.type) : undefined,
      vassalage: orAbsent(filters.vassalage),
      name: orAbsent(filters.name),
      minBet: orAbsent(filters.minBet),
    });
  };

  if (gameType === "COCKFIGHT" && !shows("/m/cockfight")) return <FeatureClosed />;
  const types = vendors?.content.map(({ gameCategory }) => gameCategory) ?? [];
  const offered = vendors === undefined ? [] : vendorsOf(vendors.content, gameType);
  const hasMenu = list.vendor === undefined && offered.length > 1;
  // A vendor's types alone, where its menu leads back to all.
  const some = hasMenu && ofVendor !== undefined ? typesWithGames(ofVendor) : types;
  return (
    <div className={styles.screen}>
      <div className={styles.top}>
        <SearchBox
          value={name}
          list={[gameType, tab, type, vassalage, minBet].join()}
          onSearch={(wanted) => show({ name: orAbsent(wanted), tab: undefined, type: undefined })}
        />
        <div className={classNames(styles.filter, tab === "filter" && styles.filtered)}>
          <IconButton label={t("games.filter")} onClick={() => popups.open("filter")}>
            <FilterIcon size={22} aria-hidden="true" />
          </IconButton>
        </div>
      </div>
      <ListBanner gameType={gameType} />
      {!fixesType(pathname) && types.length > 1 && (
        <ChipRow<GameType>
          label={t("home.categories")}
          value={gameType}
          choices={types
            .filter((one) => listedAs(one) === one && (some.includes(one) || one === gameType))
            .map((one) => ({ value: one, label: t(typeLabel(one)) }))}
          onValueChange={(value) =>
            show({ gameType: value, vassalage: some === types ? undefined : vassalage })
          }
        />
      )}
      <Segmented<Tab>
        label={t("games.lists")}
        value={tab}
        choices={TABS.map((value) => ({ value, label: t(TAB_LABELS[value]) }))}
        onValueChange={(value) =>
          show({
            tab: value === "all" ? undefined : value,
            type: undefined,
            name: undefined,
            minBet: undefined,
          })
        }
      />
      <div className={classNames(styles.lists, hasMenu && styles.withMenu)}>
        {hasMenu && (
          <div className={styles.menu}>
            <VendorMenu
              vendors={offered}
              value={vassalage}
              // A vendor leads back to All and forgets the name; a classification stays.
              onChoose={(wanted) => {
                const asks = wanted !== undefined && wantsSession(gameType);
                const refusal = asks ? gate({ to: pathname, gate: "session" }) : null;
                if (refusal !== null) return refusal();
                const isOwnList = TAB_OF_SELECTION[search.type ?? ""] !== undefined;
                const kept = isOwnList ? { type: undefined } : {};
                show({ vassalage: wanted, tab: undefined, name: undefined, ...kept });
              }}
            />
          </div>
        )}
        {tab === "hot" && (
          <HotList
            only={(game) =>
              listedAs(game.gameType) === listedAs(gameType) &&
              (vassalage === undefined || game.vassalage === vassalage)
            }
          />
        )}
        {(tab === "fav" || tab === "recent") && (
          <OwnGames
            key={tab}
            list={tab}
            filter={{
              pageSize: tab === "fav" ? GAME_PAGE_SIZE.centre : GAME_PAGE_SIZE.search,
              // The favourites' own path shows those of every type until one is chosen.
              ...(pathname === FAVOURITES_PATH && search.gameType === undefined
                ? {}
                : { gameType }),
              ...(vassalage === undefined ? {} : { vendor: vassalage }),
            }}
          />
        )}
        {(tab === "all" || tab === "filter") && (
          <PagedGames
            label={t("games.results")}
            page={page}
            onPage={(to, state) => {
              show({ page: to }, state);
              if (state.listFrom === to) scrollTo({ top: 0, behavior: "instant" });
            }}
            filter={{
              pageSize: GAME_PAGE_SIZE.centre,
              gameName: name,
              vassalage: vassalage ?? "",
              gameClassify: type === undefined || UNCLASSIFIED.includes(type) ? "" : type,
              isNew: type === "NEW" ? "1" : "",
              minBet,
              gameType,
            }}
            whenEmpty={
              <Button
                variant="secondary"
                onClick={() =>
                  show({
                    tab: undefined,
                    name: undefined,
                    vassalage: undefined,
                    type: undefined,
                    minBet: undefined,
                  })
                }
              >
                {t("games.clear_filters")}
              </Button>
            }
          />
        )}
      </div>
      {popup === "filter" && (
        <FilterSheet
          open
          close={popups.close}
          vendors={offered}
          gameType={gameType}
          filters={{
            vassalage: vassalage ?? "",
            name,
            type: search.type ?? (tab === "all" || tab === "filter" ? "" : tab.toUpperCase()),
            minBet,
          }}
          onApply={apply}
        />
      )}
    </div>
  );
}

/** The banner of the type's own list; it keeps its place until it is known that there is none. */
function ListBanner({ gameType }: { gameType: GameType }) {
  const { language } = useText();
  const { data } = useQuery(queries.listBanners(language));
  const banner = data?.find(({ url }) => url === pageOfType(gameType));
  if (data !== undefined && banner === undefined) return null;
  return (
    <div className={styles.banner}>
      {banner !== undefined && <BannerFace banner={banner} first still />}
    </div>
  );
}

type Change = { [K in keyof ListSearch]?: ListSearch[K] | undefined };

function orAbsent(text: string): string | undefined {
  return text === "" ? undefined : text;
}

function compact(search: Change & { readonly pop?: undefined }): ListSearch {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined);
  // Only what was undefined is gone.
  return Object.fromEntries(entries) as ListSearch;
}
