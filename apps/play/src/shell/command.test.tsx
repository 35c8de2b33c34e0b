// @vitest-environment jsdom
import { EndUnknown } from "@perya/client/refused";
import type { UsedIntention } from "@perya/client/use-intention";
import { mintId } from "@perya/kernel/ids";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode, Suspense, use } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useCommand } from "./command.tsx";
import { api, queryClient } from "./server.ts";
import { leaveSession, useSession } from "./session.ts";

const KEY = "POST /api/v1/lottery/tickets";
const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const ticket = (minor: string) => ({
  drawId: "drw_1",
  lines: [],
  lineStake: { minor, currency: "PHP" as const },
});

/** The house's stored commands by account-wide id, like its servers': the first content stays. */
let stored: Map<string, string>;
let sent: { readonly id: string }[];
/** The fate of a request that has arrived. */
let line: "whole" | "late" | "reply lost" | "busy" | "refused";
/** Lets each late request go on. */
let late: (() => void)[];
let told: string[];
let used: UsedIntention<typeof KEY> | null;
let root: Root | null;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("fetch", answer);
  sessionStorage.clear();
  localStorage.clear();
  [stored, sent, line, told, used, root] = [new Map(), [], "whole", [], null, null];
  late = [];
  useSession.setState({ session: MARIA, lapsed: false });
  api.alignClock(Date.now());
});

afterEach(async () => {
  await act(async () => root?.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  api.alignClock(Date.now());
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a player's command", () => {
  it("that is tapped twice is sent once", async () => {
    await open();
    await act(async () => {
      expect(used?.send(ticket("100"))).not.toBeNull();
      expect(used?.send(ticket("100"))).toBeNull();
    });
    expect(sent).toHaveLength(1);
    expect(told).toEqual(["done"]);
  });

  it("that is given twice, one after the other, is two commands", async () => {
    await open();
    await tap("100");
    await tap("100");
    expect(stored.size).toBe(2);
  });

  it.each(["reply lost", "busy"] as const)(
    "is asked about again automatically under its one id while its end is not known (%s)",
    async (fault) => {
      line = fault;
      await open();
      await tap("100");
      expect(used?.view.phase).toBe("checking");
      line = "whole";
      await pass(60_000);
      expect(told).toEqual(["done"]);
      expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
      expect(stored.size).toBe(1);
      expect(sessionStorage.length).toBe(0);
    },
  );

  it("takes no other wish while its end is not known", async () => {
    line = "reply lost";
    await open();
    await tap("100");
    await tap("200");
    line = "whole";
    await pass(60_000);
    expect([...stored.values()]).toEqual([JSON.stringify(ticket("100"))]);
  });

  it("survives a reload: the next page asks how it ended, and says so", async () => {
    line = "reply lost";
    await open();
    await tap("100");
    await close();
    line = "whole";
    await open();
    expect(told).toEqual(["done after a reload"]);
    expect(stored.size).toBe(1);
  });

  it.each([
    ["before its answer", async () => undefined, answersCome],
    ["after its answer", answersCome, async () => undefined],
    ["hours after its answer", async () => answersCome().then(hoursPass), async () => undefined],
  ])(
    "whose page was left while it was under way happens once, and is reported to a player who comes back %s",
    async (_when, whileAway, whenBack) => {
      line = "late";
      await open();
      await tap("100");
      await close();
      expect(told).toEqual([]);
      await whileAway();
      await open();
      await whenBack();
      expect(told).toEqual(["done after a reload"]);
      expect([stored.size, sessionStorage.length]).toEqual([1, 0]);
      await tap("100");
      expect([stored.size, told.at(-1)]).toEqual([2, "done"]);
    },
  );

  it("whose session lapsed while it was under way happens once, and is reported in the next session", async () => {
    line = "late";
    await open();
    await tap("100");
    await act(async () => useSession.setState({ session: null, lapsed: true }));
    await answersCome();
    expect(told).toEqual([]);
    await act(async () => useSession.setState({ session: MARIA, lapsed: false }));
    expect([told, stored.size]).toEqual([["done after a reload"], 1]);
  });

  it("that was refused while the page was away is not asked about again", async () => {
    line = "late";
    await open();
    await tap("100");
    await close();
    await answersCome("refused");
    line = "whole";
    await open();
    expect([sent.length, told, sessionStorage.length]).toEqual([1, [], 0]);
  });

  it("of long ago is not sent by a phone that wakes, and the same command given again shares its id", async () => {
    line = "reply lost";
    await open();
    await tap("100");
    line = "whole";
    hoursPass();
    await act(async () => void dispatchEvent(new Event("online")));
    expect(sent).toHaveLength(1);
    expect(used?.view).toMatchObject({ phase: "rest", error: expect.any(EndUnknown) });
    await tap("100");
    expect(told).toEqual(["EndUnknown", "done"]);
    expect([stored.size, sent[1]]).toEqual([1, sent[0]]);
  });

  it("is asked about by the next page if its press, not its last try, is recent", async () => {
    line = "reply lost";
    await open();
    await tap("100");
    await pass(9.5 * 60_000);
    await close();
    const tries = sent.length;
    expect(tries).toBeGreaterThan(1);
    vi.setSystemTime(Date.now() + 60_000);
    line = "whole";
    await open();
    expect(sent).toHaveLength(tries);
    expect(told).toEqual([]);
  });

  it("is reported as refused, and forgotten, when nothing happened", async () => {
    line = "refused";
    await open();
    await tap("100");
    expect(told).toEqual(["insufficient_funds"]);
    expect(sessionStorage.length).toBe(0);
    line = "whole";
    await tap("100");
    expect(new Set(sent.map(({ id }) => id)).size).toBe(2);
  });

  it("leaves only its id at a sign-out, and the same command after a log-in is sent under that id", async () => {
    line = "reply lost";
    await open();
    await tap("100");
    await act(async () => leaveSession());
    expect(Object.values({ ...sessionStorage }).join()).not.toContain("drw_1");
    await act(async () => useSession.setState({ session: { ...MARIA, userName: "jun" } }));
    line = "whole";
    await tap("300");
    await act(async () => useSession.setState({ session: MARIA }));
    await tap("100");
    expect([...stored.values()]).toEqual(["100", "300"].map((one) => JSON.stringify(ticket(one))));
  });

  it("is not asked about again once another player is logged in", async () => {
    line = "reply lost";
    await open();
    await tap("100");
    const tries = sent.length;
    await junLogsIn();
    await pass(60_000);
    expect([sent.length, told]).toEqual([tries, []]);
  });

  it("is not asked about in another player's name by a hidden part that does not hear of the log-in", async () => {
    line = "reply lost";
    const never = new Promise<never>(() => undefined);
    function LoadsForJun() {
      if (useSession(({ session }) => session?.userName) === "jun") use(never);
      return null;
    }
    await open(<LoadsForJun />);
    await tap("100");
    const tries = sent.length;
    await junLogsIn();
    await pass(60_000);
    expect([sent.length, told]).toEqual([tries, []]);
  });

  it("whose content differs from the one stored under its id is refused, so that the player is told first", async () => {
    line = "reply lost";
    await open();
    await tap("100");
    await act(async () => leaveSession());
    await act(async () => useSession.setState({ session: MARIA }));
    line = "whole";
    await pass(60_000);
    await tap("200");
    expect(told).toEqual(["id_reused"]);
    await tap("200");
    expect(stored.size).toBe(2);
  });

  it("has the server's time in its id, whatever the phone's clock says", async () => {
    api.alignClock(Date.now() - 86_400_000);
    await open();
    await tap("100");
    api.alignClock(Date.now());
    await tap("100");
    const [byServer = "", later = ""] = sent.map(({ id }) => id);
    const earlier = mintId("bet", Date.now() - 86_400_000, new Uint8Array(16));
    expect(byServer.slice(0, 12)).toBe(earlier.slice(0, 12));
    expect(byServer < later).toBe(true);
  });

  it("of one tab does not exist in another", async () => {
    line = "reply lost";
    await open();
    await tap("100");
    await close();
    sessionStorage.clear();
    line = "whole";
    await open();
    await tap("100");
    expect(stored.size).toBe(2);
  });
});

function Probe() {
  used = useCommand(KEY, {
    onDone: (_, { resumed }) => told.push(resumed ? "done after a reload" : "done"),
    onRefused: (error) => told.push(codeOf(error)),
  });
  return null;
}

function codeOf(error: unknown): string {
  if (error instanceof EndUnknown) return error.name;
  return String(Reflect.get(Object(Reflect.get(Object(error), "problem")), "code"));
}

async function open(beside: ReactNode = null): Promise<void> {
  root = createRoot(document.body);
  await act(async () =>
    root?.render(
      <QueryClientProvider client={queryClient}>
        <Suspense>
          <Probe />
          {beside}
        </Suspense>
      </QueryClientProvider>,
    ),
  );
}

async function close(): Promise<void> {
  await act(async () => root?.unmount());
}

/** Answers the late requests, and from now on each one at once. */
async function answersCome(as: "whole" | "refused" = "whole"): Promise<void> {
  line = as;
  await act(async () => {
    for (const come of late.splice(0)) come();
  });
}

function junLogsIn(): Promise<void> {
  const session = { ...MARIA, token: "j", userName: "jun" };
  return act(async () => useSession.setState({ session }));
}

async function tap(minor: string): Promise<void> {
  await act(async () => {
    used?.send(ticket(minor));
  });
}

function hoursPass(): void {
  vi.setSystemTime(Date.now() + 9 * 3_600_000);
}

async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}

async function answer(_url: string, init: { body: string }): Promise<Response> {
  const { id, ...content } = JSON.parse(init.body);
  sent.push({ id });
  if (line === "late") await new Promise<void>((come) => late.push(come));
  if (line === "refused") return problem("insufficient_funds", 409);
  const text = JSON.stringify(content);
  const existing = stored.get(id) ?? text;
  stored.set(id, existing);
  if (line === "reply lost") throw new TypeError("connection reset");
  if (line === "busy") return problem("busy", 503);
  return existing === text
    ? new Response(JSON.stringify({ value: { id } }))
    : problem("id_reused", 409);
}

function problem(code: string, status: number): Response {
  const body = { type: code, code, status, title: code, detail: "Hindi.", requestId: "r" };
  return new Response(JSON.stringify(body), { status });
}
