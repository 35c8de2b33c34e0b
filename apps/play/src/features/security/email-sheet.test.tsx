// @vitest-environment jsdom
import { ApiRefusal } from "@perya/client/refused";
import { notify } from "@perya/ui/notify";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { api, queryClient } from "../../shell/server.ts";
import EmailSheet from "./email-sheet.tsx";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));

afterEach(() => {
  queryClient.clear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("a fault that the server found in an address is shown at its field, and not again below", async () => {
  const fields = [{ field: "email", code: "taken", message: "is taken" }];
  const problem = { code: "invalid_input", detail: "refused", fields } as never; // all read
  vi.spyOn(api, "call").mockRejectedValue(new ApiRefusal(problem));
  const { place, root } = await given("maria@example.com");
  await vi.waitFor(() => expect(place.textContent).toContain("is taken"));
  expect(place.querySelector("input")?.getAttribute("aria-invalid")).toBe("true");
  expect(place.textContent?.split("is taken")).toHaveLength(2);
  await act(async () => root.unmount());
});

it("[A9-05] the message that a mail to prove an address was sent shows for 1.5 s", async () => {
  vi.spyOn(api, "call").mockResolvedValue({} as never); // like any call that succeeded
  const success = vi.spyOn(notify, "success").mockReturnValue(undefined);
  const { root } = await given("maria@example.com");
  await vi.waitFor(() => expect(success).toHaveBeenCalled());
  expect(success.mock.calls).toEqual([["auth.mail_sent", 1_500]]);
  await act(async () => root.unmount());
});

/** The sheet, with an address that was sent. */
async function given(email: string) {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  const state = { email: null } as never; // the sheet reads nothing else of it
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <EmailSheet state={state} close={() => undefined} />
      </QueryClientProvider>,
    ),
  );
  const input = place.querySelector<HTMLInputElement>("input[name=email]");
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  await act(async () => {
    write?.call(input, email);
    input?.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await act(async () => place.querySelector("form")?.requestSubmit());
  return { place, root };
}
