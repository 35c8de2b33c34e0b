import { GAME_PAGE_SIZE } from "@perya/client/queries/catalogue";
import type { Game } from "@perya/contract/catalogue";
import { isFreeToTry } from "@perya/contract/launch-terms";
import { Badge } from "@perya/ui/badge";
import { Button } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { currencySymbol } from "@perya/ui/money-text";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useFreeTrial } from "../../parts/games/free-trial.ts";
import { typeLabel } from "../../parts/games/game-types.ts";
import { leadsToVendor, wayTo } from "../../parts/games/launch.ts";
import { noteOpened } from "../../parts/games/recent-games.ts";
import { VendorGameList } from "../../parts/games/vendor-game-list.tsx";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { Art, DEFAULT_TILE } from "../../parts/pictures/art.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { refusalAt } from "../../shell/access.ts";
import { type PopupProps, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queries } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { sayFreeReject } from "../../shell/use-gate.ts";
import { useShows } from "../../shell/use-shows.ts";
import styles from "./game-sheet.module.css";

/** A game and the ways to play it: for free, logged in, or why not now. */
export default function GameSheet({ open, close, id }: PopupProps) {
  const { t } = useText();
  const nodeId = Number(id);
  const game = useQuery({ ...screenQueries.game(nodeId), enabled: Number.isInteger(nodeId) });
  return (
    <Sheet open={open} close={close} title={game.data?.displayName ?? t("games.game")}>
      {game.data !== undefined && <Details game={game.data} />}
      {!game.isSuccess && <Unloaded query={game} rows={3} />}
    </Sheet>
  );
}

function Details({ game }: { game: Game }) {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  const symbol = status === undefined ? "" : currencySymbol(status.info);
  return (
    <>
      <div className={styles.top}>
        <Art
          src={game.iconUrl}
          instead={DEFAULT_TILE}
          width={112}
          height={140}
          className={styles.art}
        />
        <div className={styles.about}>
          <dl className={styles.facts}>
            <Fact name={t("games.provider")} value={game.vendorName} />
            <Fact name={t("games.type")} value={t(typeLabel(game.gameType))} />
            {game.rtp !== null && <Fact name={t("games.rtp")} value={`${game.rtp}%`} />}
            <Fact name={t("games.min_bet")} value={symbol + game.minBet} />
          </dl>
          <div className={styles.badges}>
            {game.isNew && <Badge tone="gold">{t("games.new")}</Badge>}
            {game.houseGame !== null && <Badge tone="info">{t("games.provably_fair")}</Badge>}
            {game.status === "up" && (game.freeplay || game.supportPlay) && (
              <Badge tone="good">{t("games.free_play")}</Badge>
            )}
          </div>
        </div>
      </div>
      <Actions game={game} />
      <MoreOfVendor game={game} />
    </>
  );
}

/** Other games of its vendor; nothing where it is the only one, or where they do not load. */
function MoreOfVendor({ game }: { game: Game }) {
  const { t, language } = useText();
  const { vassalage, gameType, vendorName, nodeId } = game;
  const filter = { gameType, vassalage, pageSize: GAME_PAGE_SIZE.home };
  const { data, isPending } = useInfiniteQuery(queries.games(language, filter));
  const others = data?.pages[0]?.games.filter((one) => one.nodeId !== nodeId) ?? [];
  return (
    <div className={classNames(styles.others, isPending && styles.coming)}>
      <VendorGameList games={others} title={t("games.more_of", { vendor: vendorName })} />
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Actions({ game }: { game: Game }) {
  const { t } = useText();
  if (game.status === "maintenance") {
    return (
      <div className={styles.closed}>
        <EmptyScene
          scene="maintenance"
          title={t("games.maintenance")}
          text={t("games.maintenance_text")}
          level={3}
        />
      </div>
    );
  }
  return <WaysToPlay game={game} />;
}

function WaysToPlay({ game }: { game: Game }) {
  const { t } = useText();
  const popups = usePopups();
  const session = useSession((state) => state.session);
  const shows = useShows();
  const { startTrial, starting } = useFreeTrial();
  const { pathname, search } = useLocation();
  // The list centre's validator has parsed it, if it is there.
  const { vassalage } = search as { readonly vassalage?: string };
  const here = { pathname, vassalage };
  const way = wayTo(game, here);
  const go = () => {
    if (game.houseGame !== null) noteOpened(game.nodeId);
    popups.leaveTo(way);
  };

  if (session !== null) {
    const free = isFreeToTry(game) || refusalAt("real", session) === null;
    const toVendor = leadsToVendor(game, here);
    return (
      <div className={styles.actions}>
        <Button size="lg" block glow onClick={free || toVendor ? go : sayFreeReject}>
          {toVendor ? t("games.to_vendor", { vendor: game.vendorName }) : t("games.play")}
        </Button>
      </div>
    );
  }
  const canTry = shows("/m/trail") && isFreeToTry(game);
  return (
    <div className={styles.actions}>
      {canTry && (
        <>
          <Button size="lg" block glow loading={starting} onClick={() => startTrial(go)}>
            {t("auth.trial")}
          </Button>
          <p className={styles.note}>{t("games.trial_note")}</p>
        </>
      )}
      <div className={styles.pair}>
        {/* A launch without a session is a page of its own to log in on (games §4). */}
        <Button
          variant="secondary"
          onClick={() => popups.leaveTo(`/m/login?${new URLSearchParams({ next: way })}`)}
        >
          {t("auth.login")}
        </Button>
        <Button
          variant={canTry ? "secondary" : "primary"}
          onClick={() => popups.open("register", { next: way })}
        >
          {t("auth.register")}
        </Button>
      </div>
    </div>
  );
}
