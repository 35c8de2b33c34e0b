// @vitest-environment jsdom
import { afterEach, expect, it, vi } from "vitest";

const MARIA = { token: "a", merchantCode: "perya", userName: "maria", type: 0 };

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
  localStorage.clear();
  sessionStorage.clear();
});

it("a sign-out without an answer is undone by a call that the player made after it, and by none made before", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  const session = await import("./session.ts");
  const { queryClient } = await import("./server.ts");
  session.startSession({ ...MARIA, firstTimeLogin: false });
  const ask = (what: string) => {
    let answer = (_value: number) => {};
    const queryFn = () =>
      new Promise<number>((done) => {
        answer = done;
      });
    const answered = queryClient.fetchQuery({ queryKey: ["own", what], queryFn });
    return async () => {
      answer(1);
      await answered;
    };
  };
  const before = ask("asked before");
  void session.beginLeaving("a");
  const after = ask("asked after");
  // The phone slept.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300_000 });
  await before();
  expect(session.leavingSince()).not.toBeNull();
  await after();
  expect(session.leavingSince()).toBeNull();
});

it("[A9-07] the message that a session ended shows for 8 s, because the player may look up late", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  const session = await import("./session.ts");
  await import("./server.ts");
  const { notify } = await import("@perya/ui/notify");
  const said = vi.spyOn(notify, "error").mockReturnValue(undefined);
  session.startSession({ ...MARIA, firstTimeLogin: false });
  expect(said.mock.calls).toEqual([]);
  session.lapseSession("a");
  expect(said.mock.calls).toEqual([[expect.any(Function), "session", 8_000]]);
});
