import { Badge } from "@perya/ui/badge";
import { buttonClass } from "@perya/ui/button";
import { PageTitleBar } from "@perya/ui/page-title-bar";
import { RichContent } from "@perya/ui/rich-content";
import { Skeleton } from "@perya/ui/skeleton";
import { Swiper } from "@perya/ui/swiper";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { useGoBack } from "../../parts/page/header.tsx";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { PromotionDates, PromotionImage } from "../../parts/promotions/promotion-card.tsx";
import type { Promotion } from "../../parts/promotions/promotions.ts";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./activity-detail-screen.module.css";
import { ApplyPanel } from "./apply-panel.tsx";
import { WaitingPage } from "./waiting-page.tsx";

/** One promotion below the banners of all promotions, which lead from one to the next. */
export default function ActivityDetailScreen() {
  const { t, language } = useText();
  const goBack = useGoBack(undefined);
  const { id } = useSearch({ from: "/m/activityDetail" });
  const { data, error, refetch, isFetching } = useQuery(queries.promotions(language));
  const index = data?.findIndex((promotion) => promotion.id === id) ?? -1;
  return (
    <>
      <PageTitleBar title={t("activity.detail")} backLabel={t("shell.back")} onBack={goBack} />
      {error !== null && data === undefined ? (
        <QueryFailed query={{ error, refetch, isFetching }} />
      ) : data === undefined ? (
        <Waiting />
      ) : index === -1 ? (
        <EmptyScene
          title={t("activity.over")}
          text={t("activity.over_text")}
          action={
            <Link to="/m/activity" className={buttonClass()}>
              {t("activity.see_all")}
            </Link>
          }
        />
      ) : (
        <Detail promotions={data} index={index} />
      )}
    </>
  );
}

function Detail({ promotions, index }: { promotions: readonly Promotion[]; index: number }) {
  const { t } = useText();
  const navigate = useNavigate();
  const router = useRouter();
  const shown = promotions[index];
  const show = useCallback(
    (next: number) => {
      const promotion = promotions[next];
      if (promotion === undefined) return;
      void navigate({
        to: "/m/activityDetail",
        search: { id: promotion.id },
        replace: true,
        resetScroll: false,
      });
    },
    [navigate, promotions],
  );
  if (shown === undefined) return null;
  return (
    <article className="page-body" aria-labelledby="activity-title">
      <Swiper
        slides={promotions.map((promotion) => ({
          key: promotion.id,
          content: <PromotionImage promotion={promotion} />,
        }))}
        index={index}
        onIndex={show}
        labels={{
          region: t("activity.banners"),
          previous: t("activity.previous"),
          next: t("activity.next"),
          slide: (position, total) => t("home.slide", { position, total }),
        }}
      />
      <header className={styles.head}>
        <h2 id="activity-title">{shown.title}</h2>
        <p>
          <PromotionDates promotion={shown} />
          {shown.category !== null && <Badge>{t(`promo.${shown.category}`)}</Badge>}
        </p>
      </header>
      <RichContent
        html={shown.content}
        className={styles.text}
        onInside={(path) => router.history.push(path)}
      />
      {shown.takesApplications && <ApplyPanel key={shown.id} promotion={shown} />}
    </article>
  );
}

function Waiting() {
  return (
    <WaitingPage>
      <Skeleton className={styles.banner} radius="var(--r-4)" />
      <Skeleton width="80%" height={28} />
      <Skeleton width="50%" height={18} />
      <Skeleton height={240} radius="var(--r-4)" />
    </WaitingPage>
  );
}
