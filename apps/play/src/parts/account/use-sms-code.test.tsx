// @vitest-environment jsdom
import { ApiRefusal, NetworkFailure } from "@perya/client/refused";
import type { RefusalCode } from "@perya/contract/refusal";
import { notify } from "@perya/ui/notify";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { api, queries, queryClient } from "../../shell/server.ts";
import type { GivenNumber } from "./use-sms-code.ts";
import {
  type ProvingCode,
  type SmsCode,
  useCodeBySms,
  useSmsCode,
  withProof,
} from "./use-sms-code.ts";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
// Other tests cover the outside service.
vi.mock("./outside-code.ts", () => ({ sendOutside: async () => ({ prove: async () => "" }) }));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const NUMBER = { countryDialingCode: "+63", mobileNum: "9171234567" };

let answer: (reply: { expirationTime: number }) => void = () => undefined;
let fail: (fault: Error) => void = () => undefined;
let code: SmsCode | undefined;

/** The button of a code whose call answers when the test says so. */
async function drawButton(): Promise<Root> {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const post = () =>
    new Promise<{ expirationTime: number }>((done, failed) => {
      answer = done;
      fail = failed;
    });
  function Probe() {
    code = useCodeBySms(post, undefined, async () => "solved");
    return null;
  }
  const root = createRoot(document.createElement("div"));
  await act(async () => root.render(<Probe />));
  await act(async () => code?.send(async () => NUMBER));
  return root;
}

function sayNothing(): void {
  for (const method of ["loading", "dismiss", "success", "error"] as const) {
    vi.spyOn(notify, method).mockReturnValue(undefined);
  }
}

function refused(code: RefusalCode, status: number, retryAt?: number): ApiRefusal {
  const more = retryAt === undefined ? {} : { retryAt };
  return new ApiRefusal({
    ...{ type: "about:blank", code, status, title: "", detail: "", requestId: "" },
    ...more,
  });
}

function codeThat(proves: ProvingCode["prove"]): ProvingCode {
  return { leftS: 0, sending: false, sent: true, send: () => undefined, prove: proves };
}

it("[A2.4-16] a form carries the service's proof and channel in place of the code", async () => {
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

it("[A9-01 A9-05] the message that a code is being sent shows for the longest loading time, and disappears with the answer", async () => {
  const loading = vi.spyOn(notify, "loading").mockReturnValue(undefined);
  const dismiss = vi.spyOn(notify, "dismiss").mockReturnValue(undefined);
  const success = vi.spyOn(notify, "success").mockReturnValue(undefined);
  const root = await drawButton();
  // Without a time of its own it stays for the longest that exists (`TOAST_MS.loadingMax`).
  expect(loading.mock.calls).toEqual([["auth.in_sms_sending", expect.any(String)]]);
  expect([code?.sending, dismiss.mock.calls]).toEqual([true, []]);
  await act(async () => answer({ expirationTime: 0 }));
  expect([code?.sending, dismiss.mock.calls]).toEqual([false, [[loading.mock.calls[0]?.[1]]]]);
  expect(success.mock.calls).toEqual([["auth.in_sms_send", 1_500]]);
  await act(async () => root.unmount());
});

it("[A2.3-11 A4-09] the button counts down to the instant that the server names, in whole seconds", async () => {
  vi.useFakeTimers();
  sayNothing();
  // The page's own clock read the real time when it was made.
  vi.spyOn(api, "serverNow").mockImplementation(() => Date.now());
  const root = await drawButton();
  await act(async () => answer({ expirationTime: Date.now() + 90_000 }));
  expect(code?.leftS).toBe(90);
  await act(() => vi.advanceTimersByTimeAsync(89_000));
  expect(code?.leftS).toBe(1);
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(code?.leftS).toBe(0);
  await act(async () => root.unmount());
});

it.each([
  ["too many tries", refused("rate_limited", 429)],
  ["too many tries, until an instant", refused("rate_limited", 429, 90_000)],
  ["a service of messages that is away", refused("message_unavailable", 503)],
  ["a server that is too busy", refused("busy", 503)],
  ["no network", new NetworkFailure(false)],
])(
  "[A2.4-14] no countdown begins after a failed send, and another code may be asked for at once: %s",
  async (_why, fault) => {
    sayNothing();
    vi.spyOn(api, "serverNow").mockReturnValue(0);
    const root = await drawButton();
    expect(code?.sending).toBe(true);
    await act(async () => fail(fault));
    expect(code).toMatchObject({ leftS: 0, sending: false, sent: false });
    await act(async () => code?.send(async () => NUMBER));
    expect(code?.sending).toBe(true);
    await act(async () => answer({ expirationTime: 60_000 }));
    expect(code).toMatchObject({ leftS: 60, sending: false, sent: true });
    await act(async () => root.unmount());
  },
);

it("[A4-09] a code of the outside service may be followed by another after 60 s", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers();
  sayNothing();
  queryClient.setQueryData(queries.status().queryKey, {
    info: { phoneService: { apiKey: "a key", address: null } },
  } as never); // nothing else is read
  function Probe() {
    code = useSmsCode("register");
    return null;
  }
  const root = createRoot(document.createElement("div"));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Probe />
      </QueryClientProvider>,
    ),
  );
  await act(async () => {
    code?.send(async () => NUMBER);
    await vi.dynamicImportSettled();
  });
  expect(code?.leftS).toBe(60);
  await act(async () => root.unmount());
  queryClient.clear();
});
