import type { Round } from "@perya/contract/rounds";
import type { Currency } from "@perya/kernel/money";
import { classNames } from "@perya/ui/class-names";
import { MoneyText } from "@perya/ui/money-text";
import { useReducedMotion } from "@perya/ui/reduced-motion";
import type { ReactNode } from "react";
import { useText } from "../shell/text.ts";
import type { Skipper } from "./skipper.ts";
import styles from "./solo-stage.module.css";
import { type Cue, play } from "./sound.ts";
import { useCountUp } from "./use-count-up.ts";

/** How long a win plays at most (look and feel, motion). */
const WIN_MS = 1_200;

/** The result of a finished round. */
export interface SoloResult {
  readonly id: string;
  readonly stakeMinor: bigint;
  readonly payoutMinor: bigint;
  readonly currency: Currency;
  /** It was just shown, so a win counts up; a result found at rest does not. */
  readonly fresh: boolean;
}

export function soloResult({ id, stake, payout }: Round, fresh: boolean): SoloResult {
  const { minor: stakeMinor, currency } = stake;
  return { id, stakeMinor, payoutMinor: payout.minor, currency, fresh };
}

/** A payout of no more than the stake is not celebrated as a win. */
export function isWin({ payoutMinor, stakeMinor }: SoloResult): boolean {
  return payoutMinor > stakeMinor;
}

/** Plays a win, if it is one. */
export async function celebrate(result: SoloResult, steps: Skipper, cue: Cue): Promise<void> {
  if (!isWin(result)) return;
  play(cue);
  await steps.wait(WIN_MS);
}

export interface SoloStageProps {
  /** A tap skips the running show; the game's main button does it for the keyboard. */
  readonly onSkip: () => void;
  readonly result: SoloResult | null;
  /** The round is still being shown, so a win counts up. */
  readonly busy: boolean;
  /** Shown in the result's place while there is none. */
  readonly hint: string;
  readonly children: ReactNode;
}

/** The stage of a solo game: the game's picture and, below it, the result. */
export function SoloStage({ onSkip, children, ...outcome }: SoloStageProps) {
  return (
    <div className={styles.stage} onPointerDown={onSkip}>
      {children}
      <ResultBar {...outcome} />
    </div>
  );
}

function ResultBar({ result, busy, hint }: Pick<SoloStageProps, "result" | "busy" | "hint">) {
  const { t } = useText();
  const reduced = useReducedMotion();
  const won = result !== null && isWin(result);
  // Once the table is at rest the amount is final: the count-up was shown or skipped.
  const minor = useCountUp(result?.payoutMinor ?? 0n, won && busy && !reduced);
  if (result === null) return <p className={styles.result}>{hint}</p>;
  if (!result.fresh) {
    return (
      <p className={styles.result}>
        <span>{t("games.last_round")}</span>
        <MoneyText value={{ minor: result.payoutMinor, currency: result.currency }} />
      </p>
    );
  }
  if (result.payoutMinor === 0n) return <p className={styles.result}>{t("games.no_win")}</p>;
  return (
    <p className={classNames(styles.result, won && styles.won)}>
      <span>{t(won ? "games.win" : "games.back_to_you")}</span>
      <MoneyText value={{ minor, currency: result.currency }} className={styles.figure} />
    </p>
  );
}
