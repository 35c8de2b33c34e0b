import { fixesType, pageOfType } from "@perya/contract/game-lists";
import { Button, IconButton } from "@perya/ui/button";
import { ChipRow } from "@perya/ui/chip-row";
import { classNames } from "@perya/ui/class-names";
import { FilterIcon } from "@perya/ui/icon";
import { Segmented } from "@perya/ui/segmented";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { type GameType, typeLabel, wantsSession } from "../../parts/games/game-types.ts";
import { ownMark, useOwnWords } from "../../parts/games/own-words.ts";
import { useVendors } from "../../parts/games/use-vendors.ts";
import { vendorsOf } from "../../parts/games/vendors.ts";
import { FeatureClosed } from "../../parts/page/screen-states.tsx";
import { SessionGate } from "../../parts/page/session-gate.tsx";
import { BannerFace } from "../../parts/pictures/banner-face.tsx";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";
import { useShows } from "../../shell/use-shows.ts";
import { FilterSheet } from "./filter-sheet.tsx";
import { forgetList, type ListAsked } from "./forget-list.ts";
import styles from "./game-list-screen.module.css";
import { HotList } from "./hot-list.tsx";
import {
  afterChange,
  type Change,
  CLEARED,
  choiceOf,
  chosenTab,
  chosenVendor,
  filtered,
  filtersOf,
  gamesAsked,
  hasWords,
  isOfList,
  offeredTypes,
  offersTypes,
  playerGamesAsked,
  searched,
  TAB_LABELS,
  TABS,
  type Tab,
  untyped,
} from "./list-choice.ts";
import type { OnPage } from "./list-pages.tsx";
import type { ListSearch } from "./list-search.ts";
import { PagedGames } from "./paged-games.tsx";
import { PlayerGames } from "./player-games.tsx";
import { SearchBox } from "./search-box.tsx";
import { useVendorGameTypes } from "./use-vendor-game-types.ts";
import { VendorMenu } from "./vendor-menu.tsx";
import { typesWithGames } from "./vendor-offer.ts";

/** The list centre: the games of a type, by vendor, name, tab and filter. */
export default function GameListScreen() {
  const { t } = useText();
  const centre = useListCentre();
  const { pathname, search, choice, show, chooseVendor } = centre;
  const { list, type, vassalage, tab } = choice;
  const { gameType } = list;
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const shows = useShows();
  const { data: vendors } = useVendors();
  const ofVendor = useVendorGameTypes(fixesType(pathname) ? undefined : search.vassalage);
  if (gameType === "COCKFIGHT" && !shows("/m/cockfight")) return <FeatureClosed />;
  const types = vendors?.content.map(({ gameCategory }) => gameCategory) ?? [];
  const offered = vendors === undefined ? [] : vendorsOf(vendors.content, gameType);
  const hasMenu = list.vendor === undefined && offered.length > 0;
  // The types of the chosen vendor, where its menu leads back to all; else all types.
  const some = hasMenu && ofVendor !== undefined ? typesWithGames(ofVendor) : types;
  return (
    <div className={styles.screen}>
      <div className={styles.top}>
        <SearchBox
          value={search.name ?? ""}
          list={[gameType, tab, type, vassalage, search.minBet].join()}
          onSearch={(wanted) => show(searched(wanted))}
        />
        <div className={classNames(styles.filter, tab === "filter" && styles.filtered)}>
          <IconButton label={t("games.filter")} onClick={() => popups.open("filter")}>
            <FilterIcon size={22} />
          </IconButton>
        </div>
      </div>
      <ListBanner gameType={gameType} />
      {offersTypes(pathname, types) && (
        <ChipRow<GameType>
          label={t("home.categories")}
          value={gameType}
          choices={offeredTypes(types, some, gameType).map((one) => ({
            value: one,
            label: t(typeLabel(one)),
          }))}
          onValueChange={(value) =>
            show({ gameType: value, vassalage: some === types ? undefined : vassalage })
          }
        />
      )}
      <Segmented<Tab>
        label={t("games.lists")}
        value={tab}
        choices={TABS.map((value) => ({ value, label: t(TAB_LABELS[value]) }))}
        onValueChange={(value) => show(chosenTab(value))}
      />
      <div className={classNames(styles.lists, hasMenu && styles.withMenu)}>
        {hasMenu && (
          <div className={styles.menu}>
            <VendorMenu
              vendors={offered}
              value={vassalage}
              onChoose={(wanted) => chooseVendor(wanted, chosenVendor(search, wanted))}
            />
          </div>
        )}
        <Lists centre={centre} />
      </div>
      {popup === "filter" && (
        <FilterSheet
          open
          close={popups.close}
          vendors={offered}
          list={list}
          filters={filtersOf(search, choice)}
          // The panel has a history entry of its own, which becomes the filtered list.
          onApply={(filters) => chooseVendor(filters.vassalage || undefined, filtered(filters))}
        />
      )}
    </div>
  );
}

type Centre = ReturnType<typeof useListCentre>;

function useListCentre() {
  const { language } = useText();
  const navigate = useNavigate();
  const router = useRouter();
  const pathname = useLocation({ select: (location) => location.pathname });
  // Every route with this component has this validator.
  const given = useSearch({ strict: false }) as ListSearch;
  const isOwn = useOwnWords(hasWords(given), () => show({}));
  const search = isOwn ? given : untyped(given);
  const gate = useGate();
  const choice = choiceOf(pathname, search);
  const { tab } = choice;

  const show = (change: Change, state: { readonly listFrom?: number } = {}) => {
    const next = afterChange(pathname, search, change);
    const chosen = listAsked(next.to === "." ? pathname : next.to, next.search);
    if (chosen.tab !== tab) forgetList(language, chosen);
    return navigate({
      to: next.to,
      search: () => next.search,
      state: { ...state, ...ownMark(hasWords(next.search)) },
      replace: true,
      resetScroll: false,
    });
  };

  /** Vendors of some types need a log-in (games §6); after it they are shown. */
  const chooseVendor = (wanted: string | undefined, change: Change) => {
    if (wanted === undefined || !wantsSession(choice.list.gameType)) return show(change);
    const next = afterChange(pathname, search, change);
    const { href } = router.buildLocation({ to: next.to, search: () => next.search });
    const refusal = gate({ to: href, gate: "session" });
    return refusal === null ? show(change) : refusal();
  };

  return { pathname, search, choice, show, chooseVendor };
}

function Lists({ centre: { pathname, search, choice, show } }: { centre: Centre }) {
  const { t } = useText();
  const { tab } = choice;
  const { page = 1 } = search;
  const turnTo: OnPage = (to, state) => void show({ page: to }, state);
  if (tab === "hot") return <HotList only={(game) => isOfList(choice, game)} />;
  if (tab === "fav" || tab === "recent") {
    return (
      <SessionGate key={tab} gate="session">
        <PlayerGames
          list={tab}
          filter={playerGamesAsked(pathname, search, choice)}
          page={page}
          onPage={turnTo}
        />
      </SessionGate>
    );
  }
  return (
    <PagedGames
      key={tab}
      label={t("games.results")}
      page={page}
      onPage={turnTo}
      filter={gamesAsked(search, choice)}
      whenEmpty={
        <Button variant="secondary" onClick={() => show(CLEARED)}>
          {t("games.clear_filters")}
        </Button>
      }
    />
  );
}

function listAsked(pathname: string, search: ListSearch): ListAsked {
  const choice = choiceOf(pathname, search);
  const { tab } = choice;
  if (tab === "hot") return { tab };
  if (tab === "all" || tab === "filter") return { tab, filter: gamesAsked(search, choice) };
  return { tab, filter: playerGamesAsked(pathname, search, choice) };
}

/** The banner of the type's own list; it keeps its place until its absence is known. */
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
