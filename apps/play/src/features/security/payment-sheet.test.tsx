// @vitest-environment jsdom
import { ApiRefusal } from "@perya/client/refused";
import { notify } from "@perya/ui/notify";
import { act } from "react";
import { expect, it, vi } from "vitest";
import { fill, pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { api } from "../../shell/server.ts";
import PaymentSheet from "./payment-sheet.tsx";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));

const page = pageOfEachTest();

it("[A9-03] the message that a payment password is being set shows for 15 s at most, and no longer than the call takes", async () => {
  const loading = vi.spyOn(notify, "loading").mockReturnValue(undefined);
  const dismiss = vi.spyOn(notify, "dismiss").mockReturnValue(undefined);
  vi.spyOn(notify, "success").mockReturnValue(undefined);
  let done: (reply: unknown) => void = () => undefined;
  vi.spyOn(api, "call").mockImplementation(
    (() =>
      new Promise((answered) => {
        done = answered;
      })) as never,
  ); // the spied function is generic in the call
  await sent();
  expect(loading.mock.calls).toEqual([["shell.in_please_wait", expect.any(String), 15_000]]);
  expect(dismiss).not.toHaveBeenCalled();
  await act(async () => done({}));
  expect(dismiss.mock.calls).toEqual([[loading.mock.calls[0]?.[1]]]);
});

it("a fault that the server found in a payment password is shown at its field, and not again below", async () => {
  vi.spyOn(notify, "loading").mockReturnValue(undefined);
  const fields = [{ field: "paymentPassword", code: "too_common", message: "is too easy" }];
  const problem = { code: "invalid_input", detail: "refused", fields } as never; // all read
  vi.spyOn(api, "call").mockRejectedValue(new ApiRefusal(problem));
  await sent();
  const input = document.querySelector("input[name=paymentPassword]");
  expect(input?.getAttribute("aria-invalid")).toBe("true");
  expect(document.body.textContent?.split("is too easy")).toHaveLength(2);
});

/** The sheet, filled in and sent. */
async function sent(): Promise<void> {
  const state = { hasPaymentPassword: true, hasPassword: true, totp: {} } as never; // all it reads
  await page.draw(<PaymentSheet state={state} close={() => undefined} />);
  await fill({ proof: "602914", paymentPassword: "802914", again: "802914" });
  await act(async () => {
    document.querySelector("form")?.requestSubmit();
    await new Promise((turn) => setTimeout(turn, 20));
  });
}
