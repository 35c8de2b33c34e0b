import { Carousel } from "@perya/ui/carousel";
import { InboxIcon } from "@perya/ui/icon";
import { Skeleton } from "@perya/ui/skeleton";
import { Ticker } from "@perya/ui/ticker";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { awaitLoginPopups, keepLoginPopups } from "../../parts/notices/login-popups.ts";
import { useInboxUnread } from "../../parts/notices/notices.ts";
import { UnreadBadge } from "../../parts/notices/unread-badge.tsx";
import { BannerFace } from "../../parts/pictures/banner-face.tsx";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { api, queries } from "../../shell/server.ts";
import { isTrial, useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./announcements.module.css";

/** The brand's banners: a drawn background with real text, which can be read and translated. */
export function BannerCarousel() {
  const { t, language } = useText();
  const { data, isError } = useQuery(queries.announcements(language));
  // Home works without its banners; a failed call is made again on the next visit.
  if (isError && data === undefined) return null;
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
        content: <BannerFace banner={banner} first={index === 0} />,
      }))}
    />
  );
}

/** Titles of the brand's notices, and a logged-in player's way to waiting messages. */
export function AnnouncementLine() {
  const reads = useSession(({ session }) => session !== null && !isTrial(session));
  return (
    <div className={styles.line}>
      <AnnouncementTicker />
      {reads && <Inbox />}
    </div>
  );
}

/** Takes its place from the start, so that nothing moves when the number comes. */
function Inbox() {
  const { t } = useText();
  const unread = useInboxUnread();
  return (
    <Link to="/m/notice" preload={false} className={styles.inbox}>
      <InboxIcon size={20} />
      <span className="visually-hidden">{t("home.inbox")} </span>
      <span className={styles.unread}>
        <UnreadBadge count={unread} />
      </span>
    </Link>
  );
}

/** A tap on a title opens its notice, which is the first in their list. */
function AnnouncementTicker() {
  const { t, language } = useText();
  const { data, error } = useQuery(queries.announcements(language));
  // The list of notices shows the fault and offers another try.
  if (error !== null && data === undefined) return null;
  return (
    <Ticker
      labels={{
        region: t("home.announcements"),
        pause: t("home.pause"),
        play: t("home.resume"),
      }}
      items={(data?.player ?? []).map((notice, index) => ({
        key: notice.id,
        content: (tabIndex) => (
          <Link
            to="/m/notice"
            search={{ index }}
            preload={false}
            tabIndex={tabIndex}
            className={styles.notice}
          >
            {notice.title}
          </Link>
        ),
      }))}
      empty={data === undefined ? t("shell.loading") : t("home.no_announcement")}
    />
  );
}

/**
 * Opens the pop-ups after a log-in, once per tab and player, unless hidden for today. A sign-out
 * clears what the tab kept, so the next log-in sees it again.
 */
export function useLoginPopups(): void {
  const { language } = useText();
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const userName = useSession(({ session }) => session?.userName);
  const { data: status } = useQuery(queries.status());
  const { data } = useQuery({ ...queries.loginPopups(language), enabled: userName !== undefined });
  const zone = status?.info.zone;
  const some = data !== undefined && data.list.length > 0;
  useEffect(() => {
    if (userName === undefined || zone === undefined || !some || popup !== null) return;
    if (!awaitLoginPopups(userName, api.serverNow(), zone)) return;
    // Without storage, each visit of home would open them again.
    if (!keepLoginPopups(userName)) return;
    popups.open("announcements");
  }, [userName, zone, some, popup, popups]);
}
