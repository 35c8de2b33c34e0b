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
import { SideDrawer } from "@perya/ui/sheet";
import { useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { useContacts } from "../parts/brand/service-links.ts";
import { type GameType, typeLabel } from "../parts/games/game-types.ts";
import { useVendors } from "../parts/games/use-vendors.ts";
import { useInboxUnread } from "../parts/notices/notices.ts";
import { UnreadBadge } from "../parts/notices/unread-badge.tsx";
import { isAgent } from "../shell/access.ts";
import { runsInBrowser } from "../shell/install-prompt.ts";
import { languageName } from "../shell/languages.ts";
import entryStyles from "../shell/menu-entry.module.css";
import { ENTRY_ICON, MenuEntry, MenuPopupEntry, SignOutButton } from "../shell/menu-entry.tsx";
import { type PopupDoor, usePopups } from "../shell/popups.ts";
import { screenQueries } from "../shell/screen-queries.ts";
import { queries } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
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

type IconOf = ComponentType<{ size?: number; "aria-hidden"?: "true" }>;

const TYPE_ICONS: Readonly<Record<GameType, IconOf>> = {
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
export default function MenuDrawer({ open, close }: PopupDoor) {
  const { t, language } = useText();
  const loggedIn = useSession(({ session }) => session !== null);
  const { data: vendors } = useVendors();
  const { data: status } = useQuery(queries.status());
  const info = status?.info;
  return (
    <SideDrawer
      open={open}
      onOpenChange={close}
      title={t("shell.menu")}
      closeLabel={t("shell.close")}
      footer={loggedIn ? <SignOutButton /> : <GuestFooter />}
    >
      <nav aria-label={t("shell.menu")}>
        <ul className={styles.list}>
          <MenuEntry path="/m/hot-games" icon={<HotIcon {...ENTRY_ICON} />}>
            {t("games.hot")}
          </MenuEntry>
          {vendors?.content.map(({ gameCategory }) => {
            const Icon = TYPE_ICONS[gameCategory];
            const path = pageOfType(gameCategory);
            const query = gameCategory === "ESPORTS" ? "?gameType=ESPORTS" : "";
            return (
              <MenuEntry key={gameCategory} path={path + query} icon={<Icon {...ENTRY_ICON} />}>
                {t(typeLabel(gameCategory))}
              </MenuEntry>
            );
          })}
          <MenuEntry path="/m/fav-games" gate="session" icon={<FavouriteIcon {...ENTRY_ICON} />}>
            {t("games.favourites")}
          </MenuEntry>
          <MenuEntry
            path="/m/gameList?tab=recent"
            gate="session"
            icon={<RecentIcon {...ENTRY_ICON} />}
          >
            {t("games.recent")}
          </MenuEntry>
        </ul>
        <hr className={styles.rule} />
        <ul className={styles.list}>
          <MenuPopupEntry pop="providers" icon={<ProvidersIcon {...ENTRY_ICON} />}>
            {t("games.providers")}
          </MenuPopupEntry>
        </ul>
        <hr className={styles.rule} />
        <ul className={styles.list}>
          <OwnEntries />
        </ul>
        <hr className={styles.rule} />
        <ul className={styles.list}>
          <MenuPopupEntry
            pop="language"
            icon={<LanguageIcon {...ENTRY_ICON} />}
            detail={languageName(language)}
          >
            {t("shell.language")}
          </MenuPopupEntry>
          <MenuPopupEntry pop="speed" icon={<SpeedIcon {...ENTRY_ICON} />}>
            {t("speed.title")}
          </MenuPopupEntry>
          {runsInBrowser() && (
            <MenuPopupEntry pop="download" icon={<InstallIcon {...ENTRY_ICON} />}>
              {t("app.title")}
            </MenuPopupEntry>
          )}
          <ServiceEntries />
          {info?.resources.map(
            ({ resourceType }) =>
              isSocial(resourceType) && (
                <MenuPopupEntry
                  key={resourceType}
                  pop={SOCIAL[resourceType].pop}
                  icon={<ShareIcon {...ENTRY_ICON} />}
                >
                  {SOCIAL[resourceType].name}
                </MenuPopupEntry>
              ),
          )}
          <MenuEntry path="/m/help?tag=faq" icon={<HelpIcon {...ENTRY_ICON} />}>
            {t("help.faq")}
          </MenuEntry>
          <MenuEntry
            path="/m/feedback"
            gate="session"
            guests="page"
            icon={<FeedbackIcon {...ENTRY_ICON} />}
          >
            {t("feedback.title")}
          </MenuEntry>
          <MenuEntry path="/m/fairness" icon={<FairnessIcon {...ENTRY_ICON} />}>
            {t("shell.fairness")}
          </MenuEntry>
          <MenuEntry path="/m/set" icon={<SettingsIcon {...ENTRY_ICON} />}>
            {t("member.settings")}
          </MenuEntry>
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
      <MenuEntry path="/m/gameRecord" gate="session" icon={<RecordIcon {...ENTRY_ICON} />}>
        {t("records.games")}
      </MenuEntry>
      <MenuEntry path="/m/activity" icon={<PromotionIcon {...ENTRY_ICON} />}>
        {t("activity.title")}
      </MenuEntry>
      <MenuEntry path="/m/member/manualRebate" gate="session" icon={<WalletIcon {...ENTRY_ICON} />}>
        {t("shell.rebate")}
      </MenuEntry>
      <MenuEntry path="/m/rewardCenter" gate="session" icon={<PrizeIcon {...ENTRY_ICON} />}>
        {t("shell.rewards")}
      </MenuEntry>
      <MenuEntry path="/m/member/benefits" gate="session" icon={<VipIcon {...ENTRY_ICON} />}>
        {t("shell.vip")}
      </MenuEntry>
      {shows("/m/inviteFriends") && (
        <MenuPopupEntry pop="referral" icon={<InviteIcon {...ENTRY_ICON} />}>
          {t("invite.title")}
        </MenuPopupEntry>
      )}
      <MenuEntry path="/m/leaderBoard" gate="session" icon={<MissionIcon {...ENTRY_ICON} />}>
        {t("shell.missions")}
      </MenuEntry>
      <MenuEntry path="/m/notice" icon={<AnnouncementIcon {...ENTRY_ICON} />}>
        {t("home.announcements")} <UnreadNotices />
      </MenuEntry>
      {isAgent(session) && (
        <MenuPopupEntry pop="agent" icon={<TeamIcon {...ENTRY_ICON} />}>
          {t("screen.agent")}
        </MenuPopupEntry>
      )}
      {isAgent(session) && (
        <MenuEntry
          path="/m/member/notice?types=A"
          gate="session"
          icon={<AnnouncementIcon {...ENTRY_ICON} />}
        >
          {t("notice.agents")} <UnreadAgentNotices />
        </MenuEntry>
      )}
      <MenuEntry
        path="/m/messages"
        gate="unlessTrial"
        guests="page"
        icon={<InboxIcon {...ENTRY_ICON} />}
      >
        {t("shell.messages")}
      </MenuEntry>
      <MenuEntry
        path="/m/chat"
        gate="unlessTrial"
        guests="page"
        icon={<ChatIcon {...ENTRY_ICON} />}
      >
        {t("shell.live_chat")}
      </MenuEntry>
    </>
  );
}

/** The brand's contacts, by the services that the side menu names (games §2.5). */
function ServiceEntries() {
  return useContacts("menu", SERVICE_TYPES).map(({ title, url }) => (
    <li key={url}>
      <a className={entryStyles.entry} href={url} target="_blank" rel="noopener noreferrer">
        <SupportIcon {...ENTRY_ICON} />
        <span>{title}</span>
        <ForwardIcon className={entryStyles.chevron} size={16} aria-hidden="true" />
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
