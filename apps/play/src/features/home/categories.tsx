import { GAME_PAGE_SIZE } from "@perya/client/queries";
import { Button } from "@perya/ui/button";
import { EmptyState } from "@perya/ui/empty-state";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyArt } from "../../parts/empty-art.tsx";
import { GameGrid, GameGridSkeleton, GameRow } from "../../parts/game-tile.tsx";
import { type GameType, pageOfType, typeLabel, wantsSession } from "../../parts/game-types.ts";
import { useHotGames } from "../../parts/hot-games.ts";
import { useNearSight } from "../../parts/near-sight.ts";
import { SectionHead } from "../../parts/section-head.tsx";
import { useVendors } from "../../parts/vendors.ts";
import { QueryFailed } from "../../shell/screen-states.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";
import styles from "./categories.module.css";

/** Vendors in sight before all are asked for (specification, home). */
const VENDORS_FIRST = 9;

export function HotGames() {
  const { t } = useText();
  const [all, setAll] = useState(false);
  const { data, error, refetch, isFetching } = useHotGames();
  const games = data?.list ?? [];
  return (
    <section aria-labelledby="home-hot">
      <SectionHead
        id="home-hot"
        title={t("games.hot")}
        more={{ to: "/m/hot-games", label: t("shell.see_all") }}
      />
      {error !== null && data === undefined ? (
        <QueryFailed error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : data === undefined ? (
        <GameGridSkeleton count={GAME_PAGE_SIZE.home} />
      ) : (
        <GameGrid
          label={t("games.hot")}
          games={all ? games : games.slice(0, GAME_PAGE_SIZE.home)}
        />
      )}
      {games.length > GAME_PAGE_SIZE.home && (
        <Button
          variant="secondary"
          block
          className={styles.toggle}
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? t("shell.show_less") : t("shell.show_more")}
        </Button>
      )}
    </section>
  );
}

/** A category's first nine as one line; asked for only when it comes near the screen. */
export function CategoryRow({ type }: { type: GameType }) {
  const { t, language } = useText();
  const [place, near] = useNearSight<HTMLElement>();
  const filter = { gameType: type, pageSize: GAME_PAGE_SIZE.home };
  const { data } = useInfiniteQuery({ ...queries.games(language, filter), enabled: near });
  const games = data?.pages[0]?.games;
  const id = `home-${type}`;
  if (games?.length === 0) return null;
  return (
    <section ref={place} aria-labelledby={id}>
      <SectionHead
        id={id}
        title={t(typeLabel(type))}
        more={{ to: pageOfType(type), label: t("shell.see_all") }}
      />
      {games === undefined ? (
        <div className={styles.waiting} />
      ) : (
        <GameRow games={games} label={t(typeLabel(type))} />
      )}
    </section>
  );
}

/** The chosen category: its vendors and its first nine games. */
export function CategoryBlock({ type }: { type: GameType }) {
  const { t, language } = useText();
  const filter = { gameType: type, pageSize: GAME_PAGE_SIZE.home };
  const games = useInfiniteQuery(queries.games(language, filter));
  const page = games.data?.pages[0];
  return (
    <section aria-labelledby="home-category">
      <SectionHead
        id="home-category"
        title={t(typeLabel(type))}
        more={{ to: pageOfType(type), label: t("shell.see_all") }}
      />
      <Vendors type={type} />
      {page !== undefined && page.games.length > 0 && (
        <GameGrid games={page.games} label={t(typeLabel(type))} />
      )}
      {page?.games.length === 0 && (
        <EmptyState
          art={<EmptyArt scene="no-data" />}
          title={t("games.none")}
          text={t("games.none_in_category")}
          level={3}
        />
      )}
      {games.isPending && <GameGridSkeleton count={GAME_PAGE_SIZE.home} />}
      {games.isError && (
        <QueryFailed
          error={games.error}
          onRetry={() => void games.refetch()}
          retrying={games.isFetching}
        />
      )}
    </section>
  );
}

function Vendors({ type }: { type: GameType }) {
  const { t } = useText();
  const gate = useGate();
  const [all, setAll] = useState(false);
  const { data } = useVendors();
  const vendors = data?.content.find(({ gameCategory }) => gameCategory === type)?.vendorNames;
  if (vendors === undefined || vendors.length < 2) return null;
  return (
    <>
      <ul className={styles.vendors} aria-label={t("games.providers")}>
        {(all ? vendors : vendors.slice(0, VENDORS_FIRST)).map((vendor) => (
          <li key={vendor.vassalage}>
            <Link
              to={pageOfType(type)}
              search={{ vassalage: vendor.vassalage }}
              className={styles.vendor}
              onClick={(event) => {
                const to = `${pageOfType(type)}?vassalage=${vendor.vassalage}`;
                const refusal = wantsSession(type) ? gate({ to, gate: "session" }) : null;
                if (refusal === null) return;
                event.preventDefault();
                refusal();
              }}
            >
              <img src={vendor.mobileLargeIcon} alt="" width={28} height={28} loading="lazy" />
              <span>{vendor.displayName}</span>
            </Link>
          </li>
        ))}
      </ul>
      {vendors.length > VENDORS_FIRST && (
        <Button variant="ghost" size="sm" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t("shell.show_less") : t("shell.show_more")}
        </Button>
      )}
    </>
  );
}
