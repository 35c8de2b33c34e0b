import type { Game } from "@perya/contract/catalogue";
import { dragScroll } from "@perya/ui/drag-scroll";
import { useId } from "react";
import { GameTile } from "./game-tile.tsx";
import styles from "./vendor-game-list.module.css";

/** Above this number the end of the line shows that it goes on (specification, games §9). */
const MANY = 6;

export interface VendorGameListProps {
  readonly games: readonly Game[];
  /** Shown above the games; without it `label` names them for screen readers. */
  readonly title?: string;
  readonly label?: string;
}

/** A line of games that scrolls sideways; absent where it has none (games §2.8). */
export function VendorGameList({ games, title, label }: VendorGameListProps) {
  const id = useId();
  if (games.length === 0) return null;
  const named = title === undefined ? { "aria-label": label } : { "aria-labelledby": id };
  return (
    <>
      {title !== undefined && (
        <h3 id={id} className={styles.title}>
          {title}
        </h3>
      )}
      <ul
        ref={dragScroll}
        className={styles.row}
        data-many={games.length > MANY ? "" : undefined}
        {...named}
      >
        {games.map((game) => (
          <li key={game.nodeId}>
            <GameTile game={game} />
          </li>
        ))}
      </ul>
    </>
  );
}
