import { percentText } from "@perya/games/rational";
import { MAX_CRASH_HUNDREDTHS, SARANGGOLA_RETURN } from "@perya/games/saranggola";
import { useText } from "../../shell/text.ts";
import { Figures } from "../info-sheet.tsx";
import { multiplierText } from "./flight-table.ts";

export function SaranggolaInfo() {
  const { t } = useText();
  const rtp = percentText(SARANGGOLA_RETURN, 2);
  return (
    <>
      <Figures
        items={[
          [t("games.rtp_exact"), `${rtp}%`],
          [t("games.max_win"), multiplierText(MAX_CRASH_HUNDREDTHS)],
        ]}
      />
      <h3>{t("games.rules")}</h3>
      <ul>
        <li>{t("games.kite_rule_bet")}</li>
        <li>{t("games.kite_rule_cash")}</li>
        <li>{t("games.kite_rule_auto")}</li>
        <li>{t("games.kite_rule_shared")}</li>
        <li>{t("games.kite_rule_void")}</li>
      </ul>
      <h3>{t("games.paytable")}</h3>
      <p>{t("games.kite_chances")}</p>
    </>
  );
}
