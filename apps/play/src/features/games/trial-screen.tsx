import { buttonClass } from "@perya/ui/button";
import { Link, useNavigate } from "@tanstack/react-router";
import { useFreeTrial } from "../../parts/games/free-trial.ts";
import { GameGrid } from "../../parts/games/game-tile.tsx";
import { useHotGames } from "../../parts/games/hot-games.ts";
import { Art } from "../../parts/pictures/art.tsx";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./ways-in.module.css";
import { WaysIn } from "./ways-in.tsx";

/** Free play: what it is, what can be tried, and the tap that starts it. */
export default function TrialScreen() {
  const { t } = useText();
  const loggedIn = useSession(({ session }) => session !== null);
  const navigate = useNavigate();
  // Here and not beside the button, which disappears once a session exists.
  const { startTrial, starting } = useFreeTrial({ module: false });
  const { data: hot } = useHotGames();
  const games = hot?.list.filter(({ houseGame }) => houseGame !== null) ?? [];
  return (
    <div className={styles.guest}>
      <Art src="/art/banner/welcome.svg" className={styles.banner} />
      <h2 className={styles.title}>{t("games.trial_title")}</h2>
      <p className={styles.text}>{t(loggedIn ? "games.trial_logged_in" : "games.trial_note")}</p>
      {loggedIn ? (
        <Link to="/m/gameList" className={buttonClass({ size: "lg", block: true })}>
          {t("games.all")}
        </Link>
      ) : (
        <WaysIn
          next="/m/home"
          starting={starting}
          onTry={() => startTrial(() => void navigate({ to: "/m/home" }))}
        />
      )}
      {games.length > 0 && (
        <div className={styles.games}>
          <GameGrid games={games} label={t("games.trial_games")} />
        </div>
      )}
    </div>
  );
}
