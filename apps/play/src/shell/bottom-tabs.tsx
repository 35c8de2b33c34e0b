import { HOME_PATHS } from "@perya/contract/page-paths";
import { CountBadge } from "@perya/ui/badge";
import {
  DepositIcon,
  GamesIcon,
  HomeIcon,
  InviteIcon,
  MemberIcon,
  RecordIcon,
} from "@perya/ui/icon";
import type { LinkRenderProps } from "@perya/ui/render-link";
import { TabBar } from "@perya/ui/tab-bar";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useUnreadNotices } from "../parts/notices.ts";
import { type Gate, showsReferral } from "./access.ts";
import styles from "./bottom-tabs.module.css";
import { queries } from "./server.ts";
import { useSession } from "./session.ts";
import { useText } from "./text.ts";
import { useGate } from "./use-gate.ts";

const HOME_POPUPS = ["/m/login", "/m/register", "/m/register.html"];
const GAME_PATHS =
  /^\/m\/(game(List|Center)|slotsCenter|provider|search|[a-z]+-games|roulette|baccarat|inHouse|pg-soft|e?lott|cockfight)$/;
const RECORD_PATHS = ["/m/gameRecord", "/m/transaction/record"];
const DEPOSIT_PATHS = ["/m/voucherCenter", "/m/withdraw"];
const MEMBER_PATHS = ["/m/member/home", "/m/mine", "/m/set"];

type GatedPath = "/m/voucherCenter" | "/m/inviteFriends" | "/m/gameRecord" | "/m/member/home";

export function BottomTabs() {
  const { t } = useText();
  const path = useLocation({ select: (location) => location.pathname });
  const session = useSession((state) => state.session);
  const { data: status } = useQuery(queries.status());
  const unread = useUnreadNotices();
  const invites = status === undefined || showsReferral(session, status.info);
  const isHome = HOME_PATHS.includes(path) || HOME_POPUPS.includes(path);
  return (
    <TabBar
      label={t("shell.tabs")}
      items={[
        {
          key: "home",
          label: t("shell.tab_home"),
          icon: <HomeIcon size={22} aria-hidden="true" />,
          active: isHome,
          link: HomeTab,
        },
        {
          key: "games",
          label: t("shell.tab_games"),
          icon: <GamesIcon size={22} aria-hidden="true" />,
          active: GAME_PATHS.test(path),
          link: (props) => <Link to="/m/gameList" {...props} />,
        },
        {
          key: "deposit",
          label: t("cashier.deposit"),
          icon: (
            <span className={styles.coin}>
              <DepositIcon size={22} strokeWidth={2.5} aria-hidden="true" />
            </span>
          ),
          active: DEPOSIT_PATHS.includes(path),
          link: (props) => <GatedLink to="/m/voucherCenter" gate="unlessTrial" {...props} />,
        },
        invites
          ? {
              key: "invite",
              label: t("shell.tab_invite"),
              icon: <InviteIcon size={22} aria-hidden="true" />,
              active: path === "/m/inviteFriends",
              link: (props) => <GatedLink to="/m/inviteFriends" gate="session" {...props} />,
            }
          : {
              key: "records",
              label: t("shell.tab_records"),
              icon: <RecordIcon size={22} aria-hidden="true" />,
              active: RECORD_PATHS.includes(path),
              link: (props) => <GatedLink to="/m/gameRecord" gate="session" {...props} />,
            },
        {
          key: "me",
          label: t("shell.tab_me"),
          icon: <MemberIcon size={22} aria-hidden="true" />,
          badge: <CountBadge count={unread} label={t("notice.unread_count", { count: unread })} />,
          active: MEMBER_PATHS.includes(path),
          link: (props) => <GatedLink to="/m/member/home" gate="session" {...props} />,
        },
      ]}
    />
  );
}

/** Resets the category and returns to the top, also when home is open already. */
function HomeTab(props: LinkRenderProps) {
  return <Link to="/m/home" {...props} onClick={() => scrollTo({ top: 0, behavior: "instant" })} />;
}

/** A tap that the screen would refuse says why where the player is. */
function GatedLink({ to, gate, ...link }: LinkRenderProps & { to: GatedPath; gate: Gate }) {
  const refusal = useGate()({ to, gate });
  if (refusal === null) return <Link {...link} to={to} />;
  return (
    <Link
      {...link}
      to={to}
      preload={false}
      onClick={(event) => {
        event.preventDefault();
        refusal();
      }}
    />
  );
}
