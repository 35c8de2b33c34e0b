import { ChipRow } from "@perya/ui/chip-row";
import { MoneyText } from "@perya/ui/money-text";
import { PageTitleBar } from "@perya/ui/page-title-bar";
import { Segmented } from "@perya/ui/segmented";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWallet } from "../../parts/money/wallet.ts";
import { useGoBack } from "../../parts/page/header.tsx";
import { useOwnTitle } from "../../shell/page-head.ts";
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
  const goBack = useGoBack(undefined);
  const { sport = "football", part = "matches" } = useSearch({ from: "/m/sportsLobby" });
  const board = useBoard();
  const wallet = useWallet();
  const title = t("type.SPORTS");
  useOwnTitle(title);
  const show = (next: { sport?: Sport; part?: SportsPart }) =>
    void navigate({
      to: "/m/sportsLobby",
      search: (old) => ({ ...old, ...next }),
      replace: true,
      resetScroll: true,
    });
  return (
    <div className={styles.screen} data-testid="sports">
      <PageTitleBar
        title={title}
        backLabel={t("shell.back")}
        onBack={goBack}
        actions={
          wallet.data !== undefined && (
            <span className={styles.balance} data-testid="balance">
              <span className="visually-hidden">{t("games.balance")} </span>
              <MoneyText value={wallet.data.available} />
            </span>
          )
        }
      />
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
