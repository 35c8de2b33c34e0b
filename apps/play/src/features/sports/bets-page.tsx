import { OWN_KEY } from "@perya/client/own-key";
import { SPORTS_BETS_KEY } from "@perya/client/screen-queries/sports";
import type { SportsBet } from "@perya/contract/sports";
import { formatMoney, toWire } from "@perya/kernel/money";
import { Badge, type BadgeTone } from "@perya/ui/badge";
import { Button } from "@perya/ui/button";
import { MoneyText } from "@perya/ui/money-text";
import { notify } from "@perya/ui/notify";
import { ConfirmDialog } from "@perya/ui/sheet";
import { useInfiniteQuery } from "@tanstack/react-query";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { CommandState, useCommand } from "../../shell/command.tsx";
import { sayFault } from "../../shell/fault.ts";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queryClient } from "../../shell/server.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { oddsText } from "./board.ts";
import { useSelectionText } from "./selection-text.ts";
import styles from "./sports-screen.module.css";

const STATES: Readonly<Record<SportsBet["state"], { label: MessageId; tone: BadgeTone }>> = {
  placed: { label: "sports.state_placed", tone: "info" },
  won: { label: "sports.state_won", tone: "good" },
  lost: { label: "sports.state_lost", tone: "plain" },
  voided: { label: "sports.state_voided", tone: "warn" },
  cashed: { label: "sports.state_cashed", tone: "gold" },
};
const LEG_MARKS = { open: "•", won: "✓", lost: "✕", voided: "–" } as const;
/** Cash-out prices of open bets change with every tick of their matches. */
const OPEN_REREAD_MS = 4_000;

/** The player's bets, newest first; open ones can be cashed out. */
export function BetsPage() {
  const { t } = useText();
  const popups = usePopups();
  const { popup, id } = useOpenPopup();
  const list = useInfiniteQuery({
    ...screenQueries.sportsBets(),
    refetchInterval: ({ state }) => {
      const items = state.data?.pages.flatMap((page) => page.items) ?? [];
      return items.some((bet) => bet.state === "placed") ? OPEN_REREAD_MS : false;
    },
  });
  const bets = list.data?.pages.flatMap((page) => page.items) ?? [];
  const sold = popup === "confirm" ? bets.find((bet) => bet.id === id) : undefined;
  const amount = sold?.cashOut ?? null;
  const end = () => {
    if (popup === "confirm") popups.close();
    void queryClient.invalidateQueries({ queryKey: SPORTS_BETS_KEY });
    void queryClient.invalidateQueries({ queryKey: [OWN_KEY] });
  };
  const { view, send } = useCommand("POST /api/v1/sports/cash-outs", {
    onDone: ({ payout }) => {
      notify.success(t("sports.cashed", { amount: formatMoney(payout) }));
      end();
    },
    onRefused: (error) => {
      sayFault(error);
      end();
    },
  });
  return (
    <>
      <CommandState view={view} />
      <PagedList
        list={list}
        keyOf={(bet) => bet.id}
        empty={t("sports.no_bets")}
        row={(bet) => (
          <BetView bet={bet} onCashOut={() => popups.open("confirm", { id: bet.id })} />
        )}
      />
      <ConfirmDialog
        open={sold !== undefined && amount !== null && view.phase !== "checking"}
        onOpenChange={(open) => {
          if (!open) popups.close();
        }}
        title={t("sports.cash_out_title")}
        confirmLabel={t("sports.cash_out_confirm")}
        cancelLabel={t("shell.cancel")}
        loading={view.phase !== "rest"}
        onConfirm={() => {
          if (sold !== undefined && amount !== null)
            send({ betId: sold.id, amount: toWire(amount) });
        }}
      >
        {amount !== null &&
          sold !== undefined &&
          t("sports.cash_out_text", {
            amount: formatMoney(amount),
            potential: formatMoney(sold.potential),
          })}
      </ConfirmDialog>
    </>
  );
}

function BetView({ bet, onCashOut }: { bet: SportsBet; onCashOut: () => void }) {
  const { t, when } = useText();
  const { label, tone } = STATES[bet.state];
  const { legs, cashOut } = bet;
  return (
    <article className={styles.entry} data-testid="bet" data-state={bet.state}>
      <div className={styles.between}>
        <b>
          {legs.length === 1
            ? t("sports.single_bet")
            : t("sports.multi_bet", { count: legs.length })}{" "}
          · {oddsText(bet.odds)}
        </b>
        <Badge tone={tone}>{t(label)}</Badge>
      </div>
      <ul>
        {legs.map((leg) => (
          <li key={leg.fixtureId} className={styles.leg}>
            <BetLeg sport={bet.sport} leg={leg} />
          </li>
        ))}
      </ul>
      <div className={styles.between}>
        <span className={styles.note}>
          {t("records.stake")} <MoneyText value={bet.stake} /> · {when(bet.placedAt)}
        </span>
        {bet.state === "placed" ? (
          <span className={styles.note}>
            {t("sports.potential")} <MoneyText value={bet.potential} />
          </span>
        ) : (
          bet.payout.minor !== 0n && <MoneyText value={bet.payout} className={styles.won} />
        )}
      </div>
      {bet.state === "placed" && (
        <Button variant="secondary" block disabled={cashOut === null} onClick={onCashOut}>
          {cashOut === null
            ? t("sports.cash_out_off")
            : t("sports.cash_out", { amount: formatMoney(cashOut) })}
        </Button>
      )}
    </article>
  );
}

function BetLeg({ sport, leg }: { sport: SportsBet["sport"]; leg: SportsBet["legs"][number] }) {
  const { t } = useText();
  const { marketText, selectionText } = useSelectionText();
  const { home, away, market, selection, odds, state, score } = leg;
  const look = state === "won" ? styles.good : state === "lost" ? styles.bad : styles.note;
  return (
    <>
      <span className={styles.legText}>
        <b>{selectionText({ sport, home, away }, market, selection)}</b>
        <span className={styles.note}>
          {marketText({ sport }, market)} · {home} – {away}
          {score !== null && ` · ${score.home}:${score.away}`}
        </span>
      </span>
      <span className={styles.legOdds}>{oddsText(odds)}</span>
      <span className={look}>
        <span aria-hidden="true">{LEG_MARKS[state]}</span>
        <span className="visually-hidden">{t(`sports.leg_${state}`)}</span>
      </span>
    </>
  );
}
