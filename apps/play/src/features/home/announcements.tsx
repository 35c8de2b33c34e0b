import type { Reply } from "@perya/client/api";
import { Carousel } from "@perya/ui/carousel";
import { Skeleton } from "@perya/ui/skeleton";
import { Ticker } from "@perya/ui/ticker";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { plainText } from "../../parts/plain-text.ts";
import { PopupLink } from "../../shell/popup-link.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./announcements.module.css";

type Banner = Reply<"GET /api/v1/announcements">["banners"][number];

/** The brand's banners: a drawn ground with real text on it, so it can be read and translated. */
export function BannerCarousel() {
  const { t, language } = useText();
  const { data, isError } = useQuery(queries.announcements(language));
  // Home is worth showing without its banners; what failed is asked for again on the next visit.
  if (isError) return null;
  if (data === undefined) return <Skeleton className={styles.skeleton} radius="var(--r-4)" />;
  if (data.banners.length === 0) return null;
  return (
    <Carousel
      ratio="12 / 5"
      labels={{
        region: t("home.banners"),
        pause: t("home.pause"),
        play: t("home.resume"),
        slide: (position, total) => t("home.slide", { position, total }),
        goTo: (position, total) => t("home.go_to_slide", { position, total }),
      }}
      slides={data.banners.map((banner, index) => ({
        key: banner.id,
        content: <Slide banner={banner} first={index === 0} />,
      }))}
    />
  );
}

function Slide({ banner, first }: { banner: Banner; first: boolean }) {
  const inside = banner.url.startsWith("/m/");
  const content = (
    <>
      <img
        src={`/art/banner/${encodeURIComponent(banner.scene)}.svg`}
        alt=""
        width={720}
        height={300}
        fetchPriority={first ? "high" : "low"}
        className={styles.ground}
      />
      <span className={styles.words}>
        <strong className={styles.title}>{banner.title}</strong>
        <span className={styles.line}>{plainText(banner.content)}</span>
      </span>
    </>
  );
  if (inside) {
    return (
      <Link to={banner.url} preload={false} className={styles.slide}>
        {content}
      </Link>
    );
  }
  return <div className={styles.slide}>{content}</div>;
}

/** Titles of the brand's notices; a tap opens the notice. */
export function AnnouncementTicker() {
  const { t, language } = useText();
  const { data } = useQuery(queries.announcements(language));
  return (
    <Ticker
      labels={{
        region: t("home.announcements"),
        pause: t("home.pause"),
        play: t("home.resume"),
      }}
      items={(data?.player ?? []).map((notice, index) => ({
        key: notice.id,
        content: (
          <PopupLink pop="notice" more={{ id: String(index) }} className={styles.notice}>
            {notice.title}
          </PopupLink>
        ),
      }))}
      empty={data === undefined ? t("shell.loading") : t("home.no_announcement")}
    />
  );
}
