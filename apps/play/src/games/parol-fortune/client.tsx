import { type ParolSpin, parolPayoutMinor } from "@perya/games/parol-fortune";
import { FREE_SPIN_MULTIPLIER } from "@perya/games/parol-reels";
import type { Currency } from "@perya/kernel/money";
import { classNames } from "@perya/ui/class-names";
import { AutoIcon, PauseIcon, RefreshIcon } from "@perya/ui/icon";
import { MoneyText } from "@perya/ui/money-text";
import { useHashSheets } from "../../parts/browser/use-hash-sheet.ts";
import { useText } from "../../shell/text.ts";
import { GameFrame } from "../game-frame.tsx";
import { GAME_SHEETS, type GameSheets } from "../game-sheets.ts";
import { SoloStage } from "../solo-stage.tsx";
import { StakeControl } from "../stake-control.tsx";
import { AutoplaySheet } from "./autoplay-sheet.tsx";
import styles from "./client.module.css";
import { ParolInfo, Picture } from "./parol-info.tsx";
import type { Show } from "./reveal.ts";
import { SYMBOL_NAMES } from "./symbol-names.ts";
import { type ParolTable, useParolTable } from "./use-parol-table.ts";

export default function ParolClient() {
  const { t } = useText();
  const sheets = useHashSheets(GAME_SHEETS);
  const table = useParolTable(() => sheets.open("funds"));
  const { solo, show, unit, reels, skip } = table;
  const { phase } = solo.state;
  const busy = phase !== "rest";
  const currency = solo.balance?.currency ?? "PHP";
  return (
    <GameFrame
      game="parol-fortune"
      state={phase}
      roundId={solo.roundId}
      balance={solo.balance}
      sheets={sheets}
      said={table.said}
      notice={phase === "waiting" ? t("games.reconnecting") : null}
      info={<ParolInfo />}
      onReplay={solo.replay}
      stage={
        <SoloStage
          onSkip={skip}
          result={table.result}
          busy={busy}
          hint={t(busy ? "games.good_luck" : "games.ready")}
        >
          <div className={styles.sign} aria-hidden="true">
            <Picture name="wild" className={styles.parol} />
            <p className={styles.lettering}>
              <span>Parol</span> Fortune
            </p>
          </div>
          <FreeBar show={show} stakeMinor={unit} currency={currency} />
          <div className={classNames(styles.frame, show.free !== null && styles.free)}>
            <div className={styles.reels} data-painter={reels.painter} ref={reels.host} />
            <div className={styles.shine} aria-hidden="true" />
            {show.card !== null && <Card show={show} stakeMinor={unit} currency={currency} />}
            {table.big && <BigWin />}
          </div>
          <GridMirror spin={table.grid} />
        </SoloStage>
      }
      panel={<Panel table={table} currency={currency} sheets={sheets} />}
    />
  );
}

interface PanelProps {
  readonly table: ParolTable;
  readonly currency: Currency;
  readonly sheets: GameSheets;
}

function Panel({ table, currency, sheets }: PanelProps) {
  const { solo, stake, auto } = table;
  const busy = solo.state.phase !== "rest";
  return (
    <>
      <StakeControl
        stake={stake}
        currency={currency}
        disabled={busy || auto.run !== null}
        sheets={sheets}
      />
      <Controls table={table} onPlan={() => sheets.open("auto")} />
      <AutoplaySheet
        open={sheets.sheet === "auto"}
        close={sheets.close}
        stakeMinor={stake.minor}
        currency={currency}
        onStart={auto.start}
      />
    </>
  );
}

/** Quick, spin and automatic: the middle button also skips a show and stops a run. */
function Controls({ table, onPlan }: { table: ParolTable; onPlan: () => void }) {
  const { t } = useText();
  const { solo, quick, setQuick, auto, spin, skip } = table;
  const { run, stop } = auto;
  const { phase } = solo.state;
  const busy = phase !== "rest";
  const canSkip = phase === "showing" || phase === "replaying";
  const press = run !== null ? stop : busy ? skip : spin;
  const label = run !== null ? "games.auto_stop" : canSkip ? "games.skip" : "games.spin";
  const AutoMark = run === null ? RefreshIcon : PauseIcon;
  return (
    <div className={styles.controls}>
      <button
        type="button"
        className={styles.side}
        aria-pressed={quick}
        onClick={() => setQuick(!quick)}
      >
        <AutoIcon size={20} />
        {t("games.quick")}
      </button>
      <button
        type="button"
        className={classNames(styles.spin, busy && styles.turning)}
        disabled={phase === "loading" || phase === "sending" || phase === "waiting"}
        onClick={press}
      >
        <SpinMark />
        <span>{t(label)}</span>
        {run !== null && <small>{run.left}</small>}
      </button>
      <button
        type="button"
        className={styles.side}
        aria-pressed={run !== null}
        disabled={busy && run === null}
        onClick={run === null ? onPlan : stop}
      >
        <AutoMark size={20} aria-hidden="true" />
        {t("games.auto")}
      </button>
    </div>
  );
}

function FreeBar(props: { show: Show; stakeMinor: bigint; currency: Currency }) {
  const { show, stakeMinor, currency } = props;
  const { t } = useText();
  if (show.free === null) return <div className={styles.freeBar} />;
  const { number, of } = show.free;
  const total = { minor: parolPayoutMinor(stakeMinor, show.units), currency };
  return (
    <div className={classNames(styles.freeBar, styles.freeOn)}>
      <span>{t("games.free_spin_of", { number, of })}</span>
      <b>×{FREE_SPIN_MULTIPLIER}</b>
      <MoneyText value={total} />
    </div>
  );
}

function Card(props: { show: Show; stakeMinor: bigint; currency: Currency }) {
  const { show, stakeMinor, currency } = props;
  const { t } = useText();
  const { card } = show;
  if (card === null) return null;
  return (
    <div className={styles.card}>
      {card.kind === "awarded" ? (
        <>
          <p className={styles.cardLead}>{t(card.more ? "games.free_more" : "games.free_won")}</p>
          <p className={styles.cardFigure}>
            {card.more ? "+" : ""}
            {card.spins}
          </p>
          <p>{t("games.free_spins_times", { times: FREE_SPIN_MULTIPLIER })}</p>
        </>
      ) : (
        <>
          <p className={styles.cardLead}>{t("games.free_total")}</p>
          <p className={styles.cardFigure}>
            <MoneyText value={{ minor: parolPayoutMinor(stakeMinor, card.units), currency }} />
          </p>
        </>
      )}
    </div>
  );
}

function BigWin() {
  const { t } = useText();
  return (
    <div className={styles.bigWin} aria-hidden="true">
      <div className={styles.rays} />
      <p>{t("games.big_win")}</p>
    </div>
  );
}

/** The reels in words, for players who do not see the canvas. */
function GridMirror({ spin }: { spin: ParolSpin }) {
  const { t } = useText();
  return (
    <table className="visually-hidden">
      <caption>{t("games.parol_mirror")}</caption>
      <tbody>
        {[0, 1, 2].map((row) => (
          <tr key={row}>
            {spin.grid.map((column, reel) => {
              const symbol = column[row];
              // Reels have fixed places, so their index is their key.
              const key = `${row}-${reel}`;
              return <td key={key}>{symbol === undefined ? "" : t(SYMBOL_NAMES[symbol])}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SpinMark() {
  return (
    <svg viewBox="0 0 48 48" width="30" height="30" aria-hidden="true">
      <path
        d="M24 8a16 16 0 1 1-15.3 11.4M24 8l-7-5m7 5-6 6"
        fill="none"
        stroke="currentColor"
        strokeWidth="4.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
