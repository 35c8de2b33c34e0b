import { COLOURS, type ColorBets, type ColorOutcome, type Colour } from "@perya/games/color-game";
import { type Currency, fromWire } from "@perya/kernel/money";
import { classNames } from "@perya/ui/class-names";
import { LessIcon } from "@perya/ui/icon";
import { MoneyText, moneyLabel } from "@perya/ui/money-text";
import { useRef } from "react";
import { useText } from "../../shell/text.ts";
import styles from "./betting-board.module.css";
import { COLOUR_DISPLAY, ColourMark } from "./colour-display.tsx";

export interface BettingBoardProps {
  readonly board: ColorBets;
  readonly chipMinor: bigint;
  readonly currency: Currency;
  readonly disabled: boolean;
  /** Shown once the dice have stopped; the played bets may differ from the board's. */
  readonly outcome: ColorOutcome | null;
  readonly onAdd: (colour: Colour) => void;
  readonly onRemove: (colour: Colour) => void;
}

const LONG_PRESS_MS = 450;

/** Six colours: a tap puts a chip down, the minus or a long press takes one back. */
export function BettingBoard(props: BettingBoardProps) {
  const { t } = useText();
  return (
    <fieldset className={styles.board} aria-label={t("games.board")}>
      {COLOURS.map((colour) => (
        <ColourTile key={colour} colour={colour} {...props} />
      ))}
    </fieldset>
  );
}

function ColourTile(props: BettingBoardProps & { readonly colour: Colour }) {
  const { colour, board, chipMinor, currency, disabled, outcome, onAdd, onRemove } = props;
  const { t } = useText();
  const pressed = useRef<ReturnType<typeof setTimeout> | null>(null);
  const wasLong = useRef(false);
  const minor = board[colour] ?? 0n;
  const matches = outcome?.dice.filter((die) => die === colour).length ?? 0;
  const bet = outcome?.perColour[colour];
  const name = t(COLOUR_DISPLAY[colour].name);
  const label = t("games.colour_bet", {
    colour: name,
    amount: moneyLabel({ minor, currency }),
  });
  const release = () => {
    if (pressed.current !== null) clearTimeout(pressed.current);
    pressed.current = null;
  };
  return (
    <div
      className={classNames(
        styles.tile,
        matches > 0 && styles.hit,
        outcome !== null && matches === 0 && styles.missed,
      )}
      data-colour={colour}
      data-matches={matches}
    >
      <button
        type="button"
        className={styles.add}
        style={{ backgroundColor: COLOUR_DISPLAY[colour].fill, color: COLOUR_DISPLAY[colour].ink }}
        disabled={disabled}
        aria-label={label}
        onPointerDown={() => {
          wasLong.current = false;
          pressed.current = setTimeout(() => {
            wasLong.current = true;
            onRemove(colour);
          }, LONG_PRESS_MS);
        }}
        onPointerUp={release}
        onPointerLeave={release}
        onPointerCancel={release}
        onContextMenu={(event) => event.preventDefault()}
        onClick={() => {
          if (!wasLong.current) onAdd(colour);
          wasLong.current = false;
        }}
      >
        <ColourMark colour={colour} size={26} />
        <span className={styles.name}>{name}</span>
        {matches > 0 && <span className={styles.matches}>×{matches}</span>}
      </button>
      {minor > 0n && (
        <span className={styles.chips} aria-hidden="true">
          {moneyLabel({ minor, currency }).replace(/\.00$/, "")}
        </span>
      )}
      {minor > 0n && outcome === null && (
        <button
          type="button"
          className={styles.remove}
          disabled={disabled}
          aria-label={t("games.remove_chip", {
            colour: name,
            amount: moneyLabel({ minor: chipMinor, currency }),
          })}
          onClick={() => onRemove(colour)}
        >
          <LessIcon size={16} strokeWidth={3} />
        </button>
      )}
      {bet !== undefined && bet.payoutMinor !== "0" && (
        <span className={styles.paid}>
          <MoneyText value={fromWire({ minor: bet.payoutMinor, currency })} />
        </span>
      )}
    </div>
  );
}
