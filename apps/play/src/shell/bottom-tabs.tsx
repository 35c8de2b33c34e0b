import { DepositIcon, GamesIcon, HomeIcon, MemberIcon, RecordIcon } from "@perya/ui/icon";
import type { LinkRenderProps } from "@perya/ui/render-link";
import { TabBar } from "@perya/ui/tab-bar";
import { Link, useLocation } from "@tanstack/react-router";
import styles from "./bottom-tabs.module.css";
import { notify } from "./notify.ts";
import { PopupLink } from "./popup-link.tsx";
import { isTrial, useSession } from "./session.ts";
import { useText } from "./text.ts";
import { TOAST_MS } from "./toast-times.ts";

const HOME_PATHS = ["/", "/m", "/m/", "/m/index", "/m/index.html", "/m/home"];
const HOME_POPUPS = ["/m/login", "/m/register", "/m/register.html"];
const GAME_PATHS = /^\/m\/(gameList|provider|search|[a-z]+-games|lott|elott|cockfight)$/;
const RECORD_PATHS = ["/m/gameRecord", "/m/transaction/record"];
const DEPOSIT_PATHS = ["/m/voucherCenter", "/m/withdraw"];
const MEMBER_PATHS = ["/m/member/home", "/m/mine", "/m/set"];

type GatedPath = "/m/voucherCenter" | "/m/gameRecord" | "/m/member/home";

export function BottomTabs() {
  const { t } = useText();
  const path = useLocation({ select: (location) => location.pathname });
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
          link: (props) => <GatedLink to="/m/voucherCenter" realAccount {...props} />,
        },
        {
          key: "records",
          label: t("shell.tab_records"),
          icon: <RecordIcon size={22} aria-hidden="true" />,
          active: RECORD_PATHS.includes(path),
          link: (props) => <GatedLink to="/m/gameRecord" {...props} />,
        },
        {
          key: "me",
          label: t("shell.tab_me"),
          icon: <MemberIcon size={22} aria-hidden="true" />,
          active: MEMBER_PATHS.includes(path),
          link: (props) => <GatedLink to="/m/member/home" {...props} />,
        },
      ]}
    />
  );
}

/** Resets the category and returns to the top, also when home is open already. */
function HomeTab(props: LinkRenderProps) {
  return <Link to="/m/home" {...props} onClick={() => scrollTo({ top: 0, behavior: "instant" })} />;
}

/** Guests get the log-in popup over the page they are on; trial players a short "no". */
function GatedLink(props: LinkRenderProps & { to: GatedPath; realAccount?: boolean }) {
  const { to, realAccount = false, ...link } = props;
  const { t } = useText();
  const session = useSession((state) => state.session);
  if (session === null) {
    return <PopupLink {...link} pop="login" more={{ next: to }} />;
  }
  if (realAccount && isTrial(session)) {
    return (
      <Link
        {...link}
        to={to}
        onClick={(event) => {
          event.preventDefault();
          notify.info(t("error.free_reject"), TOAST_MS.freeReject);
        }}
      />
    );
  }
  return <Link {...link} to={to} />;
}
