// @vitest-environment jsdom
import type { Rain } from "@perya/contract/red-rain";
import { moneyReplacer } from "@perya/kernel/money";
import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { api } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import type { RainPhase } from "./rain-phase.ts";
import { useCatch, useRainPhase } from "./use-rain.ts";

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
let catching: ReturnType<typeof useCatch>;
let phases: RainPhase[];
let sent: unknown[];
let answer: (reply: Response) => void;
const page = pageOfEachTest();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  [phases, sent] = [[], []];
  vi.stubGlobal("fetch", (url: string, { body }: { body?: string }) => {
    if (url.endsWith("/catches")) sent.push(JSON.parse(body ?? "null"));
    return new Promise((come) => {
      answer = come;
    });
  });
  sessionStorage.clear();
  useSession.setState({ session: MARIA, lapsed: false });
  api.alignClock(Date.now());
});

describe("a catch of a rain", () => {
  it("belongs to this rain, goes one at a time, and wins nothing before the server has named the amount", async () => {
    await show(null);
    const taps: boolean[] = [];
    await act(async () => {
      taps.push(catching.catchOne(), catching.catchOne());
    });
    expect(taps).toEqual([true, false]);
    expect(sent).toEqual([{ id: expect.stringMatching(/^cch_/), rainId: "rain_1" }]);
    expect([catching.caught, catching.view.phase]).toEqual([null, "sending"]);
    const value = { packet: { amount: { minor: 500n, currency: "PHP" } } };
    await act(async () => answer(new Response(JSON.stringify({ value }, moneyReplacer))));
    expect([catching.caught, catching.view.phase]).toEqual([value, "rest"]);
    await act(async () => {
      taps.push(catching.catchOne());
    });
    expect(taps).toEqual([true, false, true]);
  });
});

describe("a rain on the screen", () => {
  it("begins and ends at its second by the server's clock", async () => {
    const now = api.serverNow();
    await show({ startsAt: now + 10_000, endsAt: now + 30_000 } as Rain);
    const before = phases.at(-1);
    await pass(9_000);
    expect([before, phases.at(-1)]).toEqual(["before", "before"]);
    await pass(1_100);
    expect(phases.at(-1)).toBe("falling");
    await pass(18_000);
    expect(phases.at(-1)).toBe("falling");
    await pass(2_100);
    expect(phases.at(-1)).toBe("over");
    expect(vi.getTimerCount()).toBe(0);
  });
});

function Probe({ rain }: { rain: Rain | null }) {
  catching = useCatch("rain_1");
  phases.push(useRainPhase(rain));
  return null;
}

function show(rain: Rain | null): Promise<void> {
  return page.draw(<Probe rain={rain} />);
}

/** Advances the server's clock and the page's timers. */
async function pass(ms: number): Promise<void> {
  api.alignClock(api.serverNow() + ms);
  await act(() => vi.advanceTimersByTimeAsync(ms));
}
