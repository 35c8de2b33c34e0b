import { Segmented } from "@perya/ui/segmented";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { LobbyBar } from "../../parts/page/lobby-bar.tsx";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { useText } from "../../shell/text.ts";
import { LotteryLobby } from "./lottery-lobby.tsx";
import styles from "./lottery-screen.module.css";
import type { LotteryView } from "./lottery-search.ts";
import { NumeroPage } from "./numero-page.tsx";
import { ResultsPage } from "./results-page.tsx";
import { TicketForm } from "./ticket-form.tsx";
import { TicketsPage } from "./tickets-page.tsx";
import { useLotteries } from "./use-lotteries.ts";

export default function LotteryScreen() {
  const { t } = useText();
  const navigate = useNavigate();
  const { gameCode, view = "games" } = useSearch({ from: "/m/lottery" });
  const list = useLotteries();
  const lotteries = list.data?.list ?? [];
  const game = lotteries.find((one) => one.gameCode === gameCode);
  const title = game?.name ?? t("type.LOTT");
  const show = (next: LotteryView) =>
    navigate({
      to: "/m/lottery",
      search: (old) => ({ ...old, view: next }),
      replace: true,
      resetScroll: true,
    });
  return (
    <div className={styles.screen} data-testid="lottery">
      <LobbyBar title={title} />
      <div className={styles.body}>
        <Segmented
          label={t("lottery.views")}
          value={view}
          onValueChange={show}
          choices={[
            { value: "games", label: t("lottery.games") },
            { value: "tickets", label: t("lottery.tickets") },
            { value: "results", label: t("lottery.results") },
            { value: "numero", label: t("lottery.numero") },
          ]}
        />
        {list.data === undefined ? (
          <Unloaded query={list} rows={5} />
        ) : view === "tickets" ? (
          <TicketsPage />
        ) : view === "results" ? (
          <ResultsPage lotteries={lotteries} first={game ?? null} />
        ) : view === "numero" ? (
          <NumeroPage lotteries={lotteries} first={game ?? null} />
        ) : game === undefined ? (
          <LotteryLobby lotteries={lotteries} />
        ) : (
          <TicketForm key={game.gameCode} lottery={game} />
        )}
      </div>
    </div>
  );
}
