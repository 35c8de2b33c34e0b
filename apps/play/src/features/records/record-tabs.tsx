import { Segmented } from "@perya/ui/segmented";
import { useNavigate } from "@tanstack/react-router";
import { useText } from "../../shell/text.ts";
import { useShows } from "../../shell/use-shows.ts";

const PATHS = { games: "/m/gameRecord", transactions: "/m/transaction/record" } as const;

/** Rounds and money, the two halves of the record. */
export function RecordTabs({ current }: { current: keyof typeof PATHS }) {
  const { t } = useText();
  const navigate = useNavigate();
  const shows = useShows();
  // A single tab offers no choice.
  if (!shows(PATHS.games) || !shows(PATHS.transactions)) return null;
  return (
    <Segmented
      label={t("records.which")}
      value={current}
      choices={[
        { value: "games", label: t("records.games") },
        { value: "transactions", label: t("records.transactions") },
      ]}
      onValueChange={(value) => navigate({ to: PATHS[value], replace: true })}
    />
  );
}
