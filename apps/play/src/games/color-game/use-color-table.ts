import type { Round } from "@perya/contract/rounds";
import type { ColorBets, ColorOutcome, Colour } from "@perya/games/color-game";
import { moneyLabel } from "@perya/ui/money-text";
import { useReducedMotion } from "@perya/ui/reduced-motion";
import { useCallback, useEffect, useRef, useState } from "react";
import { useText } from "../../shell/text.ts";
import type { Skipper } from "../skipper.ts";
import { celebrate, soloResult } from "../solo-stage.tsx";
import { announce, play } from "../sound.ts";
import { useShow } from "../use-show.ts";
import { useSoloRound } from "../use-solo-round.ts";
import { boardChoices, boardOfChoices, boardTotal, EMPTY_BOARD } from "./chip-board.ts";
import { COLOUR_DISPLAY } from "./colour-display.tsx";
import { DICE_REST_MS, type DiceMotion } from "./dice.tsx";
import { colorOutcome } from "./read-outcome.ts";

const FIRST_DICE: readonly Colour[] = ["red", "yellow", "blue"];
/** The fewest milliseconds that the dice tumble, so that a fast answer still looks like a throw. */
const TUMBLE_MS = 500;

export type ColorTable = ReturnType<typeof useColorTable>;

export function useColorTable(onNoFunds: () => void) {
  const { t } = useText();
  const [board, setBoard] = useState<ColorBets>(EMPTY_BOARD);
  const [lastBoard, setLastBoard] = useState<ColorBets | null>(null);
  const [shown, setShown] = useState<Round | null>(null);
  const { toss, settle, land, ...dice } = useDice();
  const solo = useSoloRound("color-game", { onRefused: () => settle(null), onNoFunds });
  const { state } = solo;
  const { phase } = state;
  const call = (outcome: ColorOutcome) =>
    outcome.dice.map((die) => t(COLOUR_DISPLAY[die].name)).join(", ");

  const choices = "choices" in state ? state.choices : null;
  useEffect(() => {
    if (choices === null) return;
    const played = boardOfChoices(choices);
    if (played !== null) setLastBoard(played);
    if (phase !== "sending") return;
    // After a reload the board is empty; the round under way brings its bets back.
    if (played !== null) setBoard((now) => (boardTotal(now) > 0n ? now : played));
    setShown(null);
    toss();
  }, [choices, phase, toss]);

  const atRest = state.phase === "rest" ? state.round : null;
  useEffect(() => {
    const outcome = atRest === null ? null : colorOutcome(atRest);
    if (atRest === null || outcome === null) return;
    settle(outcome.dice);
    setLastBoard((known) => known ?? boardOfChoices(atRest.choices));
  }, [atRest, settle]);

  const { showing, skip } = useShow(solo, async (round, steps, replaying) => {
    const outcome = colorOutcome(round);
    if (outcome === null) return;
    setShown(null);
    if (replaying) {
      setBoard(boardOfChoices(round.choices) ?? EMPTY_BOARD);
      toss();
    }
    await land(outcome.dice, steps);
    if (steps.stopped) return;
    setShown(round);
    announce(call(outcome));
    await celebrate(soloResult(round, true), steps, "win");
  });

  const outcome = shown === null ? null : colorOutcome(shown);
  return {
    ...{ solo, board, lastBoard, dice, outcome, showing, skip },
    result: shown === null ? null : soloResult(shown, true),
    said:
      shown === null || outcome === null
        ? ""
        : t("games.color_said", { dice: call(outcome), payout: moneyLabel(shown.payout) }),
    change(next: ColorBets, cue: "chip" | "tap"): void {
      play(cue);
      setShown(null);
      setBoard(next);
    },
    roll(): void {
      if (boardTotal(board) > 0n && solo.play(boardChoices(board))) play("tap");
    },
  };
}

function useDice() {
  const reduced = useReducedMotion();
  const [dice, setDice] = useState(FIRST_DICE);
  const [motion, setMotion] = useState<DiceMotion>("rest");
  const tossedMs = useRef(0);
  const toss = useCallback(() => {
    setMotion("tumbling");
    tossedMs.current = performance.now();
  }, []);
  /** @param next what they show from then on; null if it stays the same */
  const settle = useCallback((next: readonly Colour[] | null) => {
    if (next !== null) setDice(next);
    setMotion("rest");
  }, []);
  const land = async (next: readonly Colour[], steps: Skipper) => {
    if (!reduced) await steps.wait(Math.max(0, TUMBLE_MS - (performance.now() - tossedMs.current)));
    if (steps.stopped) return;
    setDice(next);
    setMotion("landing");
    play("dice");
    await steps.wait(reduced ? 260 : DICE_REST_MS);
    if (!steps.stopped) setMotion("rest");
  };
  return { dice, motion, reduced, toss, settle, land };
}
