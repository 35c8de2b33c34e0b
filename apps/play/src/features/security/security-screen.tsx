import { Segmented } from "@perya/ui/segmented";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useText } from "../../shell/text.ts";
import { DevicesPanel } from "./devices-panel.tsx";
import { LoginsPanel } from "./logins-panel.tsx";
import { SafetyPanel } from "./safety-panel.tsx";
import styles from "./security.module.css";
import { useLinkFinish } from "./use-link-finish.ts";

/** The security centre: the account's safeguards, its devices, its log-ins and failed tries. */
export default function SecurityScreen() {
  const { t } = useText();
  const navigate = useNavigate();
  useLinkFinish();
  const { tab = "safety" } = useSearch({ from: "/m/securityCenter" });
  return (
    <div className={styles.screen}>
      <Segmented
        label={t("security.title")}
        value={tab}
        choices={[
          { value: "safety", label: t("security.tab_safety") },
          { value: "devices", label: t("security.tab_devices") },
          { value: "logins", label: t("security.tab_logins") },
        ]}
        onValueChange={(value) =>
          navigate({
            to: "/m/securityCenter",
            search: value === "safety" ? {} : { tab: value },
            replace: true,
          })
        }
      />
      {tab === "safety" && <SafetyPanel />}
      {tab === "devices" && <DevicesPanel />}
      {tab === "logins" && <LoginsPanel />}
    </div>
  );
}
