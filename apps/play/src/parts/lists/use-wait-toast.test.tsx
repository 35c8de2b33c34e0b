// @vitest-environment jsdom

import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { switchLanguage } from "../../shell/text.ts";
import { useWaitToast } from "./use-wait-toast.ts";

const page = pageOfEachTest();

beforeEach(async () => {
  await switchLanguage("EN");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

it("[A9-02] a slow list shows its loading message for three seconds at most, and no longer than it loads", async () => {
  const said = vi.spyOn(notify, "loading").mockImplementation(() => undefined);
  const dismissed = vi.spyOn(notify, "dismiss").mockImplementation(() => undefined);
  await show(true);
  await act(async () => vi.advanceTimersByTime(300));
  await show(false);
  await act(async () => vi.advanceTimersByTime(5_000));
  expect([said.mock.calls.length, dismissed.mock.calls.length]).toEqual([0, 0]);
  await show(true);
  await act(async () => vi.advanceTimersByTime(400));
  expect(said.mock.calls).toEqual([["Please wait…", "list", TOAST_MS.waitMax]]);
  expect(TOAST_MS.waitMax).toBe(3_000);
  await show(false);
  expect(dismissed.mock.calls).toEqual([["list"]]);
});

function List({ loading }: { loading: boolean }) {
  useWaitToast(loading);
  return null;
}

function show(loading: boolean): Promise<void> {
  return page.draw(<List loading={loading} />);
}
