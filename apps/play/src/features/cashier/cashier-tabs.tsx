import { Segmented } from "@perya/ui/segmented";
import { useNavigate } from "@tanstack/react-router";
import { useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";
import { useShows } from "../../shell/use-shows.ts";

const PATHS = { deposit: "/m/voucherCenter", withdraw: "/m/withdraw" } as const;

export function CashierTabs({ current }: { current: keyof typeof PATHS }) {
  const { t } = useText();
  const navigate = useNavigate();
  const shows = useShows();
  const gate = useGate();
  // A single tab offers no choice.
  if (!shows(PATHS.deposit) || !shows(PATHS.withdraw)) return null;
  return (
    <Segmented
      label={t("cashier.which")}
      value={current}
      choices={[
        { value: "deposit", label: t("cashier.deposit") },
        { value: "withdraw", label: t("cashier.withdraw") },
      ]}
      onValueChange={(value) => {
        const to = PATHS[value];
        const refuse = gate({ to, gate: value === "withdraw" ? "real" : "unlessTrial" });
        return refuse === null ? navigate({ to, replace: true }) : refuse();
      }}
    />
  );
}
