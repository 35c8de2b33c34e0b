// @vitest-environment jsdom

import { notify } from "@perya/ui/notify";
import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../tests/play/page-of-each-test.tsx";
import { leaveSession, startSession } from "./session.ts";
import { useGate } from "./use-gate.ts";

vi.mock("./text.ts", () => import("../../../../tests/play/texts-as-ids.ts"));
vi.mock("./popups.ts", () => ({ usePopups: () => ({}) }));

const page = pageOfEachTest();

afterEach(async () => {
  await act(async () => leaveSession());
});

it("[A6-03] a gate of real money tells types 4, 40, 41 and 42 for 2 s that a real account is needed, and lets the others pass", async () => {
  const info = vi.spyOn(notify, "info").mockReturnValue(undefined);
  let refusalOf: ReturnType<typeof useGate> = () => null;
  function Probe() {
    refusalOf = useGate();
    return null;
  }
  await page.draw(<Probe />);
  const refused: number[] = [];
  for (const type of [0, 1, 2, 4, 40, 41, 42]) {
    const named = { token: "a", merchantCode: "perya", userName: "maria", firstTimeLogin: false };
    await act(async () => startSession({ ...named, type }));
    const refusal = refusalOf({ to: "/m/deposit", gate: "real" });
    if (refusal === null) continue;
    refusal();
    refused.push(type);
  }
  expect(refused).toEqual([4, 40, 41, 42]);
  expect(info.mock.calls).toEqual(refused.map(() => ["error.free_reject", 2_000]));
});
