// @vitest-environment jsdom

import { notify } from "@perya/ui/notify";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import FeedbackScreen from "./feedback-screen.tsx";

/** What the screen passes to the command. */
const command = vi.hoisted(() => ({ onDone: () => undefined as undefined }));

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, language: "EN", number: String }),
}));
vi.mock("../../shell/command.tsx", () => ({
  CommandState: () => null,
  useCommand: (_: string, told: { onDone: () => undefined }) => {
    command.onDone = told.onDone;
    return { view: { phase: "ready" }, send: () => undefined };
  },
}));

afterEach(() => {
  queryClient.clear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("[A9-05] the message that a feedback was sent shows for 1.5 s", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  const success = vi.spyOn(notify, "success").mockReturnValue(undefined);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <FeedbackScreen />
      </QueryClientProvider>,
    ),
  );
  await act(async () => command.onDone());
  expect(success.mock.calls).toEqual([["feedback.sent", 1_500]]);
  await act(async () => root.unmount());
});
