import type { LotteryTicket } from "@perya/contract/lottery";
import { Badge, type BadgeTone } from "@perya/ui/badge";
import { MoneyText } from "@perya/ui/money-text";
import { useInfiniteQuery } from "@tanstack/react-query";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { Countdown } from "../../parts/time/countdown.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api } from "../../shell/server.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { Balls } from "./balls.tsx";
import styles from "./lottery-screen.module.css";
import { nextTicketLookMs } from "./next-look.ts";

const STATES: Readonly<Record<LotteryTicket["state"], { label: MessageId; tone: BadgeTone }>> = {
  placed: { label: "lottery.state_placed", tone: "info" },
  won: { label: "lottery.state_won", tone: "good" },
  lost: { label: "lottery.state_lost", tone: "plain" },
  voided: { label: "lottery.state_voided", tone: "warn" },
};

/** The player's tickets, newest first; drawn numbers shine on their lines. */
export function TicketsPage() {
  const { t } = useText();
  const list = useInfiniteQuery({
    ...screenQueries.lotteryTickets(),
    refetchInterval: ({ state }) =>
      nextTicketLookMs(state.data?.pages.flatMap((page) => page.items) ?? [], api.serverNow()),
  });
  return (
    <PagedList
      list={list}
      keyOf={({ id }) => id}
      empty={t("lottery.no_tickets")}
      row={(ticket) => <TicketView ticket={ticket} />}
    />
  );
}

function TicketView({ ticket }: { ticket: LotteryTicket }) {
  const { t, when } = useText();
  const { label, tone } = STATES[ticket.state];
  return (
    <article className={styles.entry} data-testid="ticket" data-state={ticket.state}>
      <div className={styles.between}>
        <b>{ticket.gameName}</b>
        <Badge tone={tone}>{t(label)}</Badge>
      </div>
      <div className={styles.between}>
        <span className="small-print">
          {t("lottery.draw_number", { number: ticket.drawNumber })} · {when(ticket.drawsAt)}
        </span>
        {ticket.state === "placed" && (
          <span className={styles.timer}>
            <Countdown until={ticket.drawsAt} />
          </span>
        )}
      </div>
      {ticket.drawn !== null && <Balls numbers={ticket.drawn} />}
      <ul>
        {ticket.lines.map((line) => (
          <li key={`${line.play} ${line.numbers.join()}`} className={styles.line}>
            <Balls numbers={line.numbers} hits={hitsOf(line, ticket.drawn)} small />
            {line.payout.minor === 0n ? (
              <span className="small-print">{t(PLAY_TEXTS[line.play])}</span>
            ) : (
              <MoneyText value={line.payout} className={styles.won} />
            )}
          </li>
        ))}
      </ul>
      <div className={styles.between}>
        <span className="small-print">
          {t("records.stake")} <MoneyText value={ticket.stake} />
        </span>
        {ticket.state === "won" && <MoneyText value={ticket.payout} className={styles.won} />}
      </div>
    </article>
  );
}

export const PLAY_TEXTS = {
  straight: "lottery.straight",
  rambol: "lottery.rambol",
  six: "lottery.six",
} as const;

/** Digits of a straight hit in their places; any other number wherever it was drawn, each once. */
function hitsOf(
  { play, numbers }: LotteryTicket["lines"][number],
  drawn: readonly number[] | null,
): boolean[] {
  if (drawn === null) return [];
  if (play === "straight") return numbers.map((number, i) => number === drawn[i]);
  const left = [...drawn];
  return numbers.map((number) => {
    const at = left.indexOf(number);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}
