import { ChipRow } from "@perya/ui/chip-row";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useWaitToast } from "../../parts/lists/use-wait-toast.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { PromotionCard, PromotionCardSkeleton } from "../../parts/promotions/promotion-card.tsx";
import { groupsOf, inGroup, type Promotion } from "../../parts/promotions/promotions.ts";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./activity-screen.module.css";
import { OwnApplications } from "./applications.tsx";
import { WaitingPage } from "./waiting-page.tsx";

/** All promotions, or one group of them; `?id=` marks one of them. */
export default function ActivityScreen() {
  const { t, language } = useText();
  const navigate = useNavigate();
  const { id, cat = "all" } = useSearch({ from: "/m/activity" });
  const { data, error, refetch, isFetching } = useQuery(
    queries.promotions(language, { flush: true }),
  );

  useWaitToast(isFetching, 0);

  if (error !== null && data === undefined) {
    return <QueryFailed query={{ error, refetch, isFetching }} />;
  }
  if (data === undefined) return <Waiting />;
  if (data.length === 0) {
    return <EmptyScene title={t("activity.none")} text={t("activity.none_text")} />;
  }
  const groups = groupsOf(data);
  const group = groups.includes(cat) ? cat : "all";
  return (
    <div className="page-body">
      <OwnApplications />
      <ChipRow
        label={t("activity.groups")}
        value={group}
        choices={groups.map((one) => ({ value: one, label: t(`promo.${one}`) }))}
        onValueChange={(chosen) =>
          navigate({
            to: "/m/activity",
            search: chosen === "all" ? {} : { cat: chosen },
            replace: true,
            resetScroll: false,
          })
        }
      />
      <ul className={styles.list} aria-label={t(`promo.${group}`)}>
        {inGroup(data, group).map((promotion) => (
          <Place key={promotion.id} promotion={promotion} active={promotion.id === id} />
        ))}
      </ul>
    </div>
  );
}

function Place({ promotion, active }: { promotion: Promotion; active: boolean }) {
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (active) place.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <li ref={place} className={styles.place}>
      <PromotionCard promotion={promotion} active={active} />
    </li>
  );
}

function Waiting() {
  return (
    <WaitingPage>
      <PromotionCardSkeleton />
      <PromotionCardSkeleton />
      <PromotionCardSkeleton />
    </WaitingPage>
  );
}
