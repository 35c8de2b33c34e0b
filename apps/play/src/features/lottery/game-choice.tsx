import type { ListedLottery } from "@perya/contract/lottery";
import { ChipRow } from "@perya/ui/chip-row";
import { useState } from "react";
import { useText } from "../../shell/text.ts";

/** The lottery whose results and numbers are shown: the open one, else the first. */
export function useGameChoice(lotteries: readonly ListedLottery[], first: ListedLottery | null) {
  return useState(first?.gameCode ?? lotteries[0]?.gameCode ?? "");
}

export function GameChoice(props: {
  lotteries: readonly ListedLottery[];
  value: string;
  onChange: (gameCode: string) => void;
}) {
  const { t } = useText();
  return (
    <ChipRow
      label={t("lottery.choose_game")}
      value={props.value}
      onValueChange={props.onChange}
      choices={props.lotteries.map(({ gameCode, name }) => ({ value: gameCode, label: name }))}
    />
  );
}
