import { OfflineIcon } from "@perya/ui/icon";
import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useEffect, useSyncExternalStore } from "react";
import styles from "./offline-banner.module.css";
import { textOf, useText } from "./text.ts";

export function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => {
      addEventListener("online", changed);
      addEventListener("offline", changed);
      return () => {
        removeEventListener("online", changed);
        removeEventListener("offline", changed);
      };
    },
    () => navigator.onLine,
  );
}

/** The live region always exists, so that screen readers announce its text. */
export function OfflineBanner() {
  const { t } = useText();
  const online = useOnline();
  useEffect(() => {
    const back = () => notify.info(textOf("shell.back_online"), TOAST_MS.notice);
    addEventListener("online", back);
    return () => removeEventListener("online", back);
  }, []);
  return (
    <div role="status">
      {!online && (
        <p className={styles.banner}>
          <OfflineIcon size={18} />
          {t("shell.offline_banner")}
        </p>
      )}
    </div>
  );
}
