// @vitest-environment jsdom
import { ApiRefusal } from "@perya/client/refused";
import { notify } from "@perya/ui/notify";
import { act } from "react";
import { expect, it, vi } from "vitest";
import { fill, pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { api } from "../../shell/server.ts";
import EmailSheet from "./email-sheet.tsx";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));

const page = pageOfEachTest();

it("a fault that the server found in an address is shown at its field, and not again below", async () => {
  const fields = [{ field: "email", code: "taken", message: "is taken" }];
  const problem = { code: "invalid_input", detail: "refused", fields } as never; // all read
  vi.spyOn(api, "call").mockRejectedValue(new ApiRefusal(problem));
  const place = document.body;
  await given("maria@example.com");
  await vi.waitFor(() => expect(place.textContent).toContain("is taken"));
  expect(place.querySelector("input")?.getAttribute("aria-invalid")).toBe("true");
  expect(place.textContent?.split("is taken")).toHaveLength(2);
});

it("[A9-05] the message that a mail to prove an address was sent shows for 1.5 s", async () => {
  vi.spyOn(api, "call").mockResolvedValue({} as never); // like any call that succeeded
  const success = vi.spyOn(notify, "success").mockReturnValue(undefined);
  await given("maria@example.com");
  await vi.waitFor(() => expect(success).toHaveBeenCalled());
  expect(success.mock.calls).toEqual([["auth.mail_sent", 1_500]]);
});

/** The sheet, with an address that was sent. */
async function given(email: string): Promise<void> {
  const state = { email: null } as never; // the sheet reads nothing else of it
  await page.draw(<EmailSheet state={state} close={() => undefined} />);
  await fill({ email });
  await act(async () => document.querySelector("form")?.requestSubmit());
}
