import type { Colour } from "@perya/games/color-game";
import type { Currency } from "@perya/kernel/money";
import { Button } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { MoneyText, moneyLabel } from "@perya/ui/money-text";
import { useHashSheets } from "../../parts/browser/use-hash-sheet.ts";
import { useText } from "../../shell/text.ts";
import { GameFrame } from "../game-frame.tsx";
import { GAME_SHEETS } from "../game-sheets.ts";
import { useKeptStake, useStakeMax } from "../kept-stake.ts";
import { SoloStage } from "../solo-stage.tsx";
import { CHIPS } from "../stake-ladder.ts";
import { BettingBoard } from "./betting-board.tsx";
import { addChip, boardTotal, doubleBoard, EMPTY_BOARD, removeChip } from "./chip-board.ts";
import styles from "./client.module.css";
import { ColorInfo } from "./color-info.tsx";
import { COLOUR_DISPLAY } from "./colour-display.tsx";
import { Dice } from "./dice.tsx";
import { type ColorTable, useColorTable } from "./use-color-table.ts";

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

export default function ColorClient() {
  const { t } = useText();
  const sheets = useHashSheets(GAME_SHEETS);
  const table = useColorTable(() => sheets.open("funds"));
  const { solo, result, skip } = table;
  const { phase } = solo.state;
  const busy = phase !== "rest";
  return (
    <GameFrame
      game="color-game"
      className={styles.frame}
      state={phase}
      roundId={solo.roundId}
      balance={solo.balance}
      sheets={sheets}
      said={table.said}
      notice={phase === "waiting" ? t("games.reconnecting") : null}
      info={<ColorInfo />}
      onReplay={solo.replay}
      stage={
        <SoloStage
          onSkip={skip}
          result={result}
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
            <Dice {...table.dice} />
          </div>
        </SoloStage>
      }
      panel={<Panel table={table} currency={solo.balance?.currency ?? "PHP"} busy={busy} />}
    />
  );
}

interface PanelProps {
  readonly table: ColorTable;
  readonly currency: Currency;
  readonly busy: boolean;
}

function Panel({ table, currency, busy }: PanelProps) {
  const { t } = useText();
  const chip = useKeptStake("chip", CHIPS, 500n);
  const stakeMax = useStakeMax();
  const { board, outcome, change } = table;
  return (
    <>
      <BettingBoard
        board={board}
        chipMinor={chip.minor}
        currency={currency}
        disabled={busy}
        outcome={outcome}
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
      <Actions table={table} currency={currency} busy={busy} stakeMax={stakeMax} />
    </>
  );
}

function Actions(props: PanelProps & { readonly stakeMax: bigint | null }) {
  const { table, currency, busy, stakeMax } = props;
  const { t } = useText();
  const { board, lastBoard, showing, change } = table;
  const total = boardTotal(board);
  const empty = total === 0n;
  return (
    <div className={styles.actions}>
      <div className={styles.total}>
        <span>{t("games.total_stake")}</span>
        <MoneyText value={{ minor: total, currency }} />
      </div>
      {empty && lastBoard !== null ? (
        <Button variant="secondary" disabled={busy} onClick={() => change(lastBoard, "chip")}>
          {t("games.rebet")}
        </Button>
      ) : (
        <>
          <Button
            variant="secondary"
            className={styles.small}
            disabled={busy || empty}
            onClick={() => change(EMPTY_BOARD, "tap")}
          >
            {t("games.clear")}
          </Button>
          <Button
            variant="secondary"
            className={styles.small}
            disabled={busy || empty || doubleBoard(board, stakeMax) === board}
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
        disabled={busy ? showing === null : empty}
        onClick={() => (busy ? table.skip() : table.roll())}
      >
        {t(!busy || showing === null ? "games.roll" : "games.skip")}
      </Button>
    </div>
  );
}
