import type { CommandKey } from "@perya/client/api";
import { tabStore } from "@perya/client/browser-storage";
import { ApiRefusal } from "@perya/client/refused";
import {
  type IntentionOptions,
  type IntentionView,
  type UsedIntention,
  useIntention,
} from "@perya/client/use-intention";
import { useEffect } from "react";
import styles from "./command.module.css";
import { faultText } from "./fault.ts";
import { api, askWhetherOpen } from "./server.ts";
import { currentSession, useSession } from "./session.ts";
import { useText } from "./text.ts";

const store = tabStore();
const accountNow = () => currentSession()?.userName ?? null;

/** A command of the logged-in player: see `useIntention`. */
export function useCommand<K extends CommandKey>(
  key: K,
  options: Omit<IntentionOptions<K>, "api" | "store" | "account" | "accountNow">,
): UsedIntention<K> {
  const account = useSession(({ session }) => session?.userName ?? null);
  const used = useIntention(key, { api, store, account, accountNow, ...options });
  const { error } = used.view;
  useEffect(() => {
    if (error instanceof Error) askWhetherOpen(error);
  }, [error]);
  return used;
}

/**
 * While a command's end is unknown: says that it is being found out, and why. Shown below its
 * button, which must not move from under a finger that taps twice.
 */
export function CommandState<K extends CommandKey>({ view }: { view: IntentionView<K> }) {
  const { t } = useText();
  if (view.phase !== "checking") return null;
  const { error } = view;
  const told = error instanceof ApiRefusal && error.problem.code === "provider_unavailable";
  return (
    <p className={styles.checking} role="status">
      {told && <>{faultText(error)} </>}
      {t("shell.checking")}
    </p>
  );
}
