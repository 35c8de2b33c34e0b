import { ChipRow } from "@perya/ui/chip-row";
import { Segmented } from "@perya/ui/segmented";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { LobbyBar } from "../../parts/page/lobby-bar.tsx";
import { useText } from "../../shell/text.ts";
import { BetsPage } from "./bets-page.tsx";
import { MatchesPage } from "./matches-page.tsx";
import { ResultsPage } from "./results-page.tsx";
import { SlipBar } from "./slip-sheet.tsx";
import styles from "./sports-screen.module.css";
import type { Sport, SportsPart } from "./sports-search.ts";
import { useBoard } from "./use-board.ts";

const SPORTS = ["football", "esports"] as const;
const PARTS = ["matches", "bets", "results"] as const;

/** Our own sports: matches with their odds, the slip, the player's bets, results with proofs. */
export default function SportsScreen() {
  const { t } = useText();
  const navigate = useNavigate();
  const { sport = "football", part = "matches" } = useSearch({ from: "/m/sportsLobby" });
  const board = useBoard();
  const title = t("type.SPORTS");
  const show = (next: { sport?: Sport; part?: SportsPart }) =>
    void navigate({
      to: "/m/sportsLobby",
      search: (old) => ({ ...old, ...next }),
      replace: true,
      resetScroll: true,
    });
  return (
    <div className={styles.screen} data-testid="sports">
      <LobbyBar title={title} />
      <div className={styles.body}>
        <Segmented
          label={t("sports.views")}
          value={part}
          onValueChange={(next) => show({ part: next })}
          choices={PARTS.map((value) => ({ value, label: t(`sports.${value}`) }))}
        />
        {part !== "bets" && (
          <ChipRow
            label={t("sports.choose")}
            value={sport}
            onValueChange={(next) => show({ sport: next })}
            choices={SPORTS.map((value) => ({ value, label: t(`sports.${value}`) }))}
          />
        )}
        {part === "matches" && <MatchesPage board={board} sport={sport} />}
        {part === "bets" && <BetsPage />}
        {part === "results" && <ResultsPage key={sport} sport={sport} />}
      </div>
      <SlipBar />
    </div>
  );
}
