import { HOUSE_GAMES, houseGame } from "@perya/games/house-games";
import { Navigate, useParams } from "@tanstack/react-router";
import { type ComponentType, lazy, Suspense } from "react";
import styles from "../features/games/ways-in.module.css";
import { WaysIn } from "../features/games/ways-in.tsx";
import { useFreeTrial } from "../parts/games/free-trial.ts";
import { PageHeader } from "../parts/page/header.tsx";
import { ScreenLoading } from "../parts/page/screen-states.tsx";
import { Art } from "../parts/pictures/art.tsx";
import { EmptyScene } from "../parts/pictures/empty-art.tsx";
import { useSession } from "../shell/session.ts";
import { useText } from "../shell/text.ts";

type Game = (typeof HOUSE_GAMES)[number];

type Client = { readonly default: ComponentType };

/** The client of each game, in the folder that is named after the game's id. A build may have none. */
const FOUND = import.meta.glob<Client>("../games/*/client.tsx");
const load = (game: string) => FOUND[`../games/${game}/client.tsx`];
const CLIENTS = new Map(HOUSE_GAMES.map(({ id }) => [id, lazyOf(load(id))]));

function lazyOf(one: (() => Promise<Client>) | undefined) {
  return one === undefined ? null : lazy(one);
}

/** Begins to load a game's client. The screen asks for it again, and says so where it fails. */
export function begin(game: string): void {
  load(game)?.().catch(() => undefined);
}

export default function PlayScreen() {
  const { t } = useText();
  const { game: asked } = useParams({ from: "/m/play/$game" });
  const loggedIn = useSession(({ session, lapsed }) => session !== null || lapsed);
  const game = houseGame(asked);
  if (game === undefined) return <Navigate to="/m/home" replace />;
  if (!loggedIn) return <GuestScreen game={game} />;
  const Client = CLIENTS.get(game.id);
  if (Client == null) {
    return (
      <EmptyScene
        scene="maintenance"
        title={t("shell.unavailable")}
        text={t("shell.unavailable_text")}
        level={1}
      />
    );
  }
  return (
    <Suspense fallback={<Loading game={game} />}>
      <Client key={game.id} />
    </Suspense>
  );
}

function Loading({ game }: { game: Game }) {
  return (
    <ScreenLoading>
      <Art src={`/art/banner/${game.scene}.svg`} className={styles.banner} />
      <h1>{game.name}</h1>
    </ScreenLoading>
  );
}

/** A shared address: play for free at once, or log in first. */
function GuestScreen({ game }: { game: Game }) {
  const { t } = useText();
  const { startTrial, starting } = useFreeTrial();
  return (
    <>
      <PageHeader title={game.name} back="/m/home" />
      <div className={styles.guest}>
        <Art src={`/art/banner/${game.scene}.svg`} className={styles.banner} />
        <h2 className={styles.title}>{t("games.guest_title")}</h2>
        <p className={styles.text}>{t("games.guest_text")}</p>
        <WaysIn next={`/m/play/${game.id}`} starting={starting} onTry={() => startTrial()} />
      </div>
    </>
  );
}
