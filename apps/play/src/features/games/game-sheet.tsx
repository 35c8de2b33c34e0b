import type { Game } from "@perya/contract/catalogue";
import { Badge } from "@perya/ui/badge";
import { Button } from "@perya/ui/button";
import { EmptyState } from "@perya/ui/empty-state";
import { currencySymbol } from "@perya/ui/money-text";
import { Sheet } from "@perya/ui/sheet";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useMutation, useQuery } from "@tanstack/react-query";
import { EmptyArt } from "../../parts/empty-art.tsx";
import { useFreeTrial } from "../../parts/free-trial.ts";
import { typeLabel } from "../../parts/game-types.ts";
import { noteOpened } from "../../parts/recent-games.ts";
import { faultText } from "../../shell/fault.ts";
import type { PopupDoor } from "../../shell/popup-host.tsx";
import { usePopups } from "../../shell/popups.ts";
import { QueryFailed } from "../../shell/screen-states.tsx";
import { api, queries } from "../../shell/server.ts";
import { isTrial, useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./game-sheet.module.css";

/** What a game is and the ways to play it: for free, logged in, or why not now. */
export default function GameSheet({ open, close, id }: PopupDoor) {
  const { t } = useText();
  const nodeId = Number(id);
  const game = useQuery({ ...queries.game(nodeId), enabled: Number.isInteger(nodeId) });
  return (
    <Sheet
      open={open}
      onOpenChange={close}
      title={game.data?.displayName ?? t("games.game")}
      closeLabel={t("shell.close")}
    >
      {game.data !== undefined && <Details game={game.data} />}
      {game.isPending && <ListSkeleton count={3} label={t("shell.loading")} />}
      {game.isError && (
        <QueryFailed
          error={game.error}
          onRetry={() => void game.refetch()}
          retrying={game.isFetching}
        />
      )}
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
        <img src={game.iconUrl} alt="" width={112} height={140} className={styles.art} />
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
    </>
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
        <EmptyState
          art={<EmptyArt scene="maintenance" />}
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
  const { data: status } = useQuery(queries.status());
  const launch = useMutation({
    mutationFn: () =>
      api.call("POST /api/v1/games/launch", {
        body: { nodeId: game.nodeId, ...(isTrial(session) ? { supportFreePlay: true } : {}) },
      }),
    onSuccess: ({ path }) => {
      noteOpened(game.nodeId);
      popups.leaveTo(path);
    },
  });
  const { startTrial, starting } = useFreeTrial();
  const path = game.houseGame === null ? null : `/m/play/${game.houseGame}`;
  const play = () => {
    if (path === null) return launch.mutate();
    noteOpened(game.nodeId);
    popups.leaveTo(path);
  };
  const next = path === null ? {} : { next: path };
  const canTry =
    status?.info.whitelabel.FREEPLAY3 === true &&
    (game.houseGame !== null || game.freeplay || game.supportPlay);

  if (session !== null) {
    return (
      <div className={styles.actions}>
        <p role="alert" className={styles.fault} hidden={!launch.isError}>
          {launch.isError && faultText(launch.error)}
        </p>
        <Button size="lg" block glow loading={launch.isPending} onClick={play}>
          {t("games.play")}
        </Button>
      </div>
    );
  }
  return (
    <div className={styles.actions}>
      {canTry && (
        <>
          <Button size="lg" block glow loading={starting} onClick={() => startTrial(play)}>
            {t("auth.trial")}
          </Button>
          <p className={styles.note}>{t("games.trial_note")}</p>
        </>
      )}
      <p role="alert" className={styles.fault} hidden={!launch.isError}>
        {launch.isError && faultText(launch.error)}
      </p>
      <div className={styles.pair}>
        <Button variant="secondary" onClick={() => popups.open("login", next)}>
          {t("auth.login")}
        </Button>
        <Button
          variant={canTry ? "secondary" : "primary"}
          onClick={() => popups.open("register", next)}
        >
          {t("auth.register")}
        </Button>
      </div>
    </div>
  );
}
