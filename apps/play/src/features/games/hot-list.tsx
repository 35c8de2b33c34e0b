import type { Game } from "@perya/contract/catalogue";
import { GameGrid, GameGridSkeleton } from "../../parts/games/game-tile.tsx";
import { useHotGames } from "../../parts/games/hot-games.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { useText } from "../../shell/text.ts";

/** The stored hot games, all or some of them, without a list call (games §2.7, §2.8). */
export function HotList({ only }: { only?: (game: Game) => boolean }) {
  const { t } = useText();
  const hot = useHotGames();
  if (hot.isError && hot.data === undefined) {
    return <QueryFailed query={hot} />;
  }
  if (hot.data === undefined) return <GameGridSkeleton />;
  const games = only === undefined ? hot.data.list : hot.data.list.filter(only);
  return games.length === 0 ? (
    <EmptyScene title={t("games.none")} />
  ) : (
    <GameGrid games={games} label={t("games.hot")} />
  );
}
