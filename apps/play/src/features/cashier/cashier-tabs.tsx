import { Segmented } from "@perya/ui/segmented";
import { useNavigate } from "@tanstack/react-router";
import { useText } from "../../shell/text.ts";

const PATHS = { deposit: "/m/voucherCenter", withdraw: "/m/withdraw" } as const;

export function CashierTabs({ current }: { current: keyof typeof PATHS }) {
  const { t } = useText();
  const navigate = useNavigate();
  return (
    <Segmented
      label={t("cashier.which")}
      value={current}
      choices={[
        { value: "deposit", label: t("cashier.deposit") },
        { value: "withdraw", label: t("cashier.withdraw") },
      ]}
      onValueChange={(value) => navigate({ to: PATHS[value], replace: true })}
    />
  );
}
