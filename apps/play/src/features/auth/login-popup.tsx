import { Button } from "@perya/ui/button";
import { PasskeyIcon } from "@perya/ui/icon";
import { Popup } from "@perya/ui/sheet";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { FaultLine } from "../../parts/account/fault-line.tsx";
import { useFreeTrial } from "../../parts/free-trial.ts";
import { faultText } from "../../shell/fault.ts";
import type { PopupDoor } from "../../shell/popup-host.tsx";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { queries } from "../../shell/server.ts";
import type { SessionInfo } from "../../shell/session.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./auth.module.css";
import { ExternalLogins, useExternalFinish } from "./external-login.tsx";
import { finishLogin } from "./finish-login.ts";
import type { GivenLogin } from "./login-body.ts";
import { LoginForm } from "./login-form.tsx";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { ServiceLinks } from "./service-links.tsx";
import { usePasskeyLogin } from "./use-passkey-login.ts";

export default function LoginPopup({ open, close }: PopupDoor) {
  const { t } = useText();
  const popups = usePopups();
  const { next, name, trial, flow } = useOpenPopup();
  const [given] = useState({ next, name, trial, flow });
  const { data: status } = useQuery(queries.status());
  const { startTrial, starting } = useFreeTrial();
  const later = given.next === undefined ? {} : { next: given.next };

  /** A session that was begun in this popup, and not in another tab. */
  const own = useRef(false);
  const leave = () => {
    if (given.next === undefined) close();
    else popups.leaveTo(given.next);
  };
  /** The first half of a log-in whose second factor is awaited. */
  const [held, setHeld] = useState<{ pending: string; login: GivenLogin | null } | null>(null);
  const [expired, setExpired] = useState(false);
  const finish = (session: SessionInfo, login: GivenLogin | null) => {
    own.current = true;
    finishLogin(session, login);
    leave();
  };
  const external = useExternalFinish(given.flow, {
    onSession: (session) => finish(session, null),
    onPending: (pending) => setHeld({ pending, login: null }),
  });
  const playTrial = () => {
    own.current = true;
    // The trial indicator 0 is the caller's "stay here".
    startTrial(given.trial === "0" ? close : () => popups.leaveTo("/m/home"));
  };
  const passkey = usePasskeyLogin(open && held === null && !external.finishing, (session) =>
    finish(session, null),
  );
  const elsewhere = useLoggedInElsewhere();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a log-in of another tab closes.
  useEffect(() => {
    if (open && elsewhere && !own.current) close();
  }, [elsewhere]);

  return (
    <Popup
      open={open}
      onOpenChange={close}
      title={t("auth.login_title")}
      closeLabel={t("shell.close")}
    >
      {held === null ? (
        <LoginForm
          name={given.name}
          busy={external.finishing}
          fault={
            expired
              ? t("auth.second_factor_expired")
              : external.error === null
                ? undefined
                : faultText(external.error)
          }
          onSession={finish}
          onPending={(pending, login) => setHeld({ pending, login })}
        />
      ) : (
        <SecondFactorStep
          pending={held.pending}
          onDone={(session) => finish(session, held.login)}
          onExpired={() => {
            setExpired(true);
            setHeld(null);
          }}
        />
      )}
      {held === null && (
        <>
          <p className={styles.or}>{t("auth.or")}</p>
          <div className={styles.others}>
            {passkey.offered && (
              <Button
                className={styles.wide}
                variant="secondary"
                icon={<PasskeyIcon size={20} aria-hidden="true" />}
                loading={passkey.busy}
                onClick={passkey.begin}
              >
                {t("auth.with_passkey")}
              </Button>
            )}
            <FaultLine text={passkey.fault} />
            {status?.info.whitelabel.FREEPLAY3 === true && (
              <Button variant="secondary" loading={starting} onClick={playTrial}>
                {t("auth.trial")}
              </Button>
            )}
            <Button variant="secondary" onClick={() => popups.open("register", later)}>
              {t("auth.create_account")}
            </Button>
            <ExternalLogins />
          </div>
        </>
      )}
      <ServiceLinks />
    </Popup>
  );
}

/** Another tab logged in while this popup stood open. */
function useLoggedInElsewhere(): boolean {
  const token = useSession(({ session }) => session?.token ?? null);
  const [before] = useState(token);
  return token !== null && token !== before;
}
