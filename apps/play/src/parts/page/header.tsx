import { buttonClass, IconButton } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { BackIcon, MenuIcon, SearchIcon } from "@perya/ui/icon";
import { Link, useNavigate, useRouter } from "@tanstack/react-router";
import { useBrand } from "../../shell/page-head.ts";
import { usePopups } from "../../shell/popups.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { AccountPill } from "./account-pill.tsx";
import styles from "./header.module.css";

/** Menu, brand, search; visitors see Login and Register, players their name and balance. */
export function HomeHeader() {
  const { t } = useText();
  const popups = usePopups();
  const loggedIn = useSession(({ session }) => session !== null);
  const brand = useBrand();
  return (
    <header className={styles.bar}>
      <IconButton label={t("shell.menu")} onClick={() => popups.open("menu")}>
        <MenuIcon size={22} />
      </IconButton>
      <Link to="/m/home" className={styles.brand} aria-label={t("shell.home_link", { brand })}>
        <img src="/icons/mark.svg" alt="" width={36} height={36} />
        <span className={styles.name}>{brand}</span>
      </Link>
      <div className={styles.end}>
        <Link to="/m/search" className={styles.icon} aria-label={t("games.search")}>
          <SearchIcon size={22} />
        </Link>
        {loggedIn ? <AccountPill /> : <GuestButtons />}
      </div>
    </header>
  );
}

function GuestButtons() {
  const { t } = useText();
  const popups = usePopups();
  return (
    <>
      <button
        type="button"
        className={classNames(buttonClass({ variant: "secondary", size: "sm" }), styles.guest)}
        onClick={() => popups.open("login")}
      >
        {t("auth.login")}
      </button>
      <button
        type="button"
        className={classNames(buttonClass({ size: "sm" }), styles.guest)}
        onClick={() => popups.open("register")}
      >
        {t("auth.register")}
      </button>
    </>
  );
}

/** Every other screen: Back, the title, and the balance. */
export function PageHeader(props: { title: string | undefined; back: "/m/home" | undefined }) {
  const { t } = useText();
  const loggedIn = useSession(({ session }) => session !== null);
  const goBack = useGoBack(props.back);
  return (
    <header className={styles.bar}>
      <IconButton label={t("shell.back")} onClick={goBack}>
        <BackIcon size={22} />
      </IconButton>
      <h1 className={styles.title}>{props.title}</h1>
      <div className={styles.end}>{loggedIn && <AccountPill compact />}</div>
    </header>
  );
}

/** One page back; home where the screen says so or the history is empty. */
export function useGoBack(back: "/m/home" | undefined): () => void {
  const navigate = useNavigate();
  const router = useRouter();
  return () => {
    if (back === undefined && router.history.canGoBack()) router.history.back();
    else void navigate({ to: "/m/home", replace: back === undefined });
  };
}
