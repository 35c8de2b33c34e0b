// @vitest-environment jsdom

import { notify } from "@perya/ui/notify";
import { act } from "react";
import { expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import FeedbackScreen from "./feedback-screen.tsx";

/** What the screen passes to the command. */
const command = vi.hoisted(() => ({ onDone: () => undefined as undefined }));

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../shell/command.tsx", () => ({
  CommandState: () => null,
  useCommand: (_: string, told: { onDone: () => undefined }) => {
    command.onDone = told.onDone;
    return { view: { phase: "ready" }, send: () => undefined };
  },
}));

const page = pageOfEachTest();

it("[A9-05] the message that a feedback was sent shows for 1.5 s", async () => {
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  const success = vi.spyOn(notify, "success").mockReturnValue(undefined);
  await page.draw(<FeedbackScreen />);
  await act(async () => command.onDone());
  expect(success.mock.calls).toEqual([["feedback.sent", 1_500]]);
});
