import { classNames } from "@perya/ui/class-names";
import { Skeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { Art } from "../pictures/art.tsx";
import styles from "./promotion-card.module.css";
import { firstImage, type Promotion, promotionDays } from "./promotions.ts";

/** A promotion's picture with its title on it and its days below; links to the whole promotion. */
export function PromotionCard({ promotion, active }: { promotion: Promotion; active?: boolean }) {
  const { t } = useText();
  return (
    <Link
      to="/m/activityDetail"
      search={{ id: promotion.id }}
      preload={false}
      className={classNames(styles.card, active && styles.active)}
      aria-current={active ? "true" : undefined}
    >
      <span className={styles.picture}>
        <PromotionImage promotion={promotion} />
        <strong className={styles.title}>{promotion.title}</strong>
      </span>
      <span className={styles.foot}>
        <PromotionDates promotion={promotion} />
        {promotion.category !== null && <span>{t(`promo.${promotion.category}`)}</span>}
      </span>
    </Link>
  );
}

export function PromotionCardSkeleton() {
  return <Skeleton className={styles.skeleton} radius="var(--r-4)" />;
}

/** Decoration beside the title; one that fails to load is hidden. */
export function PromotionImage({ promotion }: { promotion: Promotion }) {
  const image = firstImage(promotion);
  if (image === null) return null;
  return (
    <Art
      src={image}
      instead={null}
      width={720}
      height={300}
      loading="lazy"
      className={styles.image}
    />
  );
}

/** `03/06/2026 – 04/04/2026`, or the start and "long term". */
export function PromotionDates({ promotion }: { promotion: Promotion }) {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  // The zone comes with the status, which is part of the page itself.
  if (status === undefined) return <span />;
  const { start, end } = promotionDays(promotion, status.info.zone);
  return (
    <span className={styles.dates}>
      {start} – {end ?? t("activity.long_term")}
    </span>
  );
}
