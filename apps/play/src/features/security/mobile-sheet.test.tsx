// @vitest-environment jsdom
import { ApiRefusal } from "@perya/client/refused";
import { act } from "react";
import { expect, it, vi } from "vitest";
import { fill, pageOfEachTest, pass } from "../../../../../tests/play/page-of-each-test.tsx";
import { api } from "../../shell/server.ts";
import MobileSheet from "./mobile-sheet.tsx";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../parts/forms/lapsed-input.ts", () => ({
  useLapsedInput: () => ({}),
  useKeptOnLapse: () => undefined,
}));
vi.mock("../../parts/account/mobile-field.tsx", () => ({
  MobileField: ({ choice: _, label: __, errors, ...input }: Record<string, unknown>) => (
    <label>
      <input {...input} />
      {String(errors)}
    </label>
  ),
}));

const page = pageOfEachTest();

it("a number is asked for once the list of countries has loaded, and a list that failed is read again", async () => {
  let down = true;
  const sent: string[] = [];
  vi.spyOn(api, "call").mockImplementation((async (call: string) => {
    if (call !== "GET /api/v1/countries") return sent.push(call);
    if (down) throw new TypeError("down");
    return { countries: [{ code: "PH", dialingCode: "+63", minDigits: 10 }] };
  }) as never); // the spied function is generic in the call
  await draw();
  expect(document.querySelector("input")).toBeNull();
  expect(document.querySelector<HTMLButtonElement>("[type=submit]")?.disabled).toBe(true);

  down = false;
  const again = [...document.querySelectorAll("button")].find(({ textContent }) =>
    textContent?.includes("error.load_failed"),
  );
  await act(async () => again?.click());
  await pass(20);
  await fill({ mobileNum: "12", verificationCode: "1234" });
  await submit();
  expect(document.body.textContent).toContain("auth.in_mobileNum_error");
  expect(sent).toEqual([]);
  await fill({ mobileNum: "9171234567" });
  await submit();
  expect(sent).toEqual(["POST /api/v1/member/mobile"]);
});

it("a fault that the server found in a number is shown at its field, and not again below", async () => {
  const fields = [{ field: "mobileNum", code: "taken", message: "is taken" }];
  const problem = { code: "invalid_input", detail: "refused", fields } as never; // all read
  vi.spyOn(api, "call").mockImplementation((async (call: string) => {
    if (call !== "GET /api/v1/countries") throw new ApiRefusal(problem);
    return { countries: [{ code: "PH", dialingCode: "+63", minDigits: 10 }] };
  }) as never); // the spied function is generic in the call
  await draw();
  await fill({ mobileNum: "9171234567", verificationCode: "1234" });
  await submit();
  const label = document.querySelector("input[name=mobileNum]")?.closest("label");
  expect(label?.textContent).toBe("is taken");
  expect(document.body.textContent?.split("is taken")).toHaveLength(2);
});

async function draw(): Promise<void> {
  const state = { mobile: null } as never; // the sheet reads nothing else of it
  await page.draw(<MobileSheet state={state} close={() => undefined} />);
  await pass(20);
}

async function submit(): Promise<void> {
  await act(async () => document.querySelector("form")?.requestSubmit());
  await pass(20);
}
