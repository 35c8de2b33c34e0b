import { Button } from "@perya/ui/button";
import type { ReactNode } from "react";
import { type Gate, refusalAt } from "../../shell/access.ts";
import { pathHere, usePopups } from "../../shell/popups.ts";
import { isTrial, useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { EmptyScene } from "../pictures/empty-art.tsx";

/**
 * Surrounds a screen that needs a log-in. After a lapse the screen stays as it is, with the typed
 * values, and a new log-in is asked for above it.
 */
export function SessionGate(props: { gate: Gate; children: ReactNode }) {
  const { t } = useText();
  const popups = usePopups();
  const { session, lapsed } = useSession();
  if (session === null && !lapsed) {
    return (
      <EmptyScene
        title={t("shell.login_needed")}
        action={
          <Button onClick={() => popups.open("login", { next: pathHere() })}>
            {t("auth.login")}
          </Button>
        }
      />
    );
  }
  if (session !== null && refusalAt(props.gate, session) === "free_reject") {
    return (
      <EmptyScene
        title={t("shell.real_account_title")}
        text={t("error.free_reject")}
        {...(isTrial(session)
          ? {
              action: (
                <Button onClick={() => popups.open("register", { next: pathHere() })}>
                  {t("auth.register")}
                </Button>
              ),
            }
          : {})}
      />
    );
  }
  return (
    <>
      {lapsed && (
        <p role="alert">
          <Button variant="secondary" block onClick={() => popups.open("login")}>
            {t("shell.login_again")}
          </Button>
        </p>
      )}
      {props.children}
    </>
  );
}
