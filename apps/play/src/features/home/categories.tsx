import { GAME_PAGE_SIZE } from "@perya/client/queries/catalogue";
import { pageOfType } from "@perya/contract/game-lists";
import { Button } from "@perya/ui/button";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useNearSight } from "../../parts/browser/near-sight.ts";
import { GameGrid, GameGridSkeleton } from "../../parts/games/game-tile.tsx";
import { type GameType, typeLabel, wantsSession } from "../../parts/games/game-types.ts";
import { useHotGames } from "../../parts/games/hot-games.ts";
import { VendorGameList } from "../../parts/games/vendor-game-list.tsx";
import { VendorIcon } from "../../parts/games/vendor-icon.tsx";
import { typeAsked, type VendorGroup } from "../../parts/games/vendors.ts";
import { SectionHead } from "../../parts/lists/section-head.tsx";
import { useFurtherPages } from "../../parts/lists/use-further-pages.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { Part } from "../../shell/lazy-part.tsx";
import { queries } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { useGatedLink } from "../../shell/use-gate.ts";
import styles from "./categories.module.css";
import { categoryId } from "./category-menu.tsx";

/** Vendors in sight before the player asks for all (specification, games §2.2). */
const VENDORS_FIRST = 9;
/** The player's own games in sight until all are asked for (games §9). */
const OWN_FIRST = 3;

export function HotGames() {
  const { t } = useText();
  const [all, setAll] = useState(false);
  const { data, error, refetch, isFetching } = useHotGames();
  const games = data?.list ?? [];
  return (
    <section id={categoryId("HOT")} aria-labelledby="home-hot">
      <SectionHead
        id="home-hot"
        title={t("games.hot")}
        more={{ to: "/m/hot-games", label: t("shell.see_all") }}
      />
      {error !== null && data === undefined ? (
        <QueryFailed query={{ error, refetch, isFetching }} />
      ) : data === undefined ? (
        <GameGridSkeleton count={GAME_PAGE_SIZE.home} />
      ) : (
        <GameGrid
          label={t("games.hot")}
          games={all ? games : games.slice(0, GAME_PAGE_SIZE.home)}
        />
      )}
      {games.length > GAME_PAGE_SIZE.home && (
        <ShowAll className={styles.toggle} block all={all} onToggle={() => setAll(!all)} />
      )}
    </section>
  );
}

/**
 * A type's vendors and its first nine games in a line, loaded when they come near; `board` is the
 * type's further content.
 */
export function GameCategory(props: VendorGroup & { board: ReactNode }) {
  const { type, vendors, board } = props;
  const { t, language } = useText();
  const [place, near] = useNearSight<HTMLElement>();
  const filter = { gameType: typeAsked(props), pageSize: GAME_PAGE_SIZE.home };
  const list = useInfiniteQuery({ ...queries.games(language, filter), enabled: near });
  const games = list.data?.pages[0]?.games;
  const id = `home-${type}`;
  return (
    <section ref={place} id={categoryId(type)} aria-labelledby={id}>
      <SectionHead
        id={id}
        title={t(typeLabel(type))}
        more={{ to: pageOfType(type), label: t("shell.see_all") }}
      />
      <Vendors type={type} vendors={vendors} />
      {list.isError && games === undefined && <QueryFailed query={list} />}
      {games === undefined && !list.isError && <div className={styles.waiting} />}
      {games?.length === 0 && <p className={styles.none}>{t("games.none_in_category")}</p>}
      {games !== undefined && <VendorGameList games={games} label={t(typeLabel(type))} />}
      {near && <Part>{board}</Part>}
    </section>
  );
}

const OWN: Readonly<Record<"fav" | "recent", { key: string; title: MessageId; none: MessageId }>> =
  {
    fav: { key: "FAV", title: "games.favourites", none: "games.no_favourites_text" },
    recent: { key: "RECENT", title: "games.recent", none: "games.no_recent_text" },
  };

/** The player's own games: a few, or all; empty for a guest. */
export function OwnCategory({ list }: { list: "fav" | "recent" }) {
  const { t, language } = useText();
  const loggedIn = useSession(({ session }) => session !== null);
  const [place, near] = useNearSight<HTMLElement>();
  const [all, setAll] = useState(false);
  const favourites = useInfiniteQuery({
    ...queries.favourites(language, { pageSize: GAME_PAGE_SIZE.centre }),
    enabled: loggedIn && near && list === "fav",
  });
  const recent = useInfiniteQuery({
    ...queries.recentGames(language, { pageSize: GAME_PAGE_SIZE.search }),
    enabled: loggedIn && near && list === "recent",
  });
  const shown = list === "fav" ? favourites : recent;
  useFurtherPages(shown, all);
  // After a session lapsed, the loaded games stay; a sign-out drops them.
  const games = shown.data?.pages.flatMap((page) => page.games) ?? [];
  const { key, title, none } = OWN[list];
  const unknown = loggedIn && shown.data === undefined;
  return (
    <section ref={place} id={categoryId(key)} aria-labelledby={`home-${key}`}>
      <SectionHead id={`home-${key}`} title={t(title)} />
      {unknown && shown.isError && <QueryFailed query={shown} />}
      {unknown && !shown.isError && <GameGridSkeleton count={OWN_FIRST} />}
      {!unknown && games.length === 0 && <p className={styles.none}>{t(none)}</p>}
      {games.length > 0 && (
        <GameGrid games={all ? games : games.slice(0, OWN_FIRST)} label={t(title)} />
      )}
      {all && !unknown && shown.isError && (
        <QueryFailed
          query={{
            error: shown.error,
            refetch: () => shown.fetchNextPage(),
            isFetching: shown.isFetching,
          }}
        />
      )}
      {games.length > OWN_FIRST && (
        <ShowAll className={styles.toggle} block all={all} onToggle={() => setAll(!all)} />
      )}
    </section>
  );
}

function Vendors({ type, vendors }: VendorGroup) {
  const { t } = useText();
  if (vendors.length === 0) return null;
  return (
    <VendorGrid
      label={t("games.providers_of", { type: t(typeLabel(type)) })}
      entries={vendors.map((vendor) => ({ type, vendor }))}
    />
  );
}

interface VendorEntry {
  readonly type: GameType;
  readonly vendor: VendorGroup["vendors"][number];
}

/** The first nine, or all. */
export function VendorGrid({ label, entries }: { label: string; entries: readonly VendorEntry[] }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <ul className={styles.vendors} aria-label={label}>
        {(all ? entries : entries.slice(0, VENDORS_FIRST)).map(({ type, vendor }) => (
          <li key={`${type} ${vendor.vassalage}`}>
            <VendorLink type={type} vendor={vendor} className={styles.vendor}>
              <VendorIcon vassalage={vendor.vassalage} size={26} />
              <span>{vendor.displayName}</span>
            </VendorLink>
          </li>
        ))}
      </ul>
      {entries.length > VENDORS_FIRST && <ShowAll all={all} onToggle={() => setAll(!all)} />}
    </>
  );
}

/** Vendors of some types are launched at once; those of the others have a page (games §2.2). */
export function VendorLink(
  props: VendorEntry & { children: ReactNode; className?: string | undefined; label?: string },
) {
  const { type, vendor, label, ...shown } = props;
  const { vassalage, gameType } = vendor;
  const gated = useGatedLink();
  if (!wantsSession(type)) {
    return (
      <Link
        to={pageOfType(type)}
        search={{ vassalage }}
        preload={false}
        aria-label={label}
        {...shown}
      />
    );
  }
  const to = `/m/launch?${new URLSearchParams({ vassalage, gameType })}`;
  return (
    <Link
      to="/m/launch"
      search={{ vassalage, gameType }}
      preload={false}
      aria-label={label}
      {...gated({ to, gate: "session" })}
      {...shown}
    />
  );
}

/** Toggles between the first few and all. */
function ShowAll(props: {
  all: boolean;
  onToggle: () => void;
  block?: true;
  className?: string | undefined;
}) {
  const { all, onToggle, ...look } = props;
  const { t } = useText();
  return (
    <Button
      variant={props.block ? "secondary" : "ghost"}
      size={props.block ? "md" : "sm"}
      aria-expanded={all}
      onClick={onToggle}
      {...look}
    >
      {all ? t("shell.show_less") : t("shell.show_more")}
    </Button>
  );
}
