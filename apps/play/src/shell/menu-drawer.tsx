import type { Reply } from "@perya/client/api";
import { CountBadge } from "@perya/ui/badge";
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
  RecentIcon,
  RecordIcon,
  SettingsIcon,
  SignOutIcon,
  SpeedIcon,
  SupportIcon,
  TableGamesIcon,
  VersusIcon,
  VipIcon,
  WalletIcon,
} from "@perya/ui/icon";
import { SideDrawer } from "@perya/ui/sheet";
import { useQuery } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import { type GameType, pageOfType, typeLabel } from "../parts/game-types.ts";
import { useUnreadNotices } from "../parts/notices.ts";
import { useContactsOfTypes } from "../parts/service-links.ts";
import { useVendors } from "../parts/use-vendors.ts";
import { type Gate, isAgent, showsMissions, showsReferral, showsVip } from "./access.ts";
import { runsInBrowser } from "./install-prompt.ts";
import { languageName } from "./languages.ts";
import styles from "./menu-drawer.module.css";
import type { PopupDoor } from "./popup-host.tsx";
import { PopupLink } from "./popup-link.tsx";
import { type Popup, usePopups } from "./popups.ts";
import { queries } from "./server.ts";
import { useSession } from "./session.ts";
import { useText } from "./text.ts";
import { useGate } from "./use-gate.ts";

interface EntryProps {
  path: string;
  gate?: Gate;
  guests?: "popup" | "page";
  icon: ReactNode;
  children: ReactNode;
}

/** Of the brand's contacts those that the side menu leads to (games §2.5). */
const SERVICE_TYPES = ["MIDUOKE", "TELEGRAM"];

const ICON = { size: 20, "aria-hidden": "true" } as const;

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

/** The side menu: categories in the server's order, then what belongs to the player. */
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
          <Entry path="/m/hot-games" icon={<HotIcon size={20} aria-hidden="true" />}>
            {t("games.hot")}
          </Entry>
          {vendors?.content.map(({ gameCategory }) => {
            const Icon = TYPE_ICONS[gameCategory];
            const path = pageOfType(gameCategory);
            const query = gameCategory === "ESPORTS" ? "?gameType=ESPORTS" : "";
            return (
              <Entry
                key={gameCategory}
                path={path + query}
                icon={<Icon size={20} aria-hidden="true" />}
              >
                {t(typeLabel(gameCategory))}
              </Entry>
            );
          })}
          <Entry path="/m/fav-games" gate="session" icon={<FavouriteIcon {...ICON} />}>
            {t("games.favourites")}
          </Entry>
          <Entry path="/m/gameList?tab=recent" gate="session" icon={<RecentIcon {...ICON} />}>
            {t("games.recent")}
          </Entry>
        </ul>
        <hr className={styles.rule} />
        <ul className={styles.list}>{info !== undefined && <OwnEntries info={info} />}</ul>
        <hr className={styles.rule} />
        <ul className={styles.list}>
          <PopupEntry
            pop="language"
            icon={<LanguageIcon {...ICON} />}
            detail={languageName(language)}
          >
            {t("shell.language")}
          </PopupEntry>
          <PopupEntry pop="speed" icon={<SpeedIcon {...ICON} />}>
            {t("speed.title")}
          </PopupEntry>
          {runsInBrowser() && (
            <PopupEntry pop="download" icon={<InstallIcon {...ICON} />}>
              {t("app.title")}
            </PopupEntry>
          )}
          <ServiceEntries />
          <Entry path="/m/help?tag=faq" icon={<HelpIcon {...ICON} />}>
            {t("help.faq")}
          </Entry>
          <Entry path="/m/feedback" gate="session" guests="page" icon={<FeedbackIcon {...ICON} />}>
            {t("feedback.title")}
          </Entry>
          <Entry path="/m/fairness" icon={<FairnessIcon {...ICON} />}>
            {t("shell.fairness")}
          </Entry>
          <Entry path="/m/set" icon={<SettingsIcon {...ICON} />}>
            {t("member.settings")}
          </Entry>
        </ul>
      </nav>
    </SideDrawer>
  );
}

function UnreadNotices() {
  const { t } = useText();
  const count = useUnreadNotices();
  return <CountBadge count={count} label={t("notice.unread_count", { count })} />;
}

function UnreadAgentNotices() {
  const { t, language } = useText();
  const { data } = useQuery(queries.agentNotices(language));
  const count = data?.footer.unreadCount ?? 0;
  return <CountBadge count={count} label={t("notice.unread_count", { count })} />;
}

/** What the brand has switched on and this player may see (games §2.5, accounts §6). */
function OwnEntries({ info }: { info: Reply<"GET /api/v1/status">["info"] }) {
  const { t } = useText();
  const session = useSession((state) => state.session);
  const flags = info.whitelabel;
  return (
    <>
      {flags.TRANSBETREPMEM3 && (
        <Entry path="/m/gameRecord" gate="session" icon={<RecordIcon {...ICON} />}>
          {t("records.games")}
        </Entry>
      )}
      <Entry path="/m/activity" icon={<PromotionIcon {...ICON} />}>
        {t("activity.title")}
      </Entry>
      {flags.MANPLAYREB3 && (
        <Entry path="/m/member/manualRebate" gate="session" icon={<WalletIcon {...ICON} />}>
          {t("shell.rebate")}
        </Entry>
      )}
      {flags.REWCEN3 && (
        <Entry path="/m/rewardCenter" gate="session" icon={<PrizeIcon {...ICON} />}>
          {t("shell.rewards")}
        </Entry>
      )}
      {showsVip(session, info) && (
        <Entry path="/m/member/benefits" gate="session" icon={<VipIcon {...ICON} />}>
          {t("shell.vip")}
        </Entry>
      )}
      {showsReferral(session, info) && (
        <PopupEntry pop="referral" icon={<InviteIcon {...ICON} />}>
          {t("invite.title")}
        </PopupEntry>
      )}
      {showsMissions(info) && (
        <Entry path="/m/leaderBoard" gate="session" icon={<MissionIcon {...ICON} />}>
          {t("shell.missions")}
        </Entry>
      )}
      <Entry path="/m/notice" icon={<AnnouncementIcon {...ICON} />}>
        {t("home.announcements")} <UnreadNotices />
      </Entry>
      {isAgent(session) && (
        <Entry path="/m/member/notice?types=A" gate="session" icon={<AnnouncementIcon {...ICON} />}>
          {t("notice.agents")} <UnreadAgentNotices />
        </Entry>
      )}
      {flags.MAILCEN && (
        <Entry path="/m/messages" gate="unlessTrial" guests="page" icon={<InboxIcon {...ICON} />}>
          {t("shell.messages")}
        </Entry>
      )}
      {flags.CBS3 && (
        <Entry path="/m/chat" gate="unlessTrial" guests="page" icon={<ChatIcon {...ICON} />}>
          {t("shell.live_chat")}
        </Entry>
      )}
    </>
  );
}

/** The brand's people, by the services that the side menu names (games §2.5). */
function ServiceEntries() {
  return useContactsOfTypes(SERVICE_TYPES).map(({ title, url }) => (
    <li key={url}>
      <a className={styles.entry} href={url} target="_blank" rel="noopener noreferrer">
        <SupportIcon {...ICON} />
        <span>{title}</span>
        <ForwardIcon className={styles.chevron} size={16} aria-hidden="true" />
      </a>
    </li>
  ));
}

/** Another popup takes the drawer's place. */
function PopupEntry(props: { pop: Popup; icon: ReactNode; detail?: string; children: ReactNode }) {
  return (
    <li>
      <PopupLink pop={props.pop} className={styles.entry}>
        {props.icon}
        <span>{props.children}</span>
        {props.detail !== undefined && <em>{props.detail}</em>}
      </PopupLink>
    </li>
  );
}

/** Takes the drawer's place in the history, so that Back does not open it again. */
function Entry({ path, gate, guests = "popup", icon, children }: EntryProps) {
  const popups = usePopups();
  const gateOf = useGate();
  const refusal = gate === undefined ? null : gateOf({ to: path, gate, guests });
  return (
    <li>
      <a
        href={path}
        className={styles.entry}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          if (refusal === null) popups.leaveTo(path);
          else refusal();
        }}
      >
        {icon}
        <span>{children}</span>
        <ForwardIcon className={styles.chevron} size={16} aria-hidden="true" />
      </a>
    </li>
  );
}

function SignOutButton() {
  const { t } = useText();
  const popups = usePopups();
  return (
    <button
      type="button"
      className={buttonClass({ variant: "secondary", block: true })}
      onClick={() => popups.open("signout")}
    >
      <SignOutIcon size={18} aria-hidden="true" />
      {t("member.sign_out")}
    </button>
  );
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
