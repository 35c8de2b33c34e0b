// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import { currentSession, startSession } from "../../shell/session.ts";
import SignOutDialog from "./sign-out-dialog.tsx";

// The catalogues that the app speaks from are made by its build.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id }),
}));
vi.mock("../../shell/popups.ts", () => ({ usePopups: () => ({ leaveTo: () => undefined }) }));
vi.mock("@perya/ui/sheet", () => ({
  ConfirmDialog: ({ onConfirm }: { onConfirm: () => void }) => (
    <button type="button" onClick={onConfirm} />
  ),
}));

afterEach(() => {
  vi.unstubAllGlobals();
});

it("a sign-out waits for the server alone, and for no store of the browser that does not answer", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ value: {} })));
  vi.stubGlobal("indexedDB", { open: () => ({}) });
  const root = createRoot(document.body);
  await act(async () => {
    startSession({
      ...{ token: "a", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
    });
    root.render(
      <QueryClientProvider client={queryClient}>
        <SignOutDialog open close={() => undefined} id={undefined} />
      </QueryClientProvider>,
    );
  });
  await act(async () => document.querySelector("button")?.click());
  await act(() => new Promise((done) => setTimeout(done, 50)));
  expect(currentSession()).toBeNull();
  await act(async () => root.unmount());
});
