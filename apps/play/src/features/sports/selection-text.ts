import { MARKETS, type Market, type Selection } from "@perya/games/sports";
import { useText } from "../../shell/text.ts";

interface Teams {
  readonly sport: "football" | "esports";
  readonly home: string;
  readonly away: string;
}

export function useSelectionText() {
  const { t } = useText();
  const marketText = ({ sport }: Pick<Teams, "sport">, market: Market): string => {
    const { kind } = MARKETS[market];
    if (kind === "result") return t("sports.result");
    if (kind === "handicap") return t("sports.handicap");
    return t(sport === "esports" ? "sports.total_maps" : "sports.total_goals");
  };
  const selectionText = (teams: Teams, market: Market, selection: Selection): string => {
    const { kind, line } = MARKETS[market];
    if (selection === "draw") return t("sports.draw");
    if (selection === "over") return t("sports.over_line", { line });
    if (selection === "under") return t("sports.under_line", { line });
    const team = teams[selection];
    if (kind !== "handicap") return team;
    return t("sports.side_line", { team, line: signed(selection === "home" ? line : -line) });
  };
  return { marketText, selectionText };
}

function signed(line: number): string {
  return line > 0 ? `+${line}` : `−${Math.abs(line)}`;
}
