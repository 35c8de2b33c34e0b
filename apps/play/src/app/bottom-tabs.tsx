import { HOME_PATHS } from "@perya/contract/page-paths";
import { formatDecimal } from "@perya/kernel/money";
import { EarnIcon, HomeIcon, MemberIcon, PrizeIcon, PromotionIcon, TeamIcon } from "@perya/ui/icon";
import type { LinkRenderProps } from "@perya/ui/render-link";
import { TabBar, type TabBarItem } from "@perya/ui/tab-bar";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useInboxUnread } from "../parts/notices/notices.ts";
import { UnreadBadge } from "../parts/notices/unread-badge.tsx";
import { isAgent } from "../shell/access.ts";
import { queries } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import { useText } from "../shell/text.ts";
import { useGatedLink } from "../shell/use-gate.ts";
import { useShows } from "../shell/use-shows.ts";
import styles from "./bottom-tabs.module.css";

const PROMOTION_PATHS = ["/m/activity", "/m/activityDetail"];
const MEMBER_PATHS = ["/m/member/home", "/m/mine"];

type OwnPath = "/m/inviteFriends" | "/m/agentRegister" | "/m/rewardCenter" | "/m/member/home";

/** Five tabs for everyone: players earn through friends, agents open accounts (games §2.4). */
export function BottomTabs() {
  const { t } = useText();
  const path = useLocation({ select: (location) => location.pathname });
  const session = useSession((state) => state.session);
  const { data: status } = useQuery(queries.status());
  const unread = useInboxUnread();
  const shows = useShows();
  const info = status?.info;
  const items: TabBarItem[] = [
    {
      key: "home",
      label: t("shell.tab_home"),
      icon: <HomeIcon size={22} />,
      active: HOME_PATHS.includes(path),
      link: HomeTab,
    },
    {
      key: "promotion",
      label: t("shell.tab_promotion"),
      icon: <PromotionIcon size={22} />,
      active: PROMOTION_PATHS.includes(path),
      link: (props) => <Link to="/m/activity" {...props} />,
    },
  ];
  if (shows("/m/inviteFriends")) {
    const amount = info && formatDecimal(info.referralReward).replace(/\.00$/, "");
    items.push({
      key: "earn",
      label: amount === undefined ? t("shell.tab_referral") : t("shell.tab_earn", { amount }),
      icon: (
        <span className={styles.coin}>
          <EarnIcon size={24} />
        </span>
      ),
      active: path === "/m/inviteFriends",
      link: (props) => <OwnTab to="/m/inviteFriends" {...props} />,
    });
  }
  if (isAgent(session) && shows("/m/agentRegister")) {
    items.push({
      key: "agent",
      label: t("shell.tab_agent"),
      icon: <TeamIcon size={22} />,
      active: path === "/m/agentRegister",
      link: (props) => <OwnTab to="/m/agentRegister" {...props} />,
    });
  }
  if (shows("/m/rewardCenter")) {
    items.push({
      key: "prize",
      label: t("shell.tab_prize"),
      icon: <PrizeIcon size={22} />,
      active: path === "/m/rewardCenter",
      link: (props) => <OwnTab to="/m/rewardCenter" {...props} />,
    });
  }
  items.push({
    key: "member",
    label: t("shell.tab_member"),
    icon: <MemberIcon size={22} />,
    badge: <UnreadBadge count={unread} />,
    active: MEMBER_PATHS.includes(path),
    link: (props) => <OwnTab to="/m/member/home" {...props} />,
  });
  return <TabBar label={t("shell.tabs")} items={items} />;
}

/** Resets the category and returns to the top, even when home is open already. */
function HomeTab(props: LinkRenderProps) {
  const isHome = useLocation({ select: ({ pathname }) => HOME_PATHS.includes(pathname) });
  // Any other page keeps its scroll position, for the way back.
  const toTop = () => {
    if (isHome) scrollTo({ top: 0, behavior: "instant" });
  };
  return <Link to="/m/home" {...props} onClick={toTop} />;
}

/** A player's own page: a guest is asked to log in over the current page. */
function OwnTab({ to, ...link }: LinkRenderProps & { to: OwnPath }) {
  return <Link {...link} to={to} {...useGatedLink()({ to, gate: "session" })} />;
}
