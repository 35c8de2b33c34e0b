import type { Currency } from "@perya/kernel/money";
import { Button } from "@perya/ui/button";
import { moneyLabel } from "@perya/ui/money-text";
import { Switch } from "@perya/ui/switch";
import { useState } from "react";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { AUTOPLAY_COUNTS, type AutoplayPlan } from "../autoplay.ts";
import type { SheetProps } from "../info-sheet.tsx";
import sheets from "../sheets.module.css";

/** Limits are offered in stakes of the spin that will be played. */
const LOSS_LIMITS = [5n, 10n, 25n] as const;

export interface AutoplaySheetProps extends SheetProps {
  readonly stakeMinor: bigint;
  readonly currency: Currency;
  readonly onStart: (plan: AutoplayPlan) => void;
}

export function AutoplaySheet(props: AutoplaySheetProps) {
  const { open, close, stakeMinor, currency, onStart } = props;
  const { t } = useText();
  const [count, setCount] = useState<number>(AUTOPLAY_COUNTS[0]);
  const [stopOnWin, setStopOnWin] = useState(false);
  const [limit, setLimit] = useState<bigint>(LOSS_LIMITS[1]);
  const money = (minor: bigint) => moneyLabel({ minor, currency });
  const begin = () => {
    close();
    onStart({ count, stopOnWin, lossLimitMinor: limit * stakeMinor });
  };
  return (
    <Sheet
      open={open}
      close={close}
      title={t("games.auto")}
      footer={<Button onClick={begin}>{t("games.auto_start", { count })}</Button>}
    >
      <p className={sheets.label} id="auto-count">
        {t("games.auto_count")}
      </p>
      <fieldset className={`${sheets.choices} ${sheets.four}`} aria-labelledby="auto-count">
        {AUTOPLAY_COUNTS.map((choice) => (
          <button
            key={choice}
            type="button"
            className={sheets.choice}
            aria-pressed={choice === count}
            onClick={() => setCount(choice)}
          >
            {choice}
          </button>
        ))}
      </fieldset>
      <p className={sheets.label} id="auto-limit">
        {t("games.auto_limit")}
      </p>
      <fieldset className={sheets.choices} aria-labelledby="auto-limit">
        {LOSS_LIMITS.map((stakes) => (
          <button
            key={stakes.toString()}
            type="button"
            className={sheets.choice}
            aria-pressed={stakes === limit}
            onClick={() => setLimit(stakes)}
          >
            {money(stakes * stakeMinor)}
          </button>
        ))}
      </fieldset>
      <Switch label={t("games.auto_stop_win")} checked={stopOnWin} onCheckedChange={setStopOnWin} />
      <p className={sheets.lead}>{t("games.auto_note")}</p>
    </Sheet>
  );
}
