import { MoneyText } from "@perya/ui/money-text";
import { PageTitleBar } from "@perya/ui/page-title-bar";
import { Segmented } from "@perya/ui/segmented";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useWallet } from "../../parts/money/wallet.ts";
import { useGoBack } from "../../parts/page/header.tsx";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { useOwnTitle } from "../../shell/page-head.ts";
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
  const goBack = useGoBack(undefined);
  const { gameCode, view = "games" } = useSearch({ from: "/m/lottery" });
  const list = useLotteries();
  const wallet = useWallet();
  const lotteries = list.data?.list ?? [];
  const game = lotteries.find((one) => one.gameCode === gameCode);
  const title = game?.name ?? t("type.LOTT");
  useOwnTitle(title);
  const show = (next: LotteryView) =>
    navigate({
      to: "/m/lottery",
      search: (old) => ({ ...old, view: next }),
      replace: true,
      resetScroll: true,
    });
  return (
    <div className={styles.screen} data-testid="lottery">
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
