// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { notify } from "../../shell/notify.ts";
import type { GivenNumber } from "./use-sms-code.ts";
import { type ProvingCode, type SmsCode, useCodeBySms, withProof } from "./use-sms-code.ts";

vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id }),
}));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const NUMBER = { countryDialingCode: "+63", mobileNum: "9171234567" };

function codeThat(proves: ProvingCode["prove"]): ProvingCode {
  return { leftS: 0, sending: false, sent: true, send: () => undefined, prove: proves };
}

it("[A2.4-16] a form carries the service's word and channel in place of the code that it stands for", async () => {
  const asked: [GivenNumber, string][] = [];
  const code = codeThat(async (number, given) => {
    asked.push([number, given]);
    return { firebaseChannel: "phone", firebaseIdToken: "a token" };
  });
  expect(await withProof({ ...NUMBER, username: "ana", verificationCode: "123456" }, code)).toEqual(
    {
      ...{ ...NUMBER, username: "ana", firebaseChannel: "phone", firebaseIdToken: "a token" },
    },
  );
  expect(asked).toEqual([[NUMBER, "123456"]]);
});

it("a form without a code, or without a number for it, asks the service for nothing", async () => {
  const code = codeThat(() => Promise.reject(new Error("nothing is asked")));
  expect(await withProof(NUMBER, code)).toEqual(NUMBER);
  expect(await withProof({ verificationCode: "123456" }, code)).toEqual({
    verificationCode: "123456",
  });
});

it("[A9-01 A9-05] a code that is being sent says so as long as a toast of something under way stays at most, and goes with the answer", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const loading = vi.spyOn(notify, "loading").mockReturnValue(undefined);
  const dismiss = vi.spyOn(notify, "dismiss").mockReturnValue(undefined);
  const success = vi.spyOn(notify, "success").mockReturnValue(undefined);
  let answer: (reply: { expirationTime: number }) => void = () => undefined;
  const post = () =>
    new Promise<{ expirationTime: number }>((done) => {
      answer = done;
    });
  let code: SmsCode | undefined;
  function Probe() {
    code = useCodeBySms(post, undefined, async () => "solved");
    return null;
  }
  const root = createRoot(document.body);
  await act(async () => root.render(<Probe />));
  await act(async () => code?.send(async () => NUMBER));
  // Without a time of its own it stays for the longest that there is (`TOAST_MS.loadingMax`).
  expect(loading.mock.calls).toEqual([["auth.in_sms_sending", expect.any(String)]]);
  expect([code?.sending, dismiss.mock.calls]).toEqual([true, []]);
  await act(async () => answer({ expirationTime: 0 }));
  expect([code?.sending, dismiss.mock.calls]).toEqual([false, [[loading.mock.calls[0]?.[1]]]]);
  expect(success.mock.calls).toEqual([["auth.in_sms_send", 1_500]]);
  await act(async () => root.unmount());
});
