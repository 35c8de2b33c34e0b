import type { Currency } from "@perya/kernel/money";
import { IconButton } from "@perya/ui/button";
import { LessIcon, MoreIcon } from "@perya/ui/icon";
import { MoneyText, moneyLabel } from "@perya/ui/money-text";
import { Sheet } from "../shell/sheet.tsx";
import { useText } from "../shell/text.ts";
import type { GameSheets } from "./game-sheets.ts";
import type { KeptStake } from "./kept-stake.ts";
import sheetStyles from "./sheets.module.css";
import { play } from "./sound.ts";
import styles from "./stake-control.module.css";
import { stepStake } from "./stake-ladder.ts";

export interface StakeControlProps {
  readonly stake: KeptStake;
  readonly currency: Currency;
  readonly disabled: boolean;
  readonly sheets: GameSheets;
}

/** Minus, the stake (a tap lists all of them), plus. */
export function StakeControl(props: StakeControlProps) {
  const { currency, disabled, sheets } = props;
  const { ladder, minor, choose } = props.stake;
  const { t } = useText();
  const lower = stepStake(ladder, minor, -1);
  const higher = stepStake(ladder, minor, 1);
  const change = (to: bigint) => {
    play("tap");
    choose(to);
  };
  return (
    <fieldset className={styles.control} aria-label={t("games.stake")}>
      <IconButton
        label={t("games.stake_less")}
        disabled={disabled || lower === minor}
        onClick={() => change(lower)}
      >
        <LessIcon size={20} />
      </IconButton>
      <button
        type="button"
        className={styles.value}
        disabled={disabled}
        aria-haspopup="dialog"
        onClick={() => sheets.open("stake")}
      >
        <span className={styles.name}>{t("games.stake")}</span>
        <MoneyText value={{ minor, currency }} className={styles.amount} />
      </button>
      <IconButton
        label={t("games.stake_more")}
        disabled={disabled || higher === minor}
        onClick={() => change(higher)}
      >
        <MoreIcon size={20} />
      </IconButton>
      <Sheet open={sheets.sheet === "stake"} close={sheets.close} title={t("games.stake")}>
        <div className={sheetStyles.choices}>
          {ladder.map((choice) => (
            <button
              key={choice.toString()}
              type="button"
              className={sheetStyles.choice}
              aria-pressed={choice === minor}
              onClick={() => {
                change(choice);
                sheets.close();
              }}
            >
              {moneyLabel({ minor: choice, currency })}
            </button>
          ))}
        </div>
      </Sheet>
    </fieldset>
  );
}
