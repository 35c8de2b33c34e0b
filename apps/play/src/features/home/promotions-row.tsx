import { useQuery } from "@tanstack/react-query";
import { useNearSight } from "../../parts/browser/near-sight.ts";
import { SectionHead } from "../../parts/lists/section-head.tsx";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { lazyPart, Part } from "../../shell/lazy-part.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./promotions-row.module.css";

/** Home shows so many (specification, games §2.10). */
const PROMOTIONS_FIRST = 3;

const PromotionCards = lazyPart(() => import("./promotion-cards.tsx"));

/** The first promotions; they and their code load when they are near the screen. */
export function PromotionsRow() {
  const { t, language } = useText();
  const [place, near] = useNearSight<HTMLElement>();
  const { data, error, refetch, isFetching } = useQuery({
    ...queries.promotions(language),
    enabled: near,
  });
  if (data?.length === 0) return null;
  const waiting = <div className={styles.waiting} />;
  return (
    <section ref={place} aria-labelledby="home-promotions">
      <SectionHead
        id="home-promotions"
        title={t("activity.title")}
        more={{ to: "/m/activity", label: t("shell.see_all") }}
      />
      {error !== null && data === undefined ? (
        <QueryFailed query={{ error, refetch, isFetching }} />
      ) : data === undefined ? (
        waiting
      ) : (
        <Part waiting={waiting}>
          <PromotionCards promotions={data.slice(0, PROMOTIONS_FIRST)} />
        </Part>
      )}
    </section>
  );
}
