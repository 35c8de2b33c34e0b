import { useQuery } from "@tanstack/react-query";
import { useNearSight } from "../../parts/near-sight.ts";
import { PromotionCard } from "../../parts/promotion-card.tsx";
import { SectionHead } from "../../parts/section-head.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./promotions-row.module.css";

/** Home shows so many (specification, games §2.10). */
const PROMOTIONS_FIRST = 3;

/** The first promotions; asked for only when they come near the screen. */
export function PromotionsRow() {
  const { t, language } = useText();
  const [place, near] = useNearSight<HTMLElement>();
  const { data } = useQuery({ ...queries.promotions(language), enabled: near });
  if (data?.length === 0) return null;
  return (
    <section ref={place} aria-labelledby="home-promotions">
      <SectionHead
        id="home-promotions"
        title={t("activity.title")}
        more={{ to: "/m/activity", label: t("shell.see_all") }}
      />
      {data === undefined ? (
        <div className={styles.waiting} />
      ) : (
        <ul className={styles.row} aria-label={t("activity.title")}>
          {data.slice(0, PROMOTIONS_FIRST).map((promotion) => (
            <li key={promotion.id}>
              <PromotionCard promotion={promotion} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
