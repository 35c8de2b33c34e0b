import { classNames } from "@perya/ui/class-names";
import { toasterFailed, useToastsWanted } from "@perya/ui/notify";
import { TabBarSpacer } from "@perya/ui/tab-bar";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useMatches } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useSettledLanguage } from "../parts/browser/use-debounced.ts";
import { useLiveWallet } from "../parts/money/wallet.ts";
import { HomeHeader, PageHeader } from "../parts/page/header.tsx";
import { FeatureClosed } from "../parts/page/screen-states.tsx";
import { SessionGate } from "../parts/page/session-gate.tsx";
import { isLedToContracts, isOpenTo } from "../shell/access.ts";
import { lazyPart, Part } from "../shell/lazy-part.tsx";
import { OfflineBanner } from "../shell/offline-banner.tsx";
import { usePageHead } from "../shell/page-head.ts";
import { usePopups } from "../shell/popups.ts";
import { queries, queryClient } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import { useText } from "../shell/text.ts";
import { BottomTabs } from "./bottom-tabs.tsx";
import styles from "./frame.module.css";
import { PopupHost } from "./popup-host.tsx";
import { useScrollPlaces } from "./scroll-places.ts";
import { isSwipingBack, watchSwipes } from "./swipe-back.ts";

const ContractPrompts = lazyPart(() => import("../features/agent/contract-prompts.tsx"));
const DownloadBar = lazyPart(() => import("../features/app/download-bar.tsx"));
const ToasterHost = lazyPart(() => import("../shell/toaster-host.tsx"));

/** The frame of every screen: header, tabs, popups, toasts, the offline banner. */
export function Frame() {
  const { t } = useText();
  const toasts = useToastsWanted();
  const session = useSession((state) => state.session);
  const { title, back, ownHeader, gate, isHome, key, address, ...drawn } = useScreen();
  const { data: status } = useQuery(queries.status());
  useVendorsAndHotGames();
  // A closed feature has no header of its own either.
  const off = !isOpenTo(address, session, status?.info);
  const bare = drawn.bare && !off;
  const shown = title ?? (off ? "shell.unavailable" : undefined);
  const turn = usePlayersTurn();
  const screen = off ? <FeatureClosed /> : <Outlet key={turn} />;
  useLiveWallet();
  useLoginAfterLapse();
  useEffect(watchSwipes, []);
  useScrollPlaces(key);
  const fades = useFades(key);
  usePageHead(isHome ? "/m/home" : key, title);
  return (
    <>
      <div className={classNames("app-column", styles.column)}>
        <a className={styles.skip} href="#screen">
          {t("shell.skip")}
        </a>
        {!bare &&
          (!ownHeader || off) &&
          (isHome ? <HomeHeader /> : <PageHeader title={shown && t(shown)} back={back} />)}
        <OfflineBanner />
        {/* A new key replays the fade, which the very first page does without. */}
        <main
          key={key}
          id="screen"
          tabIndex={-1}
          className={classNames(styles.screen, fades && styles.fade)}
        >
          {gate === undefined ? screen : <SessionGate gate={gate}>{screen}</SessionGate>}
        </main>
        {!bare && <TabBarSpacer />}
        {isHome && (
          <Part>
            <DownloadBar />
            {isLedToContracts(session) && <ContractPrompts />}
          </Part>
        )}
        {!bare && <BottomTabs />}
        <PopupHost />
      </div>
      {toasts && (
        <Part onFault={toasterFailed}>
          <ToasterHost />
        </Part>
      )}
    </>
  );
}

/** The screen on show, which lags behind the address while the next one loads. */
function useScreen() {
  const matches = useMatches();
  const isHome = matches.some((match) => match.routeId === "/home");
  const { pathname = "", search = {}, staticData } = matches.at(-1) ?? {};
  const { title, back, bare, ownHeader, gate } = staticData ?? {};
  return {
    ...{ title, back, gate, isHome, key: isHome ? "home" : pathname },
    ...{ bare: bare === true, ownHeader: ownHeader === true },
    address: "types" in search ? `${pathname}?types=${search.types}` : pathname,
  };
}

/**
 * Vendors are read at the start on every screen; vendors and hot games are read again with each
 * change of the language, however fresh they are (specification, games §2.7, §2.8).
 */
function useVendorsAndHotGames(): void {
  const language = useSettledLanguage();
  const before = useRef(language);
  useQuery({ ...queries.vendors(language), notifyOnChangeProps: [] });
  useEffect(() => {
    if (before.current === language) return;
    before.current = language;
    void queryClient.prefetchQuery({ ...queries.vendors(language), staleTime: 0 });
    void queryClient.prefetchQuery({ ...queries.hot(language), staleTime: 0 });
  }, [language]);
}

/** A session that the server ended asks for a new log-in over the unchanged page. */
function useLoginAfterLapse(): void {
  const popups = usePopups();
  const lapsed = useSession((state) => state.lapsed);
  useEffect(() => {
    if (lapsed) popups.open("login");
  }, [lapsed, popups]);
}

/**
 * A new number once a player has left, so that nobody finds what another typed or was shown. A
 * lapsed session keeps the screen for its player, and a visitor keeps it in a log-in.
 */
function usePlayersTurn(): number {
  const { session, lapsed } = useSession();
  const player = session?.userName;
  const [held, setHeld] = useState({ player, turn: 0 });
  if (lapsed || player === held.player) return held.turn;
  const turn = held.player === undefined ? held.turn : held.turn + 1;
  setHeld({ player, turn });
  return turn;
}

/** Whether the page fades in: not the app's first one, and not one that a swipe brought back. */
function useFades(key: string): boolean {
  const [shown, setShown] = useState({ key, fades: false });
  if (shown.key === key) return shown.fades;
  const fades = !isSwipingBack();
  setShown({ key, fades });
  return fades;
}
