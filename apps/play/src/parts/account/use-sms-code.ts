import type { Body } from "@perya/client/api";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useRef, useState } from "react";
import { sayFault } from "../../shell/fault.ts";
import { notify } from "../../shell/notify.ts";
import { api } from "../../shell/server.ts";
import { textOf } from "../../shell/text.ts";
import { requestCode } from "./code-request.ts";
import { useCountdown } from "./use-countdown.ts";

type Purpose = Body<"POST /api/v1/auth/sms-code">["purpose"];

export interface SmsCode {
  /** Whole seconds until another code may be asked for. */
  readonly leftS: number;
  readonly sending: boolean;
  /** One was sent since the form opened: the next is a resend. */
  readonly sent: boolean;
  send(number: () => Promise<GivenNumber | null>): void;
}

export interface GivenNumber {
  readonly countryDialingCode: string;
  readonly mobileNum: string;
}

const LOADING_TOAST = "sms-sending";

/** Codes that a visitor asks for: to register, to log in, to set a new password. */
export function useSmsCode(purpose: Purpose): SmsCode {
  return useCodeBySms((given) =>
    api.call("POST /api/v1/auth/sms-code", { body: { purpose, ...given } }),
  );
}

/**
 * `post` asks the server for a code and answers when another may be asked for; `proven` is for a
 * server that may first want to know who asks.
 */
export function useCodeBySms(
  post: (given: GivenNumber & { humanCheck: string }) => Promise<{ expirationTime: number }>,
  proven: <T>(attempt: () => Promise<T>) => Promise<T> = (attempt) => attempt(),
): SmsCode {
  const [waitUntil, setWaitUntil] = useState<number | null>(null);
  const [sending, setSending] = useState(false);
  const [sent, setSent] = useState(false);
  const busy = useRef(false);
  const leftS = useCountdown(waitUntil, api.serverNow);
  return {
    leftS,
    sending,
    sent,
    send(number) {
      if (busy.current || leftS > 0) return;
      busy.current = true;
      let to: GivenNumber | null = null;
      const asking = requestCode({
        numberIsValid: async () => {
          to = await number();
          return to !== null;
        },
        proven,
        showSending: () => {
          setSending(true);
          notify.loading(textOf("auth.in_sms_sending"), LOADING_TOAST);
        },
        hideSending: () => {
          setSending(false);
          notify.dismiss(LOADING_TOAST);
        },
        challenge: () => api.call("GET /api/v1/auth/human-check"),
        solve: async (challenge) => {
          const { solveHumanCheck } = await import("./human-check.ts");
          return solveHumanCheck(challenge);
        },
        post: async (humanCheck) => {
          if (to === null) throw new Error("a code is sent to a number");
          return post({ ...to, humanCheck });
        },
        saySent: () => {
          setSent(true);
          notify.success(textOf("auth.in_sms_send"), TOAST_MS.sent);
        },
        sayFailed: sayFault,
      });
      void asking
        .then((until) => {
          if (until !== null) setWaitUntil(until);
        })
        .finally(() => {
          busy.current = false;
        });
    },
  };
}
