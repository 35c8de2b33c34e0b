import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useEffect } from "react";
import { useText } from "../../shell/text.ts";

/** One toast for all lists. */
const TOAST = "list";
/** A list that loads faster needs no message. */
const SOON_MS = 400;

/** Shows "please wait" while a list loads, for three seconds at most (games §9, accounts §9). */
export function useWaitToast(loading: boolean, afterMs = SOON_MS): void {
  const { t } = useText();
  useEffect(() => {
    if (!loading) return;
    let isSaid = false;
    const timer = setTimeout(() => {
      isSaid = true;
      notify.loading(t("shell.in_please_wait"), TOAST, TOAST_MS.waitMax);
    }, afterMs);
    return () => {
      clearTimeout(timer);
      if (isSaid) notify.dismiss(TOAST);
    };
  }, [loading, afterMs, t]);
}
