import { connect } from "@perya/client/connect";
import { createQueries } from "@perya/client/queries";
import { ApiRefusal } from "@perya/client/refused";
import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { isInstalled, runMode } from "./run-mode.ts";
import { playerSession } from "./session.ts";
import { currentLanguage, textOf } from "./text.ts";

export const { api, queryClient, live } = connect({
  session: playerSession,
  getLanguage: currentLanguage,
  isStandalone: () => isInstalled(runMode()),
  onFault: askWhetherOpen,
  // The player may look up only now.
  onLapse() {
    notify.error(() => textOf("error.session_ended"), "session", TOAST_MS.long);
  },
});

export const merchantCode = () => queryClient.getQueryData(statusKey)?.info.merchantCode;
export const queries = createQueries(api, merchantCode);
const statusKey = queries.status().queryKey;

/** After a refusal for the whole site: the status says whether the site or one call is closed. */
export function askWhetherOpen(error: Error): void {
  if (!(error instanceof ApiRefusal)) return;
  const { code } = error.problem;
  if (code !== "maintenance" && code !== "region_restricted") return;
  const { queryKey } = queries.status();
  if (queryClient.getQueryState(queryKey)?.fetchStatus === "fetching") return;
  void queryClient.invalidateQueries({ queryKey });
}
