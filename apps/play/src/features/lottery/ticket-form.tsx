import { OWN_KEY } from "@perya/client/own-key";
import type { ListedLottery } from "@perya/contract/lottery";
import { LOTTERY_SHAPES, type LotteryLine } from "@perya/games/lottery";
import { formatMoney, money, toWire } from "@perya/kernel/money";
import { Button, IconButton } from "@perya/ui/button";
import { LessIcon, MoreIcon, RemoveIcon } from "@perya/ui/icon";
import { MoneyText } from "@perya/ui/money-text";
import { notify } from "@perya/ui/notify";
import { Segmented } from "@perya/ui/segmented";
import { ConfirmDialog } from "@perya/ui/sheet";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { focusBeside } from "../../parts/browser/focus-beside.ts";
import { useWallet } from "../../parts/money/wallet.ts";
import { Countdown } from "../../parts/time/countdown.tsx";
import { CommandState, useCommand } from "../../shell/command.tsx";
import { faultText } from "../../shell/fault.ts";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { queryClient } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { Balls } from "./balls.tsx";
import screen from "./lottery-screen.module.css";
import { NumberPicker } from "./number-picker.tsx";
import { PayTable } from "./pay-table.tsx";
import {
  type DraftFault,
  draftFault,
  emptyDraft,
  linesToBuy,
  luckyPick,
  tapNumber,
  ticketPrice,
  wholeLine,
  withLine,
} from "./ticket-draft.ts";
import styles from "./ticket-form.module.css";
import { PLAY_TEXTS } from "./tickets-page.tsx";

/** Same limit as the server's contract; the page loads no schema. */
const LINES_MAX = 10;
/** Per line, in minor units. */
const FIRST_STAKE = 1_000n;
const FAULTS = {
  no_orders: "lottery.no_orders",
  same_line: "lottery.same_line",
  line_limit: "lottery.line_limit",
} as const satisfies Record<DraftFault, string>;

export function TicketForm({ lottery }: { lottery: ListedLottery }) {
  const { t } = useText();
  const { kind, next, open } = lottery;
  const [draft, setDraft] = useState(() => emptyDraft(kind));
  const [stake, setStake] = useState(FIRST_STAKE);
  const wallet = useWallet();
  const { plays } = LOTTERY_SHAPES[kind];
  const line = wholeLine(kind, draft);
  const fault = line === null ? null : draftFault(kind, draft.lines, line, LINES_MAX);
  const lines = linesToBuy(kind, draft, LINES_MAX);
  const currency = wallet.data?.available.currency ?? lottery.maxStake.currency;
  const { each, total, less, more } = ticketPrice(lottery, lines, stake, currency);
  const short = wallet.data !== undefined && wallet.data.available.minor < total.minor;
  const add = (whole: LotteryLine) => setDraft(withLine(draft, whole));
  const lucky = () => setDraft({ ...draft, picked: luckyPick(kind, draft.play, below) });
  return (
    <>
      <DrawHead lottery={lottery} />
      {plays.length > 1 && (
        <Segmented
          label={t("lottery.play")}
          value={draft.play}
          onValueChange={(play) => setDraft({ ...draft, play })}
          choices={plays.map((value) => ({ value, label: t(PLAY_TEXTS[value]) }))}
        />
      )}
      <NumberPicker
        lottery={lottery}
        picked={draft.picked}
        onTap={(number) => setDraft(tapNumber(kind, draft, number))}
        onRemove={(index) =>
          setDraft({ ...draft, picked: draft.picked.filter((_, i) => i !== index) })
        }
        onClear={() => setDraft({ ...draft, picked: [] })}
        onLucky={lucky}
      />
      {fault !== null && (
        <p className={screen.bad} role="alert">
          {t(FAULTS[fault], { count: LINES_MAX })}
        </p>
      )}
      <Button
        variant="secondary"
        block
        disabled={line === null || fault !== null}
        icon={<MoreIcon size={18} />}
        onClick={() => line !== null && add(line)}
      >
        {t("lottery.add_line")}
      </Button>
      <section className={screen.panel} aria-label={t("lottery.lines")}>
        {draft.lines.length === 0 && <p className="small-print">{t("lottery.no_lines")}</p>}
        <ol>
          {draft.lines.map((one, i) => (
            <li key={`${one.play} ${one.numbers.join()}`} className={screen.line}>
              <span className={styles.lineNumbers}>
                <Balls numbers={one.numbers} small />
                <span className="small-print">{t(PLAY_TEXTS[one.play])}</span>
              </span>
              <IconButton
                label={t("lottery.remove_line", { line: i + 1 })}
                onClick={({ currentTarget }) => {
                  focusBeside(currentTarget);
                  setDraft({ ...draft, lines: draft.lines.filter((_, at) => at !== i) });
                }}
              >
                <RemoveIcon size={20} />
              </IconButton>
            </li>
          ))}
        </ol>
      </section>
      <PayTable lottery={lottery} />
      <div className={styles.purchase}>
        <fieldset className={styles.stake} aria-label={t("lottery.stake")}>
          <IconButton
            label={t("lottery.stake_less")}
            disabled={less === null}
            onClick={() => setStake(less ?? each)}
          >
            <LessIcon size={20} />
          </IconButton>
          <span className={styles.stakeValue}>
            <span className="small-print">{t("lottery.stake")}</span>
            <MoneyText value={{ minor: each, currency }} />
          </span>
          <IconButton
            label={t("lottery.stake_more")}
            disabled={more === null}
            onClick={() => setStake(more ?? each)}
          >
            <MoreIcon size={20} />
          </IconButton>
        </fieldset>
        {short && lines.length > 0 && <p className={screen.bad}>{t("lottery.low_funds")}</p>}
        <Buy
          lottery={lottery}
          lines={lines}
          each={each}
          total={total}
          disabled={!open || next === null || lines.length === 0 || short}
          onBought={() => setDraft(emptyDraft(kind))}
        />
      </div>
    </>
  );
}

function DrawHead({ lottery: { next, last, open } }: { lottery: ListedLottery }) {
  const { t } = useText();
  return (
    <section className={screen.panel}>
      <div className={screen.between}>
        <span className="small-print">
          {next === null ? t("lottery.no_draw") : t("lottery.draw_number", { number: next.number })}
        </span>
        <span className={styles.countdown}>
          {!open && t("lottery.closed")}
          {open && next !== null && (
            <>
              <span className="small-print">{t("lottery.next_draw")}</span>{" "}
              <Countdown until={next.drawsAt} />
            </>
          )}
        </span>
      </div>
      {last?.numbers != null && (
        <div className={screen.between}>
          <span className="small-print">{t("lottery.last_result")}</span>
          <Balls numbers={last.numbers} small />
        </div>
      )}
    </section>
  );
}

function Buy(props: {
  lottery: ListedLottery;
  lines: readonly LotteryLine[];
  each: bigint;
  total: ReturnType<typeof money>;
  disabled: boolean;
  onBought: () => void;
}) {
  const { lottery, lines, each, total, disabled, onBought } = props;
  const { t } = useText();
  const navigate = useNavigate();
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const { next } = lottery;
  /** A reload keeps the dialog's address but loses the lines. */
  const [asked, setAsked] = useState(false);
  const { view, send } = useCommand("POST /api/v1/lottery/tickets", {
    onDone: () => {
      onBought();
      notify.success(t("lottery.bought"));
      void queryClient.invalidateQueries({ queryKey: [OWN_KEY] });
      // The confirmation goes with the form, so that Back leads to the lobby and not to it.
      void navigate({
        to: "/m/lottery",
        search: ({ pop: _pop, ...old }) => ({ ...old, view: "tickets" as const }),
        replace: true,
      });
    },
    onRefused: () => {
      if (popup === "confirm") popups.close();
    },
  });
  const failed = view.phase === "rest" ? view.error : null;
  const buying = view.phase !== "rest";
  const buy = (drawId: string) =>
    send({
      drawId,
      lines: lines.map(({ play, numbers }) => ({ play, numbers: [...numbers] })),
      lineStake: toWire(money(each, total.currency)),
    });
  return (
    <>
      {failed !== null && (
        <p className={screen.bad} role="alert">
          {faultText(failed)}
        </p>
      )}
      <Button
        block
        size="lg"
        glow
        disabled={disabled}
        loading={buying}
        onClick={() => {
          setAsked(true);
          popups.open("confirm");
        }}
      >
        {lines.length === 0
          ? t("lottery.buy_none")
          : t("lottery.buy", { amount: formatMoney(total) })}
      </Button>
      <CommandState view={view} />
      <ConfirmDialog
        open={
          asked &&
          popup === "confirm" &&
          view.phase !== "checking" &&
          next !== null &&
          lines.length > 0
        }
        onOpenChange={(open) => {
          if (!open) popups.close();
        }}
        title={t("lottery.confirm_title")}
        confirmLabel={t("lottery.confirm")}
        cancelLabel={t("shell.cancel")}
        loading={buying}
        onConfirm={() => {
          if (next !== null) buy(next.id);
        }}
      >
        {t("lottery.confirm_text", {
          game: lottery.name,
          number: next?.number ?? "",
          lines: lines.length,
          stake: formatMoney(money(each, total.currency)),
          total: formatMoney(total),
        })}
      </ConfirmDialog>
    </>
  );
}

/** A random whole number from 0 to n - 1, by the browser's strong random source. */
function below(n: number): number {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
  return value % n;
}
