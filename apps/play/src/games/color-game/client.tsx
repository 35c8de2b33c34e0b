import type { RefusalCode } from "@perya/contract/refusal";
import type { Round } from "@perya/contract/rounds";
import type { ColorBets, ColorOutcome, Colour } from "@perya/games/color-game";
import { Button } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { MoneyText, moneyLabel } from "@perya/ui/money-text";
import { useReducedMotion } from "@perya/ui/reduced-motion";
import { useCallback, useEffect, useRef, useState } from "react";
import { useHashSheets } from "../../parts/browser/use-hash-sheet.ts";
import { useText } from "../../shell/text.ts";
import { GameFrame } from "../game-frame.tsx";
import { GAME_SHEETS } from "../game-sheets.ts";
import { useKeptStake, useStakeMax } from "../kept-stake.ts";
import { SoloStage, soloResult, WIN_MS } from "../solo-stage.tsx";
import { announce, play } from "../sound.ts";
import { CHIPS } from "../stake-ladder.ts";
import { useSoloRound } from "../use-solo-round.ts";
import { BettingBoard } from "./betting-board.tsx";
import {
  addChip,
  boardChoices,
  boardOfChoices,
  boardTotal,
  doubleBoard,
  EMPTY_BOARD,
  removeChip,
} from "./chip-board.ts";
import styles from "./client.module.css";
import { ColorInfo } from "./color-info.tsx";
import { COLOUR_DISPLAY } from "./colour-display.tsx";
import { DICE_REST_MS, Dice, type DiceMotion } from "./dice.tsx";
import { colorOutcome } from "./read-outcome.ts";

/** The stall's lettering, each letter in a colour of the game. */
const SIGN = [
  ["C", "red"],
  ["o", "yellow"],
  ["l", "blue"],
  ["o", "pink"],
  ["r", "green"],
  ["\u00a0G", "white"],
  ["a", "yellow"],
  ["m", "red"],
  ["e", "blue"],
] as const satisfies readonly (readonly [string, Colour])[];
const FIRST_DICE: readonly Colour[] = ["red", "yellow", "blue"];
/** The fewest milliseconds that the dice tumble, so that a fast answer still looks like a throw. */
const TUMBLE_MS = 500;

export default function ColorClient() {
  const { t } = useText();
  const sheets = useHashSheets(GAME_SHEETS);
  const reduced = useReducedMotion();
  const chip = useKeptStake("chip", CHIPS, 500n);
  const stakeMax = useStakeMax();
  const [board, setBoard] = useState<ColorBets>(EMPTY_BOARD);
  const [lastBoard, setLastBoard] = useState<ColorBets | null>(null);
  const [dice, setDice] = useState<readonly Colour[]>(FIRST_DICE);
  const [motion, setMotion] = useState<DiceMotion>("rest");
  const [result, setResult] = useState<{ round: Round; fresh: boolean } | null>(null);
  const thrownMs = useRef(0);

  const onRefused = useCallback(
    (code: RefusalCode | null) => {
      setMotion("rest");
      if (code === "insufficient_funds") sheets.open("funds");
    },
    [sheets.open],
  );
  const table = useSoloRound("color-game", { onRefused });
  const { state } = table;
  const { phase } = state;
  const currency = table.balance?.currency ?? "PHP";

  const choices = "choices" in state ? state.choices : null;
  useEffect(() => {
    if (choices === null) return;
    const played = boardOfChoices(choices);
    if (played !== null) setLastBoard(played);
    if (phase !== "sending") return;
    // After a reload the board is empty; the round under way brings its bets back.
    if (played !== null) setBoard((now) => (boardTotal(now) > 0n ? now : played));
    setResult(null);
    setMotion("tumbling");
    thrownMs.current = performance.now();
  }, [choices, phase]);

  const atRest = state.phase === "rest" ? state.round : null;
  useEffect(() => {
    if (atRest === null) return;
    const outcome = colorOutcome(atRest);
    if (outcome === null) return;
    setDice(outcome.dice);
    setLastBoard((known) => known ?? boardOfChoices(atRest.choices));
  }, [atRest]);

  const showing =
    state.phase === "showing"
      ? state.reply.round
      : state.phase === "replaying"
        ? state.round
        : null;
  const finished = useRef(table.shown);
  finished.current = table.shown;
  const call = useRef<(outcome: ColorOutcome) => string>(() => "");
  call.current = (outcome) => outcome.dice.map((die) => t(COLOUR_DISPLAY[die].name)).join(", ");
  const hurry = useRef<() => void>(() => undefined);
  const replaying = phase === "replaying";
  useEffect(() => {
    if (showing === null) return;
    const outcome = colorOutcome(showing);
    if (outcome === null) {
      finished.current(showing.id);
      return;
    }
    let left = false;
    const wait = (ms: number) =>
      new Promise<void>((done) => {
        const timer = setTimeout(done, ms);
        hurry.current = () => {
          clearTimeout(timer);
          done();
        };
      });
    const run = async () => {
      setResult(null);
      if (replaying) {
        setBoard(boardOfChoices(showing.choices) ?? EMPTY_BOARD);
        setMotion("tumbling");
        thrownMs.current = performance.now();
      }
      if (!reduced) await wait(Math.max(0, TUMBLE_MS - (performance.now() - thrownMs.current)));
      if (left) return;
      setDice(outcome.dice);
      setMotion("landing");
      play("dice");
      await wait(reduced ? 260 : DICE_REST_MS);
      if (left) return;
      setMotion("rest");
      setResult({ round: showing, fresh: true });
      announce(call.current(outcome));
      if (BigInt(showing.payout.minor) > BigInt(showing.stake.minor)) {
        play("win");
        await wait(WIN_MS);
      }
      if (!left) finished.current(showing.id);
    };
    void run();
    return () => {
      left = true;
      hurry.current = () => undefined;
    };
  }, [showing, replaying, reduced]);

  const total = boardTotal(board);
  const busy = phase !== "rest";
  const shownOutcome = result === null ? null : colorOutcome(result.round);
  const change = (next: ColorBets, cue: "chip" | "tap") => {
    play(cue);
    setResult(null);
    setBoard(next);
  };
  const roll = () => {
    if (total === 0n || !table.play(boardChoices(board))) return;
    play("tap");
  };
  const said =
    result === null || shownOutcome === null
      ? ""
      : t("games.color_said", {
          dice: call.current(shownOutcome),
          payout: moneyLabel(result.round.payout),
        });

  return (
    <GameFrame
      game="color-game"
      className={styles.frame}
      state={phase}
      roundId={table.roundId}
      balance={table.balance}
      sheets={sheets}
      said={said}
      notice={phase === "waiting" ? t("games.reconnecting") : null}
      info={<ColorInfo />}
      onReplay={table.replay}
      stage={
        <SoloStage
          onSkip={() => hurry.current()}
          result={result === null ? null : soloResult(result.round, result.fresh)}
          busy={busy}
          hint={t(busy ? "games.dice_roll" : "games.color_ready")}
        >
          <p className={styles.sign} aria-hidden="true">
            {SIGN.map(([letter, colour]) => (
              <span key={`${letter}${colour}`} style={{ color: COLOUR_DISPLAY[colour].fill }}>
                {letter}
              </span>
            ))}
          </p>
          <div className={styles.cloth}>
            <Dice dice={dice} motion={motion} reduced={reduced} />
          </div>
        </SoloStage>
      }
      panel={
        <>
          <BettingBoard
            board={board}
            chipMinor={chip.minor}
            currency={currency}
            disabled={busy}
            outcome={shownOutcome}
            onAdd={(colour) => change(addChip(board, colour, chip.minor, stakeMax), "chip")}
            onRemove={(colour) => change(removeChip(board, colour, chip.minor), "tap")}
          />
          <fieldset className={styles.chips} aria-label={t("games.chip")}>
            {chip.ladder.map((minor) => (
              <button
                key={minor.toString()}
                type="button"
                className={classNames(styles.chip, styles[`chip${minor}`])}
                aria-pressed={minor === chip.minor}
                aria-label={moneyLabel({ minor, currency })}
                onClick={() => chip.choose(minor)}
              >
                {moneyLabel({ minor, currency }).replace(/^\D+|\.00$/g, "")}
              </button>
            ))}
          </fieldset>
          <div className={styles.actions}>
            <div className={styles.total}>
              <span>{t("games.total_stake")}</span>
              <MoneyText value={{ minor: total, currency }} />
            </div>
            {total === 0n && lastBoard !== null ? (
              <Button variant="secondary" disabled={busy} onClick={() => change(lastBoard, "chip")}>
                {t("games.rebet")}
              </Button>
            ) : (
              <>
                <Button
                  variant="secondary"
                  className={styles.small}
                  disabled={busy || total === 0n}
                  onClick={() => change(EMPTY_BOARD, "tap")}
                >
                  {t("games.clear")}
                </Button>
                <Button
                  variant="secondary"
                  className={styles.small}
                  disabled={busy || total === 0n || doubleBoard(board, stakeMax) === board}
                  aria-label={t("games.double")}
                  onClick={() => change(doubleBoard(board, stakeMax), "chip")}
                >
                  ×2
                </Button>
              </>
            )}
            <Button
              size="lg"
              glow
              className={styles.roll}
              disabled={phase === "rest" ? total === 0n : showing === null}
              onClick={() => (phase === "rest" ? roll() : hurry.current())}
            >
              {t(phase === "rest" || showing === null ? "games.roll" : "games.skip")}
            </Button>
          </div>
        </>
      }
    />
  );
}
