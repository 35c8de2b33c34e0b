import { Button } from "@perya/ui/button";
import { PasskeyIcon } from "@perya/ui/icon";
import { useEffect, useRef, useState } from "react";
import { FaultLine } from "../../parts/forms/fault-line.tsx";
import { useFreeTrial } from "../../parts/games/free-trial.ts";
import { withoutWords, wordsOf } from "../../parts/games/own-words.ts";
import { faultText } from "../../shell/fault.ts";
import { type PopupProps, useOpenPopup, usePopups } from "../../shell/popups.ts";
import { type SessionInfo, useSession } from "../../shell/session.ts";
import { Popup } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { useShows } from "../../shell/use-shows.ts";
import styles from "./auth.module.css";
import { ExternalLogins, useExternalFinish } from "./external-login.tsx";
import { takeNext } from "./external-next.ts";
import { finishLogin } from "./finish-login.ts";
import type { GivenLogin } from "./login-body.ts";
import { LoginForm } from "./login-form.tsx";
import { OutsideRegister } from "./outside-register.tsx";
import type { AwaitedRegistration } from "./register-fields.ts";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { ServiceLinks } from "./service-links.tsx";
import { usePasskeyLogin } from "./use-passkey-login.ts";

type Step =
  | { readonly is: "form" }
  /** The first half of a log-in that awaits its second factor. */
  | { readonly is: "second-factor"; readonly pending: string; readonly login: GivenLogin | null }
  /** A log-in from outside that no account here belongs to. */
  | { readonly is: "outside"; readonly awaited: AwaitedRegistration };
const FORM: Step = { is: "form" };

export default function LoginPopup({ open, close }: PopupProps) {
  const { t } = useText();
  const popups = usePopups();
  const { next, name, trial, flow } = useOpenPopup();
  const [given] = useState({ next, name, trial, flow });
  const { startTrial, starting } = useFreeTrial();
  /** The session began in this popup, and not in another tab. */
  const own = useRef(false);
  /** The player whose typed words the next page's address may hold. */
  const [before] = useState(wordsOf);
  const [step, setStep] = useState<Step>(FORM);
  /** Why the log-in began again. */
  const [failed, setFailed] = useState<Error | "expired" | null>(null);
  const finish = (session: SessionInfo, login: GivenLogin | null) => {
    own.current = true;
    // From the tab's storage, which is emptied if another player was here before.
    const next = given.next ?? (given.flow === undefined ? undefined : takeNext());
    finishLogin(session, login);
    if (next === undefined) close();
    else popups.leaveTo(wordsOf() === before ? next : withoutWords(next));
  };
  const beginAnew = (why: Error | "expired") => {
    setFailed(why);
    setStep(FORM);
  };
  const finishOutside = {
    onSession: (session: SessionInfo) => finish(session, null),
    onPending: (pending: string) => setStep({ is: "second-factor", pending, login: null }),
  };
  const external = useExternalFinish(given.flow, {
    ...finishOutside,
    onAwaited: (awaited) => setStep({ is: "outside", awaited }),
    onError: setFailed,
  });
  const playTrial = () => {
    own.current = true;
    // The trial indicator 0 is the caller's "stay here".
    startTrial(given.trial === "0" ? close : () => popups.leaveTo("/m/home"));
  };
  const elsewhere = useLoggedInElsewhere();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a log-in of another tab closes.
  useEffect(() => {
    if (open && elsewhere && !own.current) close();
  }, [elsewhere]);

  return (
    <Popup
      open={open}
      close={close}
      title={t(step.is === "outside" ? "auth.outside_title" : "auth.login_title")}
    >
      {step.is === "form" && (
        <LoginForm
          name={given.name}
          busy={external.finishing}
          fault={
            failed === "expired"
              ? t("auth.second_factor_expired")
              : failed === null
                ? undefined
                : faultText(failed)
          }
          onSession={finish}
          onPending={(pending, login) => setStep({ is: "second-factor", pending, login })}
        />
      )}
      {step.is === "second-factor" && (
        <SecondFactorStep
          pending={step.pending}
          onDone={(session) => finish(session, step.login)}
          onExpired={() => beginAnew("expired")}
        />
      )}
      {step.is === "outside" && (
        <OutsideRegister awaited={step.awaited} {...finishOutside} onExpired={beginAnew} />
      )}
      {step.is === "form" && (
        <OtherWays
          given={given}
          passkeys={open && !external.finishing}
          onPasskey={(session) => finish(session, null)}
          playTrial={playTrial}
          starting={starting}
        />
      )}
      <ServiceLinks />
    </Popup>
  );
}

interface OtherWaysProps {
  readonly given: { readonly next: string | undefined; readonly trial: "0" | undefined };
  readonly passkeys: boolean;
  readonly onPasskey: (session: SessionInfo) => void;
  readonly playTrial: () => void;
  readonly starting: boolean;
}

function OtherWays(props: OtherWaysProps) {
  const { given, passkeys, onPasskey, playTrial, starting } = props;
  const { t } = useText();
  const popups = usePopups();
  const shows = useShows();
  const passkey = usePasskeyLogin(passkeys, onPasskey);
  const later = {
    ...(given.next === undefined ? {} : { next: given.next }),
    ...(given.trial === undefined ? {} : { trial: given.trial }),
  };
  return (
    <>
      <p className={styles.or}>{t("auth.or")}</p>
      <div className={styles.others}>
        {passkey.offered && (
          <Button
            className={styles.wide}
            variant="secondary"
            icon={<PasskeyIcon size={20} />}
            loading={passkey.busy}
            onClick={passkey.begin}
          >
            {t("auth.with_passkey")}
          </Button>
        )}
        <FaultLine text={passkey.fault} />
        {shows("/m/trail") && (
          <Button variant="secondary" loading={starting} onClick={playTrial}>
            {t("auth.trial")}
          </Button>
        )}
        <Button variant="secondary" onClick={() => popups.open("register", later)}>
          {t("auth.create_account")}
        </Button>
        <ExternalLogins next={given.next} />
      </div>
    </>
  );
}

/** Another tab logged in while this popup was open. */
function useLoggedInElsewhere(): boolean {
  const token = useSession(({ session }) => session?.token ?? null);
  const [before] = useState(token);
  return token !== null && token !== before;
}
