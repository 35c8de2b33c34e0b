import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { typeLabel } from "../../parts/game-types.ts";
import { useNearSight } from "../../parts/near-sight.ts";
import { useVendors } from "../../parts/use-vendors.ts";
import { categoriesOf } from "../../parts/vendors.ts";
import { useText } from "../../shell/text.ts";
import { AnnouncementTicker, BannerCarousel, useLoginPopups } from "./announcements.tsx";
import { GameCategory, HotGames, OwnCategory } from "./categories.tsx";
import { CategoryMenu } from "./category-menu.tsx";
import { FloatingButtons } from "./floating-buttons.tsx";
import styles from "./home-screen.module.css";
import { PromotionsRow } from "./promotions-row.tsx";

const HomeFoot = lazy(() => import("./home-foot.tsx"));

/** Every category of the brand below one another, under a menu that follows what is in sight. */
export function HomeScreen() {
  const { t } = useText();
  const { cat } = useSearch({ from: "/home" });
  const [foot, near] = useNearSight<HTMLDivElement>();
  useLoginPopups();
  const { data: vendors } = useVendors();
  const categories = categoriesOf(vendors?.content ?? []);
  return (
    <div className={styles.home}>
      <h1 className="visually-hidden">{t("home.heading")}</h1>
      <BannerCarousel />
      <AnnouncementTicker />
      <CategoryMenu
        wanted={cat ?? "HOT"}
        categories={[
          { key: "HOT", label: t("games.hot_short") },
          ...categories.map(({ type }) => ({ key: type, label: t(typeLabel(type)) })),
          { key: "FAV", label: t("games.favourites") },
          { key: "RECENT", label: t("games.recent") },
        ]}
      />
      <HotGames />
      <PromotionsRow />
      {categories.map(({ type, vendors: offered }) => (
        <GameCategory key={type} type={type} vendors={offered} />
      ))}
      <OwnCategory list="fav" />
      <OwnCategory list="recent" />
      {/* Far below the first screen, so it comes only when it is come near. */}
      <div ref={foot} className={styles.foot}>
        {near && (
          <Suspense>
            <HomeFoot categories={categories} />
          </Suspense>
        )}
      </div>
      <FloatingButtons />
    </div>
  );
}
