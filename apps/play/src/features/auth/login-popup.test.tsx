// @vitest-environment jsdom

import { ApiRefusal } from "@perya/client/refused";
import { notify } from "@perya/ui/notify";
import { act, type ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest, pass } from "../../../../../tests/play/page-of-each-test.tsx";
import { api, queries, queryClient } from "../../shell/server.ts";
import LoginPopup from "./login-popup.tsx";

/** The address's parameters beside the popup's name, and the pages that the popup leads to. */
const address = vi.hoisted(() => ({ by: {} as Record<string, string>, left: [] as string[] }));

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({ open: () => undefined, leaveTo: (to: string) => address.left.push(to) }),
  useOpenPopup: () => address.by,
}));
vi.mock("@perya/ui/sheet", () => ({
  Popup: ({ open, children }: { open: boolean; children: ReactNode }) => (open ? children : null),
}));

const TRIAL = { token: "t", merchantCode: "perya", userName: "try", customerType: 4 };
const GRANTED = { ...TRIAL, firstTimeLogin: false };

const page = pageOfEachTest();
/** Ends the request of a trial with a session or a refusal. */
let answer: { grant: () => void; refuse: () => void };
let asked: string[];
const close = vi.fn();

beforeEach(() => {
  Object.assign(address, { by: {}, left: [] });
  asked = [];
  close.mockReset();
  vi.spyOn(api, "call").mockImplementation(((call: string) => {
    if (call !== "POST /api/v1/auth/test-play") return new Promise(() => undefined);
    asked.push(call);
    return new Promise((done, fail) => {
      answer = { grant: () => done(GRANTED), refuse: () => fail(refusal()) };
    });
  }) as never); // the spied function is generic in the call
});

afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it.each([
  [[], []],
  [["google"], ["auth.with_google"]],
  [["facebook"], ["auth.with_facebook"]],
  [
    ["google", "facebook"],
    ["auth.with_google", "auth.with_facebook"],
  ],
])(
  "[A2.3-07 A2.3-08] the log-in has a button for each outside log-in that the brand offers, %j, and for no other",
  async (externalLogin, labels) => {
    await draw({ externalLogin });
    expect(buttons().filter((label) => /^auth\.with_(google|facebook)$/.test(label))).toEqual(
      labels,
    );
  },
);

it("[A2.3-14 A4-05] a refused free trial leaves the log-in open, and a started one closes it", async () => {
  const said = vi.spyOn(notify, "error").mockReturnValue(undefined);
  await draw({});
  expect(isBusy()).toBe(false);
  await tapTrial();
  expect(isBusy()).toBe(true);
  await act(async () => answer.refuse());
  await pass(20);
  expect([isBusy(), said.mock.calls.length]).toEqual([false, 1]);
  expect([close.mock.calls, address.left]).toEqual([[], []]);
  expect(buttons()).toContain("auth.trial");
  await tapTrial();
  await act(async () => answer.grant());
  await pass(20);
  expect([close.mock.calls, address.left]).toEqual([[], ["/m/home"]]);
  expect(asked).toHaveLength(2);
});

it("[A2.3-15 A2.3-14] a refused free trial leaves the log-in open for a player who is to stay on the page too", async () => {
  vi.spyOn(notify, "error").mockReturnValue(undefined);
  address.by = { trial: "0" };
  await draw({});
  await tapTrial();
  await act(async () => answer.refuse());
  await pass(20);
  expect(close).not.toHaveBeenCalled();
  await tapTrial();
  await act(async () => answer.grant());
  await pass(20);
  expect([close.mock.calls.length > 0, address.left]).toEqual([true, []]);
});

/** Over a brand without a chat. */
async function draw(info: object): Promise<void> {
  queryClient.setQueryData(queries.status().queryKey, {
    info: {
      ...{ whitelabel: {}, phoneService: null, closedPaths: ["/m/chat"], menuCheck: [] },
      ...{ promoAvailability: {}, customerService: [], resources: [], contactKey: "" },
      ...{ externalLogin: [], ...info },
    },
  } as never); // the log-in reads nothing else of it
  await page.draw(<LoginPopup open close={close} id={undefined} />);
  await pass(20);
}

function refusal(): ApiRefusal {
  return new ApiRefusal({
    type: "about:blank",
    ...{ code: "too_many", status: 429, title: "no", detail: "no", requestId: "1" },
  } as never); // any refusal will do
}

function buttons(): string[] {
  return [...document.querySelectorAll("button")].map(({ textContent }) => textContent ?? "");
}

function trial(): HTMLButtonElement | undefined {
  return [...document.querySelectorAll("button")].find(
    ({ textContent }) => textContent === "auth.trial",
  );
}

function isBusy(): boolean {
  return trial()?.getAttribute("aria-busy") === "true";
}

async function tapTrial(): Promise<void> {
  expect(trial()).toBeDefined();
  await act(async () => trial()?.click());
  await pass(20);
}
