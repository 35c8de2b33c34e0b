import { PromotionCard } from "../../parts/promotions/promotion-card.tsx";
import type { Promotion } from "../../parts/promotions/promotions.ts";
import { useText } from "../../shell/text.ts";
import styles from "./promotions-row.module.css";

/** Side by side, the next one peeping in. */
export default function PromotionCards({ promotions }: { promotions: readonly Promotion[] }) {
  const { t } = useText();
  return (
    <ul className={styles.row} aria-label={t("activity.title")}>
      {promotions.map((promotion) => (
        <li key={promotion.id}>
          <PromotionCard promotion={promotion} />
        </li>
      ))}
    </ul>
  );
}
