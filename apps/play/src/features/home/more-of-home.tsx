import { GAME_PAGE_SIZE } from "@perya/client/queries/catalogue";
import { useInfiniteQuery } from "@tanstack/react-query";
import { VendorGameList } from "../../parts/games/vendor-game-list.tsx";
import type { VendorGroup } from "../../parts/games/vendors.ts";
import { SectionHead } from "../../parts/lists/section-head.tsx";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./categories.module.css";
import { VendorGrid } from "./categories.tsx";

export function NewGames() {
  const { t, language } = useText();
  const filter = { isNew: "1", pageSize: GAME_PAGE_SIZE.home } as const;
  const list = useInfiniteQuery(queries.games(language, filter));
  const games = list.data?.pages[0]?.games;
  return (
    <section aria-labelledby="home-new">
      <SectionHead id="home-new" title={t("home.new_games")} />
      {list.isError && games === undefined && <QueryFailed query={list} />}
      {games === undefined && !list.isError && <div className={styles.waiting} />}
      {games?.length === 0 && <p className={styles.none}>{t("games.none_in_category")}</p>}
      {games !== undefined && <VendorGameList games={games} label={t("home.new_games")} />}
    </section>
  );
}

export function Providers({ categories }: { categories: readonly VendorGroup[] }) {
  const { t } = useText();
  return (
    <section aria-labelledby="home-providers">
      <SectionHead id="home-providers" title={t("games.providers")} />
      <VendorGrid
        label={t("games.providers")}
        entries={categories.flatMap(({ type, vendors }) =>
          vendors.map((vendor) => ({ type, vendor })),
        )}
      />
    </section>
  );
}
