import { COLOR_GAME_ODDS, colorGameReturn } from "@perya/games/color-game";
import { percentText } from "@perya/games/rational";
import { useText } from "../../shell/text.ts";
import { Figures } from "../info-sheet.tsx";

export function ColorInfo() {
  const { t } = useText();
  const rtp = colorGameReturn();
  const [, one, two, three] = COLOR_GAME_ODDS;
  return (
    <>
      <Figures
        items={[
          [t("games.rtp_exact"), `${percentText(rtp, 2)}% (${rtp.numerator}/${rtp.denominator})`],
          [t("games.max_win"), `${three} : 1`],
        ]}
      />
      <h3>{t("games.rules")}</h3>
      <ul>
        <li>{t("games.color_rule_bet")}</li>
        <li>{t("games.color_rule_pay", { one, two, three })}</li>
        <li>{t("games.color_rule_lose")}</li>
      </ul>
      <h3>{t("games.paytable")}</h3>
      <ul>
        <li>{t("games.color_pay_one", { odds: one })}</li>
        <li>{t("games.color_pay_two", { odds: two })}</li>
        <li>{t("games.color_pay_three", { odds: three })}</li>
      </ul>
      <p>{t("games.color_chances")}</p>
    </>
  );
}
