import { pageOfType } from "@perya/contract/game-lists";
import { buttonClass } from "@perya/ui/button";
import {
  AnnouncementIcon,
  CardsIcon,
  ChatIcon,
  FairnessIcon,
  FavouriteIcon,
  FeedbackIcon,
  FishingIcon,
  ForwardIcon,
  GamesIcon,
  HelpIcon,
  HotIcon,
  type Icon,
  InboxIcon,
  InstallIcon,
  InviteIcon,
  LanguageIcon,
  LotteryIcon,
  MissionIcon,
  PrizeIcon,
  PromotionIcon,
  ProvidersIcon,
  RecentIcon,
  RecordIcon,
  SettingsIcon,
  ShareIcon,
  SpeedIcon,
  SupportIcon,
  TableGamesIcon,
  TeamIcon,
  VersusIcon,
  VipIcon,
  WalletIcon,
} from "@perya/ui/icon";
import { useQuery } from "@tanstack/react-query";
import { useContacts } from "../parts/brand/service-links.ts";
import { type GameType, typeLabel } from "../parts/games/game-types.ts";
import { useVendors } from "../parts/games/use-vendors.ts";
import { useInboxUnread } from "../parts/notices/notices.ts";
import { UnreadBadge } from "../parts/notices/unread-badge.tsx";
import { isAgent } from "../shell/access.ts";
import { runsInBrowser } from "../shell/install-prompt.ts";
import { languageName } from "../shell/languages.ts";
import entryStyles from "../shell/menu-entry.module.css";
import { MenuEntry, MenuPopupEntry, SignOutButton } from "../shell/menu-entry.tsx";
import { type PopupProps, usePopups } from "../shell/popups.ts";
import { screenQueries } from "../shell/screen-queries.ts";
import { queries } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import { SideDrawer } from "../shell/sheet.tsx";
import { useText } from "../shell/text.ts";
import { useShows } from "../shell/use-shows.ts";
import styles from "./menu-drawer.module.css";

/** The brand's contacts to which the side menu links (games §2.5). */
const SERVICE_TYPES = ["MIDUOKE", "TELEGRAM"];

/** Networks with a popup of their own; their names are the same in every language. */
const SOCIAL = {
  FACEBOOK: { pop: "facebook", name: "Facebook" },
  TELEGRAM: { pop: "telegram", name: "Telegram" },
} as const;

function isSocial(resourceType: string): resourceType is keyof typeof SOCIAL {
  return Object.hasOwn(SOCIAL, resourceType);
}

const TYPE_ICONS: Readonly<Record<GameType, Icon>> = {
  RNG: GamesIcon,
  LIVE: TableGamesIcon,
  PVP: CardsIcon,
  FISH: FishingIcon,
  SPORTS: PrizeIcon,
  ESPORTS: VersusIcon,
  COCKFIGHT: VersusIcon,
  LOTT: LotteryIcon,
  ELOTT: LotteryIcon,
};

/** The side menu: categories in the server's order, then the player's own entries. */
export default function MenuDrawer({ open, close }: PopupProps) {
  const { t, language } = useText();
  const loggedIn = useSession(({ session }) => session !== null);
  const { data: vendors } = useVendors();
  const { data: status } = useQuery(queries.status());
  const info = status?.info;
  return (
    <SideDrawer
      open={open}
      close={close}
      title={t("shell.menu")}
      footer={loggedIn ? <SignOutButton /> : <GuestFooter />}
    >
      <nav aria-label={t("shell.menu")}>
        <ul className={styles.list}>
          <MenuEntry path="/m/hot-games" Icon={HotIcon} text="games.hot" />
          {vendors?.content.map(({ gameCategory }) => {
            const Icon = TYPE_ICONS[gameCategory];
            const path = pageOfType(gameCategory);
            const query = gameCategory === "ESPORTS" ? "?gameType=ESPORTS" : "";
            return (
              <MenuEntry
                key={gameCategory}
                path={path + query}
                Icon={Icon}
                text={typeLabel(gameCategory)}
              />
            );
          })}
          <MenuEntry
            path="/m/fav-games"
            gate="session"
            Icon={FavouriteIcon}
            text="games.favourites"
          />
          <MenuEntry
            path="/m/gameList?tab=recent"
            gate="session"
            Icon={RecentIcon}
            text="games.recent"
          />
        </ul>
        <hr className={styles.rule} />
        <ul className={styles.list}>
          <MenuPopupEntry pop="providers" Icon={ProvidersIcon} name={t("games.providers")} />
        </ul>
        <hr className={styles.rule} />
        <ul className={styles.list}>
          <OwnEntries />
        </ul>
        <hr className={styles.rule} />
        <ul className={styles.list}>
          <MenuPopupEntry
            pop="language"
            Icon={LanguageIcon}
            detail={languageName(language)}
            name={t("shell.language")}
          />
          <MenuPopupEntry pop="speed" Icon={SpeedIcon} name={t("speed.title")} />
          {runsInBrowser() && (
            <MenuPopupEntry pop="download" Icon={InstallIcon} name={t("app.title")} />
          )}
          <ServiceEntries />
          {info?.resources.map(
            ({ resourceType }) =>
              isSocial(resourceType) && (
                <MenuPopupEntry
                  key={resourceType}
                  pop={SOCIAL[resourceType].pop}
                  Icon={ShareIcon}
                  name={SOCIAL[resourceType].name}
                />
              ),
          )}
          <MenuEntry path="/m/help?tag=faq" Icon={HelpIcon} text="help.faq" />
          <MenuEntry
            path="/m/feedback"
            gate="session"
            guests="page"
            Icon={FeedbackIcon}
            text="feedback.title"
          />
          <MenuEntry path="/m/fairness" Icon={FairnessIcon} text="shell.fairness" />
          <MenuEntry path="/m/set" Icon={SettingsIcon} text="member.settings" />
        </ul>
      </nav>
    </SideDrawer>
  );
}

function UnreadNotices() {
  return <UnreadBadge count={useInboxUnread()} />;
}

function UnreadAgentNotices() {
  const { language } = useText();
  const { data } = useQuery(screenQueries.agentNotices(language));
  return <UnreadBadge count={data?.footer.unreadCount ?? 0} />;
}

/** The entries that the brand has on and this player may see (games §2.5, accounts §6). */
function OwnEntries() {
  const { t } = useText();
  const session = useSession((state) => state.session);
  const shows = useShows();
  return (
    <>
      <MenuEntry path="/m/gameRecord" gate="session" Icon={RecordIcon} text="records.games" />
      <MenuEntry path="/m/activity" Icon={PromotionIcon} text="activity.title" />
      <MenuEntry
        path="/m/member/manualRebate"
        gate="session"
        Icon={WalletIcon}
        text="shell.rebate"
      />
      <MenuEntry path="/m/rewardCenter" gate="session" Icon={PrizeIcon} text="shell.rewards" />
      <MenuEntry path="/m/member/benefits" gate="session" Icon={VipIcon} text="shell.vip" />
      {shows("/m/inviteFriends") && (
        <MenuPopupEntry pop="referral" Icon={InviteIcon} name={t("invite.title")} />
      )}
      <MenuEntry path="/m/leaderBoard" gate="session" Icon={MissionIcon} text="shell.missions" />
      <MenuEntry path="/m/notice" Icon={AnnouncementIcon} text="home.announcements">
        <UnreadNotices />
      </MenuEntry>
      {isAgent(session) && <MenuPopupEntry pop="agent" Icon={TeamIcon} name={t("screen.agent")} />}
      {isAgent(session) && (
        <MenuEntry
          path="/m/member/notice?types=A"
          gate="session"
          Icon={AnnouncementIcon}
          text="notice.agents"
        >
          <UnreadAgentNotices />
        </MenuEntry>
      )}
      <MenuEntry
        path="/m/messages"
        gate="unlessTrial"
        guests="page"
        Icon={InboxIcon}
        text="shell.messages"
      />
      <MenuEntry
        path="/m/chat"
        gate="unlessTrial"
        guests="page"
        Icon={ChatIcon}
        text="shell.live_chat"
      />
    </>
  );
}

/** The brand's contacts, by the services that the side menu names (games §2.5). */
function ServiceEntries() {
  return useContacts("menu", SERVICE_TYPES).map(({ title, url }) => (
    <li key={url}>
      <a className={entryStyles.entry} href={url} target="_blank" rel="noopener noreferrer">
        <SupportIcon size={20} />
        <span>{title}</span>
        <ForwardIcon className={entryStyles.chevron} size={16} />
      </a>
    </li>
  ));
}

function GuestFooter() {
  const { t } = useText();
  const popups = usePopups();
  return (
    <>
      <button
        type="button"
        className={buttonClass({ variant: "secondary" })}
        onClick={() => popups.open("login")}
      >
        {t("auth.login")}
      </button>
      <button type="button" className={buttonClass()} onClick={() => popups.open("register")}>
        {t("auth.register")}
      </button>
    </>
  );
}
