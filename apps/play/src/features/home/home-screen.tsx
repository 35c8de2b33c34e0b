import { isSportsVendor } from "@perya/contract/launch-terms";
import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useNearSight } from "../../parts/browser/near-sight.ts";
import type { GameType } from "../../parts/games/game-types.ts";
import { useVendors } from "../../parts/games/use-vendors.ts";
import { categoriesOf, type VendorGroup } from "../../parts/games/vendors.ts";
import { lazyPart, Part } from "../../shell/lazy-part.tsx";
import { useText } from "../../shell/text.ts";
import { AnnouncementLine, BannerCarousel, useLoginPopups } from "./announcements.tsx";
import { GameCategory, HotGames, OwnCategory } from "./categories.tsx";
import { CategoryMenu, categoryId } from "./category-menu.tsx";
import { FloatingButtons } from "./floating-buttons.tsx";
import styles from "./home-screen.module.css";
import { PromotionsRow } from "./promotions-row.tsx";
import { shownCategories } from "./shown-categories.ts";

const HomeFoot = lazyPart(() => import("./home-foot.tsx"));
const HotMatches = lazyPart(() => import("./hot-matches.tsx"));
const LiveModels = lazyPart(() => import("./live-models.tsx"));
const LotteryBoard = lazyPart(() => import("./lottery-board.tsx"));
const NewGames = lazyPart(async () => ({ default: (await import("./more-of-home.tsx")).NewGames }));
const Providers = lazyPart(async () => ({
  default: (await import("./more-of-home.tsx")).Providers,
}));

const LOTTERIES: readonly GameType[] = ["LOTT", "ELOTT"];

/** Every category of the brand below one another, under a menu that follows what is in sight. */
export function HomeScreen() {
  const { t } = useText();
  const { cat } = useSearch({ from: "/home" });
  const [more, moreIsNear] = useNearSight<HTMLDivElement>();
  const [foot, footIsNear] = useNearSight<HTMLDivElement>();
  useLoginPopups();
  const { data: vendors } = useVendors();
  const categories = categoriesOf(vendors?.content ?? []);
  /** The block with popular numbers and the winner board: the brand's first lotteries. */
  const lottery = categories.find(({ type }) => LOTTERIES.includes(type));
  return (
    <div className={styles.home}>
      <h1 className="visually-hidden">{t("home.heading")}</h1>
      <BannerCarousel />
      <AnnouncementLine />
      <CategoryMenu
        wanted={cat ?? "HOT"}
        categories={shownCategories(categories.map(({ type }) => type))}
      />
      <HotGames />
      <div id={categoryId("PROMOTION")}>
        <PromotionsRow />
      </div>
      {categories.map(({ type, vendors: offered }) => (
        <GameCategory
          key={type}
          type={type}
          vendors={offered}
          board={boardOf({ type, vendors: offered }, type === lottery?.type)}
        />
      ))}
      <OwnCategory list="fav" />
      <OwnCategory list="recent" />
      <div ref={more} id={categoryId("NEW")} className={styles.newGames}>
        {moreIsNear && (
          <Part>
            <NewGames />
          </Part>
        )}
      </div>
      <div id={categoryId("PROVIDERS")} className={styles.providers}>
        {moreIsNear && (
          <Part>
            <Providers categories={categories} />
          </Part>
        )}
      </div>
      {/* Far below the first screen, so it loads only when it comes near. */}
      <div ref={foot} id={categoryId("WINNERS")} className={styles.foot}>
        {footIsNear && (
          <Part>
            <HomeFoot categories={categories} />
          </Part>
        )}
      </div>
      <FloatingButtons />
    </div>
  );
}

/** A category's content below its games: home shows each board in its category's block. */
function boardOf({ type, vendors }: VendorGroup, hasLotteries: boolean): ReactNode {
  if (hasLotteries) return <LotteryBoard />;
  if (type === "LIVE") return <LiveModels />;
  for (const { vassalage, gameType } of vendors) {
    if (isSportsVendor(vassalage)) return <HotMatches vassalage={vassalage} gameType={gameType} />;
  }
  return null;
}
