import type { HouseGame } from "@perya/contract/catalogue";
import { Button } from "@perya/ui/button";
import { EmptyState } from "@perya/ui/empty-state";
import { Navigate, useParams } from "@tanstack/react-router";
import { type ComponentType, lazy, Suspense } from "react";
import { EmptyArt } from "../../parts/empty-art.tsx";
import { useFreeTrial } from "../../parts/free-trial.ts";
import { usePopups } from "../../shell/popups.ts";
import { ScreenLoading } from "../../shell/screen-states.tsx";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";

type Screen = { readonly default: ComponentType<{ game: HouseGame }> };

/** The game clients are a door of their own; a build without them says so. */
const [load] = Object.values(import.meta.glob<Screen>("../../games/game-screen.tsx"));
const GameScreen = load === undefined ? null : lazy(load);

/** The keys are the closed list of the contract. */
const GAMES: Readonly<Record<HouseGame, true>> = {
  "parol-fortune": true,
  "color-game": true,
  saranggola: true,
};

export default function PlayDoor() {
  const { t } = useText();
  const { game } = useParams({ from: "/m/play/$game" });
  const loggedIn = useSession(({ session, lapsed }) => session !== null || lapsed);
  if (!isHouseGame(game)) return <Navigate to="/m/home" replace />;
  if (!loggedIn) return <GuestDoor game={game} />;
  if (GameScreen === null) {
    return (
      <EmptyState
        art={<EmptyArt scene="maintenance" />}
        title={t("shell.unavailable")}
        text={t("shell.unavailable_text")}
        level={1}
      />
    );
  }
  return (
    <Suspense fallback={<ScreenLoading />}>
      <GameScreen key={game} game={game} />
    </Suspense>
  );
}

/** An address that was shared: play for free at once, or log in first. */
function GuestDoor({ game }: { game: HouseGame }) {
  const { t } = useText();
  const popups = usePopups();
  const { startTrial, starting } = useFreeTrial();
  const next = `/m/play/${game}`;
  return (
    <EmptyState
      art={<EmptyArt scene="no-data" />}
      title={t("games.guest_title")}
      text={t("games.guest_text")}
      level={1}
      action={
        <>
          <Button glow loading={starting} onClick={() => startTrial()}>
            {t("auth.trial")}
          </Button>{" "}
          <Button variant="secondary" onClick={() => popups.open("login", { next })}>
            {t("auth.login")}
          </Button>
        </>
      }
    />
  );
}

function isHouseGame(name: string): name is HouseGame {
  return Object.hasOwn(GAMES, name);
}
