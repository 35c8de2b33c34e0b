import { type HOUSE_GAMES, type HouseGameId, houseGame } from "@perya/games/house-games";
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

type Screen = { readonly default: ComponentType<{ game: HouseGameId }> };

/** The game clients load from here; a build without them says so. */
const [load] = Object.values(import.meta.glob<Screen>("../games/game-screen.tsx"));
const GameScreen = load === undefined ? null : lazy(load);

export default function PlayScreen() {
  const { t } = useText();
  const { game: asked } = useParams({ from: "/m/play/$game" });
  const loggedIn = useSession(({ session, lapsed }) => session !== null || lapsed);
  const game = houseGame(asked);
  if (game === undefined) return <Navigate to="/m/home" replace />;
  if (!loggedIn) return <GuestScreen game={game} />;
  if (GameScreen === null) {
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
    <Suspense fallback={<ScreenLoading />}>
      <GameScreen key={game.id} game={game.id} />
    </Suspense>
  );
}

/** A shared address: play for free at once, or log in first. */
function GuestScreen({ game }: { game: (typeof HOUSE_GAMES)[number] }) {
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
