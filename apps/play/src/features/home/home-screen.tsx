import { ChipRow } from "@perya/ui/chip-row";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { GAME_TYPES, typeLabel } from "../../parts/game-types.ts";
import { useVendors } from "../../parts/vendors.ts";
import { useText } from "../../shell/text.ts";
import { AnnouncementTicker, BannerCarousel, useLoginPopups } from "./announcements.tsx";
import { CategoryBlock, CategoryRow, HotGames } from "./categories.tsx";
import { HomeFooter } from "./home-footer.tsx";
import styles from "./home-screen.module.css";
import { LatestWinners } from "./latest-winners.tsx";
import { PromotionsRow } from "./promotions-row.tsx";

/** Categories that have a row of their own on home before one is chosen. */
const ROWS_MAX = 5;

export function HomeScreen() {
  const { t } = useText();
  const navigate = useNavigate();
  const { cat } = useSearch({ from: "/home" });
  useLoginPopups();
  const { data: vendors } = useVendors();
  const types = vendors?.content.map(({ gameCategory }) => gameCategory) ?? GAME_TYPES.slice(0, 4);
  return (
    <div className={styles.home}>
      <h1 className="visually-hidden">{t("home.heading")}</h1>
      <BannerCarousel />
      <AnnouncementTicker />
      <ChipRow
        label={t("home.categories")}
        value={cat ?? "HOT"}
        choices={[
          { value: "HOT", label: t("games.hot_short") },
          ...types.map((type) => ({ value: type, label: t(typeLabel(type)) })),
        ]}
        onValueChange={(value) => {
          const chosen = GAME_TYPES.find((type) => type === value);
          void navigate({
            to: "/m/home",
            search: chosen === undefined ? {} : { cat: chosen },
            replace: true,
            resetScroll: false,
          });
        }}
      />
      {cat === undefined ? (
        <>
          <HotGames />
          <PromotionsRow />
          {types.slice(0, ROWS_MAX).map((type) => (
            <CategoryRow key={type} type={type} />
          ))}
        </>
      ) : (
        <CategoryBlock key={cat} type={cat} />
      )}
      <LatestWinners />
      <HomeFooter />
    </div>
  );
}
