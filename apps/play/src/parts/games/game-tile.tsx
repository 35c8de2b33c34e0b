import type { Game } from "@perya/contract/catalogue";
import { classNames } from "@perya/ui/class-names";
import { FavouriteIcon } from "@perya/ui/icon";
import { TileGridSkeleton } from "@perya/ui/skeleton";
import { Link, useNavigate } from "@tanstack/react-router";
import { memo, type ReactNode, useState } from "react";
import { PopupLink } from "../../shell/popup-link.tsx";
import { pathHere } from "../../shell/popups.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { Art, DEFAULT_TILE } from "../pictures/art.tsx";
import { hasStar, useFavourite } from "./favourite.ts";
import styles from "./game-tile.module.css";
import { noteOpened } from "./recent-games.ts";

/** Looks of a tile's edge; each tile gets a random one and keeps it (games §2.8). */
const THEMES = 5;
const randomTheme = () => 1 + Math.floor(Math.random() * THEMES);
/** Tiles in sight at once on a phone; the others load when they come near. */
const EAGER_TILES = 6;

/** A game's picture and names, which open it, and the star that keeps it. */
export function GameTile({ game, eager = false }: { game: Game; eager?: boolean }) {
  return (
    <div className={styles.place}>
      <TileLink game={game}>
        <TileFace game={game} eager={eager} />
      </TileLink>
      {hasStar(game) && <Star game={game} />}
    </div>
  );
}

/** Our own games open at once for a logged-in player; a game that cannot opens its sheet. */
function TileLink({ game, children }: { game: Game; children: ReactNode }) {
  const loggedIn = useSession(({ session }) => session !== null);
  if (loggedIn && game.houseGame !== null && game.status === "up") {
    return (
      <Link
        to="/m/play/$game"
        params={{ game: game.houseGame }}
        className={styles.tile}
        onClick={() => noteOpened(game.nodeId)}
      >
        {children}
      </Link>
    );
  }
  return (
    <PopupLink pop="game" more={{ id: String(game.nodeId) }} className={styles.tile}>
      {children}
    </PopupLink>
  );
}

function Star({ game }: { game: Game }) {
  const { t } = useText();
  const navigate = useNavigate();
  const loggedIn = useSession(({ session }) => session !== null);
  const { kept, toggle } = useFavourite(game);
  const toLogin = () => void navigate({ to: "/m/login", search: { next: pathHere() } });
  return (
    <button
      type="button"
      className={classNames(styles.star, kept && styles.kept)}
      aria-pressed={kept}
      aria-label={t("games.keep", { game: game.displayName })}
      onClick={loggedIn ? toggle : toLogin}
    >
      <FavouriteIcon size={18} />
    </button>
  );
}

function TileFace({ game, eager }: { game: Game; eager: boolean }) {
  const { t } = useText();
  const [theme] = useState(randomTheme);
  return (
    <>
      <span className={styles.art} data-theme={theme}>
        <Art
          src={game.iconUrl}
          instead={DEFAULT_TILE}
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

export const GameGrid = memo(function GameGrid(props: { games: readonly Game[]; label: string }) {
  const { games, label } = props;
  return (
    <ul className={styles.grid} aria-label={label}>
      {games.map((game, index) => (
        <li key={game.nodeId}>
          <GameTile game={game} eager={index < EAGER_TILES} />
        </li>
      ))}
    </ul>
  );
});

/** As high as the games that it precedes: nine tiles, each with its two lines of text. */
export function GameGridSkeleton({ count = 9 }: { count?: number }) {
  const { t } = useText();
  return (
    <div className={styles.skeleton}>
      <TileGridSkeleton count={count} label={t("shell.loading")} />
    </div>
  );
}
