import type { Reply } from "@perya/client/api";
import { OWN_KEY } from "@perya/client/own-key";
import { GAME_PAGE_SIZE } from "@perya/client/queries/catalogue";
import { ApiRefusal } from "@perya/client/refused";
import type { Game } from "@perya/contract/catalogue";
import { pageOfType } from "@perya/contract/game-lists";
import type { LaunchBody } from "@perya/contract/launch";
import { isLotteryVendor, type MappedVendor } from "@perya/contract/launch-terms";
import { Button, IconButton } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { BackIcon } from "@perya/ui/icon";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Navigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { launchBody, lobbyBody, openingGame, wayTo } from "../../parts/games/launch.ts";
import { noteOpened } from "../../parts/games/recent-games.ts";
import { useVendors } from "../../parts/games/use-vendors.ts";
import { AccountPill } from "../../parts/page/account-pill.tsx";
import { QueryFailed, ScreenLoading } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { useOwnTitle } from "../../shell/page-head.ts";
import { pathHere, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api, queries } from "../../shell/server.ts";
import { isTrial, useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { sayFreeReject } from "../../shell/use-gate.ts";
import styles from "./launch-screen.module.css";

type Launched = Reply<"POST /api/v1/games/launch">;

/** Starts a game and shows it: its vendor's page in a frame below our own bar. */
export default function LaunchScreen() {
  const { t } = useText();
  const { nodeId } = useParams({ from: "/m/launch/$nodeId" });
  const game = useQuery(screenQueries.game(nodeId));
  return (
    <Stage title={game.data?.displayName ?? t("games.game")}>
      {game.data !== undefined && <GameLaunch key={nodeId} game={game.data} />}
      {game.isPending && <ScreenLoading />}
      {game.isError && <QueryFailed query={game} />}
    </Stage>
  );
}

/**
 * Opens a vendor: a lottery's by its lobby, any other by the game that represents it.
 * @public The router loads it by its name.
 */
export function VendorLaunchScreen() {
  const { t } = useText();
  const { vassalage = "", gameType = "RNG" } = useSearch({ from: "/m/launch" });
  const vendors = useVendors();
  const mapping = vendors.data?.content.flatMap(({ vendorNames }) => vendorNames);
  const name = mapping?.find((one) => one.vassalage === vassalage)?.displayName;
  return (
    <Stage title={name ?? t("games.provider")}>
      {isLotteryVendor(vassalage) ? (
        <Launch
          key={vassalage}
          of={`${vassalage} ${gameType}`}
          name={name ?? vassalage}
          body={(known) => lobbyBody(vassalage, gameType, known)}
        />
      ) : (
        <OpeningGame key={vassalage} vassalage={vassalage} gameType={gameType} />
      )}
    </Stage>
  );
}

function OpeningGame({ vassalage, gameType }: Pick<Game, "vassalage" | "gameType">) {
  const { t, language } = useText();
  const filter = { gameType, vassalage, pageSize: GAME_PAGE_SIZE.home };
  const list = useInfiniteQuery(queries.games(language, filter));
  const games = list.data?.pages[0]?.games;
  if (games !== undefined) {
    const game = openingGame(games);
    // As from its own page, which launches the vendor's lobby or game.
    return game === undefined ? (
      <EmptyScene title={t("games.none")} />
    ) : (
      <Navigate to={wayTo(game, { pathname: pageOfType(game.gameType), vassalage })} replace />
    );
  }
  if (!list.isError) return <ScreenLoading />;
  return <QueryFailed query={list} />;
}

function Stage({ title, children }: { title: string; children: ReactNode }) {
  useOwnTitle(title);
  return (
    <div className={styles.screen}>
      <Bar title={title} />
      <div className={styles.stage}>{children}</div>
    </div>
  );
}
function Bar({ title }: { title: string }) {
  const { t } = useText();
  const router = useRouter();
  const back = () => {
    if (router.history.canGoBack()) router.history.back();
    else void router.navigate({ to: "/m/home", replace: true });
  };
  return (
    <header className={styles.bar}>
      <IconButton label={t("games.back")} onClick={back}>
        <BackIcon size={22} />
      </IconButton>
      <h1 className={styles.title}>{title}</h1>
      <AccountPill compact />
    </header>
  );
}

function GameLaunch({ game }: { game: Game }) {
  return (
    <Launch
      of={game.nodeId}
      name={game.displayName}
      body={(mapping) => launchBody(game, mapping)}
      onLaunched={() => noteOpened(game.nodeId)}
    />
  );
}

function Launch(props: {
  /** Tells one launch from another. */
  of: number | string;
  name: string;
  body: (mapping: readonly MappedVendor[]) => LaunchBody;
  onLaunched?: () => void;
}) {
  const { of, name, body, onLaunched } = props;
  const session = useSession((state) => state.session);
  const vendors = useVendors();
  const mapping = vendors.data?.content.flatMap(({ vendorNames }) => vendorNames);
  const launch = useQuery({
    queryKey: [OWN_KEY, "launch", of],
    queryFn: async ({ signal }) => {
      const launched = await api.call("POST /api/v1/games/launch", {
        body: body(mapping ?? []),
        signal,
      });
      onLaunched?.();
      return launched;
    },
    // Each visit is a launch of its own, and its token is valid once.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    enabled: session !== null && mapping !== undefined,
  });
  if (launch.data !== undefined) return <Place launched={launch.data} name={name} />;
  const failed = vendors.isError && mapping === undefined ? vendors : launch;
  if (!failed.isError) return <ScreenLoading />;
  return (
    <Refused error={failed.error}>
      <QueryFailed query={failed} />
    </Refused>
  );
}

function Place({ launched, name }: { launched: Launched; name: string }) {
  const [shown, setShown] = useState(false);
  const away = launched.opens === "vendor" && !mayFrame(launched.url);
  useEffect(() => {
    if (away) location.reload();
  }, [away]);
  if (launched.opens === "page") return <Navigate to={launched.path} replace />;
  if (away) return <ScreenLoading />;
  return (
    <>
      {!shown && <ScreenLoading />}
      <iframe
        title={name}
        src={launched.url}
        className={classNames(styles.frame, !shown && styles.coming)}
        sandbox={sandboxOf(launched.url)}
        allow="autoplay; fullscreen"
        referrerPolicy="no-referrer"
        onLoad={() => setShown(true)}
      />
    </>
  );
}

/**
 * Whether this document may frame the page. Its policy was fixed when it was loaded, and only the
 * address of this game allows its vendor's pages: a player who comes from elsewhere in the app must
 * load the document here.
 */
function mayFrame(url: string): boolean {
  if (new URL(url, location.href).origin === location.origin) return true;
  const [loaded] = performance.getEntriesByType("navigation");
  return loaded === undefined || new URL(loaded.name).pathname === location.pathname;
}

/** A page of this very host must not keep its origin, or it could share our storage. */
function sandboxOf(url: string): string {
  const ours = new URL(url, location.href).origin === location.origin;
  return ours ? "allow-scripts allow-forms" : "allow-scripts allow-forms allow-same-origin";
}

/** The reason why a game does not start where trying again is of no use; else the children. */
function Refused({ error, children }: { error: Error; children: ReactNode }) {
  const { t } = useText();
  const popups = usePopups();
  const session = useSession((state) => state.session);
  const code = error instanceof ApiRefusal ? error.problem.code : null;
  const isOfRealMoney = code === "real_account_needed";
  // Only the launch knows whether a game opens to this account, so the tap is answered here.
  useEffect(() => {
    if (isOfRealMoney) sayFreeReject();
  }, [isOfRealMoney]);
  if (code === "maintenance") {
    return (
      <EmptyScene
        scene="maintenance"
        title={t("games.maintenance")}
        text={t("games.maintenance_text")}
      />
    );
  }
  if (isOfRealMoney) {
    const register = (
      <Button onClick={() => popups.open("register", { next: pathHere() })}>
        {t("auth.register")}
      </Button>
    );
    return (
      <EmptyScene
        title={t("shell.real_account_title")}
        text={t("error.free_reject")}
        {...(isTrial(session) ? { action: register } : {})}
      />
    );
  }
  return children;
}
