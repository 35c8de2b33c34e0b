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

const MARIA = {
  ...{ token: "a", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};

afterEach(() => {
  localStorage.clear();
  vi.unstubAllGlobals();
});

it("a sign-out waits for the server alone, and for no store of the browser that does not answer", async () => {
  vi.stubGlobal("indexedDB", { open: () => ({}) });
  await signOut(async () => answered());
  expect(currentSession()).toBeNull();
});

it("a slow sign-out leaves the session of whoever logged in meanwhile in another tab, with what it remembers", async () => {
  const boyet = { ...MARIA, token: "b", userName: "boyet" };
  const remembered = JSON.stringify({ type: "username", username: "boyet", password: "sealed" });
  await signOut(async () => {
    localStorage.setItem("MC_SESSION_INFO", JSON.stringify(boyet));
    localStorage.setItem("MC_REMEMBERED_LOGIN", remembered);
    localStorage.setItem("autoLogin", "1");
    return answered();
  });
  expect(currentSession()).toEqual(boyet);
  expect(localStorage.getItem("MC_SESSION_INFO")).toBe(JSON.stringify(boyet));
  expect(localStorage.getItem("MC_REMEMBERED_LOGIN")).toBe(remembered);
  expect(localStorage.getItem("autoLogin")).toBe("1");
});

/** Maria presses. */
async function signOut(fetch: () => Promise<Response>): Promise<void> {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("fetch", fetch);
  const root = createRoot(document.body);
  await act(async () => {
    startSession(MARIA);
    root.render(
      <QueryClientProvider client={queryClient}>
        <SignOutDialog open close={() => undefined} id={undefined} />
      </QueryClientProvider>,
    );
  });
  await act(async () => document.querySelector("button")?.click());
  await act(() => new Promise((done) => setTimeout(done, 50)));
  await act(async () => root.unmount());
}

function answered(): Response {
  return new Response(JSON.stringify({ value: {} }));
}
