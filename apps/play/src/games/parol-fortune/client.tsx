import type { RefusalCode } from "@perya/contract/refusal";
import { type ParolSpin, parolPayoutMinor } from "@perya/games/parol-fortune";
import { FREE_SPIN_MULTIPLIER } from "@perya/games/parol-reels";
import type { Currency } from "@perya/kernel/money";
import { classNames } from "@perya/ui/class-names";
import { AutoIcon, PauseIcon, RefreshIcon } from "@perya/ui/icon";
import { MoneyText, moneyLabel } from "@perya/ui/money-text";
import { useReducedMotion } from "@perya/ui/reduced-motion";
import { useCallback, useEffect, useRef, useState } from "react";
import { useHashSheets } from "../../parts/browser/use-hash-sheet.ts";
import { useText } from "../../shell/text.ts";
import { GameFrame } from "../game-frame.tsx";
import { GAME_SHEETS } from "../game-sheets.ts";
import { useKeptFlag, useKeptStake } from "../kept-stake.ts";
import { isWin, type SoloResult, SoloStage, soloResult, WIN_MS } from "../solo-stage.tsx";
import { announce, play } from "../sound.ts";
import { StakeControl } from "../stake-control.tsx";
import { PAROL_LADDER } from "../stake-ladder.ts";
import { useSoloRound } from "../use-solo-round.ts";
import { AutoplaySheet } from "./autoplay-sheet.tsx";
import styles from "./client.module.css";
import { ParolInfo, Picture } from "./parol-info.tsx";
import { OPENING_SPIN, parolOutcome } from "./read-outcome.ts";
import { createReelsStage, type ReelsStage } from "./reels-stage.ts";
import { NO_SHOW, reveal, type Show } from "./reveal.ts";
import { createSkipper, type Skipper } from "./skipper.ts";
import { SYMBOL_NAMES } from "./symbol-names.ts";
import { useAutoplay } from "./use-autoplay.ts";

/** From this many stakes on, a win fills the whole stage for its moment. */
const BIG_WIN = 10n;

export default function ParolClient() {
  const { t } = useText();
  const sheets = useHashSheets(GAME_SHEETS);
  const reduced = useReducedMotion();
  const [quick, setQuick] = useKeptFlag("MC_QUICK_SPIN");
  const stake = useKeptStake("parol", PAROL_LADDER, 1_000n);
  const stakeMinor = stake.minor;
  const [show, setShow] = useState<Show>(NO_SHOW);
  const [result, setResult] = useState<SoloResult | null>(null);
  const [grid, setGrid] = useState<ParolSpin>(OPENING_SPIN);
  const [painter, setPainter] = useState("");
  const host = useRef<HTMLDivElement>(null);
  const stage = useRef<ReelsStage | null>(null);
  const skipper = useRef<Skipper | null>(null);
  const stopAutoplay = useRef<() => void>(() => undefined);

  const onRefused = useCallback(
    (code: RefusalCode | null) => {
      stopAutoplay.current();
      stage.current?.giveUp();
      if (code === "insufficient_funds") sheets.open("funds");
    },
    [sheets.open],
  );
  const table = useSoloRound("parol-fortune", { onRefused });
  const { state, shown } = table;
  const { phase } = state;
  const currency = table.balance?.currency ?? "PHP";

  const spin = () => {
    setResult(null);
    setShow(NO_SHOW);
    play("spin");
    return table.play({ stakeMinor: `${stakeMinor}` });
  };
  const auto = useAutoplay(state, stakeMinor, quick, spin);
  stopAutoplay.current = auto.stop;

  useEffect(() => {
    if (host.current === null) return;
    const made = createReelsStage(host.current, setPainter);
    stage.current = made;
    made.rest(OPENING_SPIN);
    return () => {
      stage.current = null;
      made.destroy();
    };
  }, []);
  useEffect(() => stage.current?.calm(reduced), [reduced]);

  useEffect(() => {
    if (phase === "sending") stage.current?.spin();
  }, [phase]);

  const atRest = state.phase === "rest" ? state.round : null;
  useEffect(() => {
    if (atRest === null) return;
    const last = parolOutcome(atRest)?.spins.at(-1);
    if (last === undefined) return;
    setGrid(last);
    setResult((known) => {
      if (known?.id === atRest.id) return known;
      stage.current?.rest(last);
      return soloResult(atRest, false);
    });
  }, [atRest]);

  const showing =
    state.phase === "showing"
      ? state.reply.round
      : state.phase === "replaying"
        ? state.round
        : null;
  const pace = useRef<"quick" | "normal">("normal");
  pace.current = quick ? "quick" : "normal";
  const finished = useRef(shown);
  finished.current = shown;
  const replaying = phase === "replaying";
  useEffect(() => {
    const reels = stage.current;
    if (showing === null || reels === null) return;
    const outcome = parolOutcome(showing);
    if (outcome === null) {
      finished.current(showing.id);
      return;
    }
    const steps = createSkipper();
    skipper.current = steps;
    setResult(null);
    setShow(NO_SHOW);
    // The reels of a sent round turn already; those of a replay or after a reload do not yet.
    if (replaying) reels.spin();
    const run = async () => {
      await reveal(outcome, reels, steps, pace.current, setShow);
      if (steps.stopped) return;
      const end = soloResult(showing, true);
      const last = outcome.spins.at(-1);
      if (last !== undefined) setGrid(last);
      setShow((now) => ({ ...now, card: null }));
      setResult(end);
      if (isWin(end)) {
        play(isBig(end) ? "bigWin" : "win");
        await steps.wait(WIN_MS);
      }
      if (!steps.stopped) finished.current(showing.id);
    };
    void run();
    return () => steps.stop();
  }, [showing, replaying]);

  const said = result === null ? "" : sayResult(t, result);
  useEffect(() => {
    if (result?.fresh === true && isBig(result)) announce(said);
  }, [result, said]);

  const busy = phase !== "rest";
  const press = () => {
    if (auto.run !== null) auto.stop();
    else if (phase === "rest") spin();
    else skipper.current?.skip();
  };
  const canSkip = phase === "showing" || phase === "replaying";
  const label = auto.run !== null ? "games.auto_stop" : canSkip ? "games.skip" : "games.spin";
  const unit = showing === null ? stakeMinor : BigInt(showing.stake.minor);

  return (
    <GameFrame
      game="parol-fortune"
      state={phase}
      roundId={table.roundId}
      balance={table.balance}
      sheets={sheets}
      said={said}
      notice={phase === "waiting" ? t("games.reconnecting") : null}
      info={<ParolInfo />}
      onReplay={table.replay}
      stage={
        <SoloStage
          onSkip={() => skipper.current?.skip()}
          result={result}
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
            <div className={styles.reels} data-painter={painter} ref={host} />
            <div className={styles.shine} aria-hidden="true" />
            {show.card !== null && <Card show={show} stakeMinor={unit} currency={currency} />}
            {result?.fresh === true && isBig(result) && busy && <BigWin />}
          </div>
          <GridMirror spin={grid} />
        </SoloStage>
      }
      panel={
        <>
          <StakeControl
            ladder={stake.ladder}
            minor={stakeMinor}
            currency={currency}
            onChange={stake.choose}
            disabled={busy || auto.run !== null}
            sheet={{
              open: sheets.sheet === "stake",
              show: () => sheets.open("stake"),
              close: sheets.close,
            }}
          />
          <div className={styles.controls}>
            <button
              type="button"
              className={styles.side}
              aria-pressed={quick}
              onClick={() => setQuick(!quick)}
            >
              <AutoIcon size={20} aria-hidden="true" />
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
              {auto.run !== null && <small>{auto.run.left}</small>}
            </button>
            <button
              type="button"
              className={styles.side}
              aria-pressed={auto.run !== null}
              disabled={busy && auto.run === null}
              onClick={() => (auto.run === null ? sheets.open("auto") : auto.stop())}
            >
              {auto.run === null ? (
                <RefreshIcon size={20} aria-hidden="true" />
              ) : (
                <PauseIcon size={20} aria-hidden="true" />
              )}
              {t("games.auto")}
            </button>
          </div>
          <AutoplaySheet
            open={sheets.sheet === "auto"}
            close={sheets.close}
            stakeMinor={stakeMinor}
            currency={currency}
            onStart={auto.start}
          />
        </>
      }
    />
  );
}

function isBig({ payoutMinor, stakeMinor }: SoloResult): boolean {
  return payoutMinor >= stakeMinor * BIG_WIN;
}

function sayResult(t: ReturnType<typeof useText>["t"], result: SoloResult): string {
  const amount = moneyLabel({ minor: result.payoutMinor, currency: result.currency });
  if (result.payoutMinor === 0n) return t("games.said_nothing");
  return t(isWin(result) ? "games.said_win" : "games.said_back", { amount });
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
