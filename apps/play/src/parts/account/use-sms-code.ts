import type { Body } from "@perya/client/api";
import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { sayFault } from "../../shell/fault.ts";
import { api, queries } from "../../shell/server.ts";
import { textOf, useText } from "../../shell/text.ts";
import { useCountdown } from "../time/use-countdown.ts";
import { type GivenNumber, requestCode } from "./code-request.ts";
import type { OutsideCode } from "./outside-code.ts";

type Purpose = Body<"POST /api/v1/auth/sms-code">["purpose"];

export interface SmsCode {
  /** Whole seconds until another code may be asked for. */
  readonly leftS: number;
  readonly sending: boolean;
  /** A code was sent since the form opened: the next is a resend. */
  readonly sent: boolean;
  send(number: () => Promise<GivenNumber | null>): void;
}

/** The proof of a number in a call: our own code, or the proof of the service that sent its own. */
export type CodeProof =
  | { readonly verificationCode: string }
  | { readonly firebaseChannel: "phone"; readonly firebaseIdToken: string };

export interface ProvingCode extends SmsCode {
  /** @throws ApiRefusal where the service finds the code wrong, and network errors */
  prove(number: GivenNumber, code: string): Promise<CodeProof>;
}

const LOADING_TOAST = "sms-sending";
/** How long a player waits before asking for another code (accounts §9). */
const RESEND_MS = 60_000;

/**
 * Codes that a visitor asks for: to register, to log in, to set a new password. A configured
 * service that proves numbers sends and proves them (accounts §7).
 */
export function useSmsCode(purpose: Purpose): ProvingCode {
  const { data: status } = useQuery(queries.status());
  const { tag } = useText();
  const service = status?.info.phoneService ?? null;
  const sent = useRef<{ readonly to: GivenNumber; readonly code: OutsideCode } | null>(null);
  const ours = useCodeBySms((given) =>
    api.call("POST /api/v1/auth/sms-code", { body: { purpose, ...given } }),
  );
  const theirs = useCodeBySms(
    async ({ humanCheck: _, ...to }) => {
      const { sendOutside } = await import("./outside-code.ts");
      if (service === null) throw new Error("a code is sent by a service");
      sent.current = { to, code: await sendOutside(service, to, tag) };
      return { expirationTime: api.serverNow() + RESEND_MS };
    },
    undefined,
    // The service has its own human check.
    async () => "",
  );
  if (service === null) {
    return { ...ours, prove: async (_number, verificationCode) => ({ verificationCode }) };
  }
  return {
    ...theirs,
    async prove({ countryDialingCode, mobileNum }, given) {
      const { to, code } = sent.current ?? {};
      const same = to?.countryDialingCode === countryDialingCode && to.mobileNum === mobileNum;
      if (code === undefined || !same) {
        const { codeWrong } = await import("./outside-faults.ts");
        throw codeWrong();
      }
      return { firebaseChannel: "phone", firebaseIdToken: await code.prove(given) };
    },
  };
}

/** A body that may prove a number with a code. */
interface Coded {
  readonly countryDialingCode?: string | undefined;
  readonly mobileNum?: string | undefined;
  readonly verificationCode?: string | undefined;
}

/** The same body with the proof in place of the code. */
export async function withProof<B extends Coded>(body: B, code: ProvingCode) {
  const { verificationCode, ...rest } = body;
  const proof = await proofOf(body, code);
  return { ...rest, ...proof };
}

async function proofOf(
  { countryDialingCode, mobileNum, verificationCode }: Coded,
  code: ProvingCode,
): Promise<Partial<Record<"verificationCode" | "firebaseChannel" | "firebaseIdToken", string>>> {
  if (verificationCode === undefined) return {};
  if (countryDialingCode === undefined || mobileNum === undefined) return { verificationCode };
  return code.prove({ countryDialingCode, mobileNum }, verificationCode);
}

/**
 * `post` has a code sent and returns when another may be asked for; `proven` serves a server that
 * may first require a fresh proof.
 */
export function useCodeBySms(
  post: (given: GivenNumber & { humanCheck: string }) => Promise<{ expirationTime: number }>,
  proven: <T>(attempt: () => Promise<T>) => Promise<T> = (attempt) => attempt(),
  humanCheck: () => Promise<string> = solvedCheck,
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
        humanCheck,
        post: async (solved) => {
          if (to === null) throw new Error("a code is sent to a number");
          return post({ ...to, humanCheck: solved });
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

async function solvedCheck(): Promise<string> {
  const challenge = await api.call("GET /api/v1/auth/human-check");
  const { solveHumanCheck } = await import("./human-check.ts");
  return solveHumanCheck(challenge);
}
