import { Progress } from "@perya/ui/progress";
import { useState } from "react";
import { GameGrid, GameGridSkeleton } from "../../parts/games/game-tile.tsx";
import { useHotGames } from "../../parts/games/hot-games.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { useText } from "../../shell/text.ts";
import { SearchBox } from "./search-box.tsx";
import styles from "./search-screen.module.css";

/** The brand's hot games, searched by name in the list that is already loaded. */
export default function HotScreen() {
  const { t, number } = useText();
  const [name, setName] = useState("");
  const hot = useHotGames();
  const all = hot.data?.list ?? [];
  const wanted = name.toLowerCase();
  const games = all.filter(({ displayName }) => displayName.toLowerCase().includes(wanted));
  return (
    <div className={styles.screen}>
      <SearchBox value={name} list="hot" onSearch={setName} />
      {hot.isPending && <GameGridSkeleton />}
      {hot.isError && hot.data === undefined && <QueryFailed query={hot} />}
      {hot.data !== undefined && games.length === 0 && (
        <EmptyScene title={t("games.none")} text={t("games.none_text")} />
      )}
      {games.length > 0 && (
        <>
          <GameGrid games={games} label={t("games.hot")} />
          <Progress
            label={t("games.shown")}
            fraction={games.length / all.length}
            valueText={t("games.count_of", {
              count: number(games.length),
              total: number(all.length),
            })}
          />
        </>
      )}
    </div>
  );
}
