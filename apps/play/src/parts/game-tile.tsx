import type { Game } from "@perya/contract/catalogue";
import { TileGridSkeleton } from "@perya/ui/skeleton";
import { Link } from "@tanstack/react-router";
import { PopupLink } from "../shell/popup-link.tsx";
import { useSession } from "../shell/session.ts";
import { useText } from "../shell/text.ts";
import styles from "./game-tile.module.css";

/** Tiles that are in sight at once on a phone; the others load when they come near. */
const EAGER_TILES = 6;

/** Our own games open at once for whoever is logged in; what cannot, opens its sheet. */
export function GameTile({ game, eager = false }: { game: Game; eager?: boolean }) {
  const loggedIn = useSession(({ session }) => session !== null);
  const face = <TileFace game={game} eager={eager} />;
  if (loggedIn && game.houseGame !== null && game.status === "up") {
    return (
      <Link to="/m/play/$game" params={{ game: game.houseGame }} className={styles.tile}>
        {face}
      </Link>
    );
  }
  return (
    <PopupLink pop="game" more={{ id: String(game.nodeId) }} className={styles.tile}>
      {face}
    </PopupLink>
  );
}

function TileFace({ game, eager }: { game: Game; eager: boolean }) {
  const { t } = useText();
  return (
    <>
      <span className={styles.art}>
        <img
          src={game.iconUrl}
          alt=""
          width={240}
          height={300}
          loading={eager ? "eager" : "lazy"}
          decoding="async"
        />
        {game.isNew && <span className={styles.flag}>{t("games.new")}</span>}
      </span>
      <span className={styles.name}>{game.displayName}</span>
      <span className={styles.vendor}>{game.vendorName}</span>
    </>
  );
}

export function GameGrid({ games, label }: { games: readonly Game[]; label: string }) {
  return (
    <ul className={styles.grid} aria-label={label}>
      {games.map((game, index) => (
        <li key={game.nodeId}>
          <GameTile game={game} eager={index < EAGER_TILES} />
        </li>
      ))}
    </ul>
  );
}

/** One line of tiles that scrolls sideways. */
export function GameRow({ games, label }: { games: readonly Game[]; label: string }) {
  return (
    <ul className={styles.row} aria-label={label}>
      {games.map((game) => (
        <li key={game.nodeId}>
          <GameTile game={game} />
        </li>
      ))}
    </ul>
  );
}

/** Has the size of what it stands for: nine tiles, each with its two lines of text. */
export function GameGridSkeleton({ count = 9 }: { count?: number }) {
  const { t } = useText();
  return (
    <div className={styles.skeleton}>
      <TileGridSkeleton count={count} label={t("shell.loading")} />
    </div>
  );
}
