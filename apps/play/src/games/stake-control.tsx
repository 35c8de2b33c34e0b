import type { Currency } from "@perya/kernel/money";
import { IconButton } from "@perya/ui/button";
import { LessIcon, MoreIcon } from "@perya/ui/icon";
import { MoneyText, moneyLabel } from "@perya/ui/money-text";
import { Sheet } from "../shell/sheet.tsx";
import { useText } from "../shell/text.ts";
import type { SheetDoor } from "./info-sheet.tsx";
import sheets from "./sheets.module.css";
import { play } from "./sound.ts";
import styles from "./stake-control.module.css";
import { type Ladder, stepStake } from "./stake-ladder.ts";

export interface StakeControlProps {
  readonly ladder: Ladder;
  readonly minor: bigint;
  readonly currency: Currency;
  readonly onChange: (minor: bigint) => void;
  readonly disabled: boolean;
  readonly sheet: SheetDoor & { readonly show: () => void };
}

/** Minus, the stake (a tap lists all of them), plus. */
export function StakeControl(props: StakeControlProps) {
  const { ladder, minor, currency, onChange, disabled, sheet } = props;
  const { t } = useText();
  const lower = stepStake(ladder, minor, -1);
  const higher = stepStake(ladder, minor, 1);
  const change = (to: bigint) => {
    play("tap");
    onChange(to);
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
        onClick={sheet.show}
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
      <Sheet open={sheet.open} close={sheet.close} title={t("games.stake")}>
        <div className={sheets.choices}>
          {ladder.map((choice) => (
            <button
              key={choice.toString()}
              type="button"
              className={sheets.choice}
              aria-pressed={choice === minor}
              onClick={() => {
                change(choice);
                sheet.close();
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
