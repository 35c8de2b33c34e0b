import { OWN_KEY } from "@perya/client/own-key";
import { ApiRefusal } from "@perya/client/refused";
import { SPORTS_STAKE } from "@perya/games/sports";
import { type Currency, formatMoney, money, parseDecimal } from "@perya/kernel/money";
import { CountBadge } from "@perya/ui/badge";
import { Button, IconButton } from "@perya/ui/button";
import { AmountField, CheckboxField } from "@perya/ui/field";
import { RemoveIcon } from "@perya/ui/icon";
import { currencySymbol, MoneyText } from "@perya/ui/money-text";
import { notify } from "@perya/ui/notify";
import { Segmented } from "@perya/ui/segmented";
import { useRef, useState } from "react";
import { focusBeside } from "../../parts/browser/focus-beside.ts";
import { useBalance } from "../../parts/money/wallet.ts";
import { CommandState, useCommand } from "../../shell/command.tsx";
import { faultText } from "../../shell/fault.ts";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { queryClient } from "../../shell/server.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { oddsText } from "./board.ts";
import { useSelectionText } from "./selection-text.ts";
import {
  accepted,
  type Batch,
  betsToSend,
  type GivenBet,
  isWorse,
  readSlip,
  type SlipLeg,
  takeNext,
  toldOdds,
  totalsOf,
  useSlip,
  without,
} from "./slip.ts";
import styles from "./sports-screen.module.css";

const QUICK_PESOS = ["10", "20", "50", "100", "200", "500"];
const FIRST_STAKE = "10";

/** The slip's content, always under the thumb; and the slip itself as a sheet. */
export function SlipBar() {
  const { t } = useText();
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const slip = useSlip();
  // Here, where it outlives the sheet: finding out about a sent bet needs no open slip.
  const place = usePlace();
  const { odds } = totalsOf(slip, SPORTS_STAKE.minMinor);
  const count = slip.legs.length;
  return (
    <>
      {popup !== "slip" && <CommandState view={place.view} />}
      {count > 0 && (
        <div className={styles.bar}>
          <Button block size="lg" glow onClick={() => popups.open("slip")}>
            {t("sports.slip")}
            <CountBadge count={count} label={t("sports.slip_open", { count })} />
            {odds !== null && <span className={styles.barOdds}>{oddsText(odds)}</span>}
          </Button>
        </div>
      )}
      <Sheet open={popup === "slip"} close={popups.close} title={t("sports.slip")}>
        {count === 0 ? (
          <p className={styles.note}>{t("sports.slip_empty")}</p>
        ) : (
          <SlipForm place={place} />
        )}
      </Sheet>
    </>
  );
}

function SlipForm({ place }: { place: Place }) {
  const { t } = useText();
  const slip = useSlip();
  const available = useBalance();
  const [text, setText] = useState(FIRST_STAKE);
  const [any, setAny] = useState(false);
  const currency: Currency = available?.currency ?? "PHP";
  const stake = parseDecimal(text, currency);
  const read = readSlip(slip, { stake, available, any });
  const { totals, stakeMinor } = read;
  const { view } = place;
  const failed = view.phase === "rest" ? view.error : null;
  const several = slip.legs.length > 1;
  return (
    <div className={styles.slip} data-testid="slip">
      {several && (
        <Segmented
          label={t("sports.kind")}
          value={slip.multi ? "multi" : "singles"}
          onValueChange={(kind) => useSlip.setState({ multi: kind === "multi" })}
          choices={[
            { value: "singles", label: t("sports.singles") },
            { value: "multi", label: t("sports.multi") },
          ]}
        />
      )}
      <ul>
        {slip.legs.map((leg) => (
          <li key={leg.fixtureId} className={styles.leg}>
            <LegView leg={leg} />
          </li>
        ))}
      </ul>
      <AmountField
        label={t(several && !slip.multi ? "sports.stake_each" : "sports.stake")}
        symbol={currencySymbol({ currency })}
        value={text}
        onChange={(event) => setText(event.target.value)}
        errors={read.isGood ? undefined : t("sports.stake_bad")}
        quickLabel={t("sports.stake_quick")}
        quickAmounts={QUICK_PESOS.map((value) => ({ value, label: value }))}
        onQuickAmount={setText}
      />
      <dl className={styles.totals}>
        {totals.odds !== null && several && (
          <>
            <dt>{t("sports.total_odds")}</dt>
            <dd data-testid="slip-odds">{oddsText(totals.odds)}</dd>
          </>
        )}
        <dt>{t("sports.total_stake")}</dt>
        <dd>
          <MoneyText value={money(totals.stakeMinor, currency)} />
        </dd>
        <dt>{t("sports.potential")}</dt>
        <dd data-testid="slip-potential">
          <MoneyText value={money(totals.potentialMinor, currency)} className={styles.won} />
        </dd>
      </dl>
      <CheckboxField
        label={t("sports.accept_any")}
        checked={any}
        onChange={(event) => setAny(event.target.checked)}
      />
      <div aria-live="polite" className={styles.rows}>
        {read.isWorse && <p className={styles.bad}>{t("sports.price_changed")}</p>}
        {!read.isWorse && failed !== null && <p className={styles.bad}>{faultText(failed)}</p>}
        {read.isShort && <p className={styles.bad}>{t("sports.low_funds")}</p>}
      </div>
      {read.isWorse ? (
        <Button block size="lg" onClick={() => useSlip.setState(accepted, true)}>
          {t("sports.accept_prices")}
        </Button>
      ) : (
        <Button
          block
          size="lg"
          glow
          disabled={!read.isGood || read.isShort || read.isClosed}
          loading={view.phase !== "rest"}
          onClick={() => place.begin(stakeMinor, any ? "any" : "better")}
        >
          {read.isGood
            ? t("sports.place", { amount: formatMoney(money(totals.stakeMinor, currency)) })
            : t("sports.place_none")}
        </Button>
      )}
      <CommandState view={view} />
      <Button
        variant="ghost"
        block
        onClick={() => useSlip.setState({ legs: [], multi: false }, true)}
      >
        {t("sports.clear")}
      </Button>
    </div>
  );
}

function LegView({ leg }: { leg: SlipLeg }) {
  const { t } = useText();
  const { marketText, selectionText } = useSelectionText();
  const { home, away, market, selection, odds, now } = leg;
  const name = selectionText(leg, market, selection);
  return (
    <>
      <span className={styles.legText}>
        <b>{name}</b>
        <span className={styles.note}>
          {marketText(leg, market)} · {home} – {away}
        </span>
        {now === null && <span className={styles.bad}>{t("sports.leg_closed")}</span>}
      </span>
      <span className={styles.legOdds} data-testid="leg-odds">
        <b className={isWorse(leg) ? styles.bad : undefined}>{oddsText(now ?? odds)}</b>
        {isWorse(leg) && (
          <span className={styles.note}>{t("sports.price_was", { odds: oddsText(odds) })}</span>
        )}
      </span>
      <IconButton
        label={t("sports.remove", { selection: name })}
        onClick={({ currentTarget }) => {
          focusBeside(currentTarget);
          useSlip.setState((slip) => without(slip, leg.fixtureId), true);
        }}
      >
        <RemoveIcon size={20} />
      </IconButton>
    </>
  );
}

const NO_BATCH: Batch<never> = { left: [], pressedAt: 0 };

type Place = ReturnType<typeof usePlace>;

/** Sends a slip's bets one after another; each accepted bet leaves the slip. */
function usePlace() {
  const { t } = useText();
  const balance = useBalance();
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const batch = useRef<Batch<GivenBet>>(NO_BATCH);
  const placed = useRef(0);
  const reread = () => void queryClient.invalidateQueries({ queryKey: [OWN_KEY] });
  const { view, send } = useCommand("POST /api/v1/sports/bets", {
    onDone: (_, { content }) => {
      useSlip.setState((slip) =>
        content.legs.reduce((left, leg) => without(left, leg.fixtureId), slip),
      );
      reread();
      placed.current++;
      const { next, batch: rest } = takeNext(batch.current, Date.now());
      batch.current = rest;
      if (next !== undefined) {
        send(next);
        return;
      }
      notify.success(t("sports.placed", { count: placed.current }));
      placed.current = 0;
      if (popup === "slip") popups.close();
    },
    onRefused: (error, { content }) => {
      batch.current = NO_BATCH;
      placed.current = 0;
      if (error instanceof ApiRefusal) {
        const { odds } = error.problem;
        useSlip.setState((slip) => toldOdds(slip, content.legs, odds), true);
      }
      reread();
    },
  });
  const begin = (stakeMinor: bigint, accept: GivenBet["accept"]) => {
    const stake = money(stakeMinor, balance?.currency ?? "PHP");
    const [first, ...left] = betsToSend(useSlip.getState(), stake, accept);
    if (first === undefined || view.phase !== "rest") return;
    batch.current = { left, pressedAt: Date.now() };
    placed.current = 0;
    send(first);
  };
  return { view, begin };
}
