import { classNames } from "@perya/ui/class-names";
import { TabBarSpacer } from "@perya/ui/tab-bar";
import { Outlet, useMatches } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { isLedToContracts } from "./access.ts";
import { BottomTabs } from "./bottom-tabs.tsx";
import styles from "./frame.module.css";
import { HomeHeader, PageHeader } from "./header.tsx";
import { useToastsWanted } from "./notify.ts";
import { OfflineBanner } from "./offline-banner.tsx";
import { usePageHead } from "./page-head.ts";
import { PopupHost } from "./popup-host.tsx";
import { usePopups } from "./popups.ts";
import { useScrollPlaces } from "./scroll-places.ts";
import { useSession } from "./session.ts";
import { SessionGate } from "./session-gate.tsx";
import { isSwipingBack, watchSwipes } from "./swipe-back.ts";
import { useText } from "./text.ts";
import { useLiveWallet } from "./wallet.ts";

// Without its code home goes on without a prompt, which the next visit has.
const ContractPrompts = lazy(() =>
  import("../features/agent/contract-prompts.tsx").catch(() => ({ default: () => null })),
);
const DownloadBar = lazy(() => import("../features/app/download-bar.tsx"));
const ToasterHost = lazy(() => import("./toaster-host.tsx"));

/** What stands around every screen: header, tabs, popups, toasts, the offline banner. */
export function Frame() {
  const { t } = useText();
  const toasts = useToastsWanted();
  const ledToContracts = useSession(({ session }) => isLedToContracts(session));
  const { title, back, bare, ownHeader, gate, isHome, key } = useScreen();
  useLiveWallet();
  useLoginAfterLapse();
  useEffect(watchSwipes, []);
  useScrollPlaces(key);
  const changed = useChanged(key);
  usePageHead(isHome ? "/m/home" : key, title);
  return (
    <>
      <div className={classNames("app-column", styles.column)}>
        <a className={styles.skip} href="#screen">
          {t("shell.skip")}
        </a>
        {!bare &&
          !ownHeader &&
          (isHome ? <HomeHeader /> : <PageHeader title={title} back={back} />)}
        <OfflineBanner />
        {/* A new key replays the fade, which the very first page does without. */}
        <main
          key={key}
          id="screen"
          tabIndex={-1}
          className={classNames(styles.screen, changed && !isSwipingBack() && styles.fade)}
        >
          {gate === undefined ? (
            <Outlet />
          ) : (
            <SessionGate gate={gate}>
              <Outlet />
            </SessionGate>
          )}
        </main>
        {!bare && <TabBarSpacer />}
        {isHome && (
          <Suspense>
            <DownloadBar />
            {ledToContracts && <ContractPrompts />}
          </Suspense>
        )}
        {!bare && <BottomTabs />}
        <PopupHost />
      </div>
      {toasts && (
        <Suspense>
          <ToasterHost />
        </Suspense>
      )}
    </>
  );
}

/** What is shown, which the address is ahead of while a screen is on its way. */
function useScreen() {
  const matches = useMatches();
  const isHome = matches.some((match) => match.routeId === "/home");
  const { pathname = "", staticData } = matches.at(-1) ?? {};
  const { title, back, bare, ownHeader, gate } = staticData ?? {};
  return {
    ...{ title, back, gate, isHome, key: isHome ? "home" : pathname },
    ...{ bare: bare === true, ownHeader: ownHeader === true },
  };
}

/** A session that the server ended asks for a new log-in over the page as it is. */
function useLoginAfterLapse(): void {
  const popups = usePopups();
  const lapsed = useSession((state) => state.lapsed);
  useEffect(() => {
    if (lapsed) popups.open("login");
  }, [lapsed, popups]);
}

/** Whether the page has changed since the app started. */
function useChanged(key: string): boolean {
  const [first] = useState(key);
  const [changed, setChanged] = useState(false);
  if (!changed && key !== first) setChanged(true);
  return changed || key !== first;
}
