import { COMMISSION_PERCENT, DRAW_FACTOR, drawReturn, poolReturn } from "@perya/games/cockfight";
import { percentText } from "@perya/games/rational";
import { useText } from "../../shell/text.ts";
import { Figures } from "../info-sheet.tsx";

export function CockfightInfo() {
  const { t } = useText();
  return (
    <>
      <Figures
        items={[
          [t("games.cock_commission"), `${COMMISSION_PERCENT}%`],
          [t("games.cock_return_sides"), `${percentText(poolReturn(), 2)}%`],
          [t("games.cock_return_draw"), `${percentText(drawReturn(), 2)}%`],
        ]}
      />
      <h3>{t("games.rules")}</h3>
      <ul>
        <li>{t("games.cock_rule_virtual")}</li>
        <li>{t("games.cock_rule_pool")}</li>
        <li>{t("games.cock_rule_draw", { factor: DRAW_FACTOR })}</li>
        <li>{t("games.cock_rule_contest")}</li>
        <li>{t("games.cock_rule_cancel")}</li>
      </ul>
      <h3>{t("games.paytable")}</h3>
      <p>{t("games.cock_chances")}</p>
    </>
  );
}
