// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import { currentSession, lapseSession, startSession, useSession } from "../../shell/session.ts";
import SignOutDialog from "./sign-out-dialog.tsx";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
/** The pages that the sign-out led to, and the storage at that time. */
const went: object[] = [];
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({
    leaveTo: (path: string) => went.push({ path, autoLogin: localStorage.getItem("autoLogin") }),
  }),
}));
vi.mock("@perya/ui/sheet", () => ({
  ConfirmDialog: ({ onConfirm }: { onConfirm: () => void }) => (
    <button type="button" onClick={onConfirm} />
  ),
}));

const MARIA = {
  ...{ token: "a", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};

afterEach(() => {
  vi.useRealTimers();
  localStorage.clear();
  vi.unstubAllGlobals();
});

it("a sign-out waits for the server alone, and not for a browser store that does not answer", async () => {
  vi.stubGlobal("indexedDB", { open: () => ({}) });
  await signOut(async () => answered());
  expect(currentSession()).toBeNull();
});

it("[A2.8-18] a sign-out switches automatic log-in off before it goes home, and goes there once", async () => {
  went.length = 0;
  localStorage.setItem("autoLogin", "1");
  await signOut(async () => {
    expect(localStorage.getItem("autoLogin")).not.toBe("0");
    lapseSession("a");
    return answered();
  });
  expect(went).toEqual([{ path: "/m/home", autoLogin: "0" }]);
});

it("a slow sign-out leaves the session and remembered log-in of a player who logged in meanwhile in another tab", async () => {
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

it("[A4-03] a sign-out that the live connection reports before the reply does not count as a lapse, even if the reply is lost", async () => {
  for (const reply of [answered, lost, over]) {
    await signOut(async () => {
      expect(lapseSession("a")).toBe(false);
      return reply();
    });
    expect(useSession.getState()).toEqual({ session: null, lapsed: false });
    expect({ ...localStorage }).toEqual({ autoLogin: "0" });
  }
});

it.each([
  ["is busy", async () => refused(503, "busy"), true],
  ["cannot be reached", lost, false],
])(
  "a sign-out leaves the player logged in where the server %s, and may be tried again",
  async (_, reply, lapsesLater) => {
    await signOut(reply);
    expect(currentSession()).toEqual(MARIA);
    expect(localStorage.getItem("MC_SESSION_INFO")).toBe(JSON.stringify(MARIA));
    // If the request may have arrived, the session's end is the sign-out's.
    expect(lapseSession("a")).toBe(lapsesLater);
    expect(currentSession()).toBeNull();
    await signOut(async () => answered());
    expect({ ...localStorage }).toEqual({ autoLogin: "0" });
  },
);

it("an unanswered sign-out lapses later like any session once the server answers its player", async () => {
  await signOut(lost);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  await queryClient.fetchQuery({ queryKey: ["own", "anything"], queryFn: async () => 1 });
  expect(lapseSession("a")).toBe(true);
});

it("a sign-out is sent even if its page closes", async () => {
  const sent: unknown[] = [];
  await signOut(async (...given: unknown[]) => {
    sent.push(given[1]);
    return answered();
  });
  expect(sent).toContainEqual(expect.objectContaining({ method: "DELETE", keepalive: true }));
});

/** Maria taps sign-out. */
async function signOut(fetch: (...given: unknown[]) => Promise<Response>): Promise<void> {
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

function lost(): Promise<Response> {
  return Promise.reject(new TypeError("Failed to fetch"));
}

function over(): Response {
  return refused(401, "session_ended");
}

function refused(status: number, code: string): Response {
  return new Response(JSON.stringify({ code, detail: code, status }), { status });
}

function answered(): Response {
  return new Response(JSON.stringify({ value: {} }));
}
