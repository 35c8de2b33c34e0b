// @vitest-environment jsdom

import { notify } from "@perya/ui/notify";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { leaveSession, startSession } from "../../shell/session.ts";
import { CashierTabs } from "./cashier-tabs.tsx";

const went = vi.hoisted((): string[] => []);

vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id }),
}));
vi.mock("../../shell/popups.ts", () => ({ usePopups: () => ({}) }));
vi.mock("../../shell/use-shows.ts", () => ({ useShows: () => () => true }));
vi.mock("@tanstack/react-router", () => ({
  useNavigate: () => async (go: { to: string }) => void went.push(go.to),
}));

const NAMED = { token: "a", merchantCode: "perya", userName: "maria", firstTimeLogin: false };

let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  await act(async () => leaveSession());
  went.length = 0;
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("[A6-03] the cashier's tab of withdrawals needs real money: types 4, 40, 41 and 42 see a message for 2 s, and stay on the deposit", async () => {
  const info = vi.spyOn(notify, "info").mockReturnValue(undefined);
  const stayed: number[] = [];
  for (const type of [0, 1, 2, 4, 40, 41, 42]) {
    await act(async () => startSession({ ...NAMED, type }));
    await act(async () => root.render(<CashierTabs key={type} current="deposit" />));
    const before = went.length;
    const answers = () => went.length + info.mock.calls.length;
    const tapped = answers() + 1;
    await act(async () => {
      const tabs = [...document.querySelectorAll("label")];
      tabs.find(({ textContent }) => textContent === "cashier.withdraw")?.click();
      await vi.waitFor(() => expect(answers()).toBe(tapped));
    });
    if (went.length === before) stayed.push(type);
  }
  expect(stayed).toEqual([4, 40, 41, 42]);
  expect(went).toEqual(["/m/withdraw", "/m/withdraw", "/m/withdraw"]);
  expect(info.mock.calls).toEqual(stayed.map(() => ["error.free_reject", 2_000]));
});
